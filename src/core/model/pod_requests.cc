// SPDX-License-Identifier: Apache-2.0
#include "core/model/pod_requests.h"

#include <algorithm>
#include <string>

#include "objects/json.h"

namespace muster::core {

using objects::View;

namespace {

Quantity* find_in(ResourceQuantities& list, ResourceId resource) {
  const auto found = std::ranges::find(list, resource, &ResourceQuantity::resource);
  return found == list.end() ? nullptr : &found->quantity;
}

Result<ContainerResources> read_resources(View resources, ResourceNames& names) {
  ContainerResources read;
  read.requests = TRY(read_quantities(resources["requests"], names));
  read.limits = TRY(read_quantities(resources["limits"], names));
  return read;
}

// What kubelets support as a request of the pod as a whole.
bool may_be_pod_level(std::string_view name) {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

}  // namespace

Result<ResourceQuantities> read_quantities(View list, ResourceNames& names) {
  ResourceQuantities quantities;
  for (const auto& [name, value] : list.members()) {
    const std::string text =
        value.is_string() ? std::string(*value.string()) : objects::to_json(value);
    Quantity quantity = TRY(Quantity::parse_field(text));
    const ResourceId resource = TRY(names.intern(name));
    quantities.push_back({resource, std::move(quantity)});
  }
  return quantities;
}

const Quantity* quantity_of(const ResourceQuantities& list, ResourceId resource) {
  const auto found = std::ranges::find(list, resource, &ResourceQuantity::resource);
  return found == list.end() ? nullptr : &found->quantity;
}

void add_quantities(ResourceQuantities& sum, const ResourceQuantities& more) {
  for (const ResourceQuantity& entry : more) {
    if (Quantity* have = find_in(sum, entry.resource)) {
      *have += entry.quantity;
    } else {
      sum.push_back(entry);
    }
  }
}

void fill_in(ResourceQuantities& into, const ResourceQuantities& other) {
  for (const ResourceQuantity& entry : other) {
    if (find_in(into, entry.resource) == nullptr) into.push_back(entry);
  }
}

void keep_greater(ResourceQuantities& into, const ResourceQuantities& other) {
  for (const ResourceQuantity& entry : other) {
    Quantity* have = find_in(into, entry.resource);
    if (have == nullptr) {
      into.push_back(entry);
    } else if (*have < entry.quantity) {
      *have = entry.quantity;
    }
  }
}

void keep_smaller(ResourceQuantities& into, const ResourceQuantities& other) {
  for (const ResourceQuantity& entry : other) {
    Quantity* have = find_in(into, entry.resource);
    if (have == nullptr) {
      into.push_back(entry);
    } else if (*have > entry.quantity) {
      *have = entry.quantity;
    }
  }
}

std::int64_t amount_from(std::string_view resource, const Quantity& quantity) {
  return quantity.saturated_value(resource == "cpu" ? QuantityScale::milli : QuantityScale::unit);
}

Amounts amounts_from(const ResourceQuantities& list, const ResourceNames& names) {
  Amounts amounts;
  amounts.reserve(list.size());
  for (const ResourceQuantity& entry : list) {
    amounts.push_back({entry.resource, amount_from(names.name(entry.resource), entry.quantity)});
  }
  std::ranges::sort(amounts, {}, [&](const Amount& entry) -> const std::string& {
    return names.name(entry.resource);
  });
  return amounts;
}

Result<PodSpecResources> read_pod_resources(View pod_spec, ResourceNames& names) {
  PodSpecResources spec;
  for (const View container : pod_spec["containers"].elements()) {
    spec.containers.push_back(TRY(read_resources(container["resources"], names)));
  }
  for (const View container : pod_spec["initContainers"].elements()) {
    spec.init_containers.push_back(TRY(read_resources(container["resources"], names)));
    spec.init_containers.back().is_sidecar = container["restartPolicy"].string_or("") == "Always";
  }
  spec.has_pod_level = pod_spec["resources"].is_object();
  spec.pod_level = TRY(read_resources(pod_spec["resources"], names));
  spec.overhead = TRY(read_quantities(pod_spec["overhead"], names));
  return spec;
}

void use_limits_as_requests(PodSpecResources& spec) {
  for (ContainerResources& each : spec.init_containers) fill_in(each.requests, each.limits);
  for (ContainerResources& each : spec.containers) fill_in(each.requests, each.limits);
  fill_in(spec.pod_level.requests, spec.pod_level.limits);
}

ResourceQuantities total_requests(const PodSpecResources& spec, const ResourceNames& names) {
  ResourceQuantities running;
  for (const ContainerResources& each : spec.containers) add_quantities(running, each.requests);
  ResourceQuantities sidecars;
  ResourceQuantities starting;
  for (const ContainerResources& each : spec.init_containers) {
    if (each.is_sidecar) {
      add_quantities(running, each.requests);
      add_quantities(sidecars, each.requests);
      keep_greater(starting, sidecars);
      continue;
    }
    ResourceQuantities step = each.requests;
    add_quantities(step, sidecars);
    keep_greater(starting, step);
  }
  keep_greater(running, starting);
  for (const ResourceQuantity& entry : spec.pod_level.requests) {
    if (!may_be_pod_level(names.name(entry.resource))) continue;
    if (Quantity* have = find_in(running, entry.resource)) {
      *have = entry.quantity;
    } else {
      running.push_back(entry);
    }
  }
  add_quantities(running, spec.overhead);
  return running;
}

Result<Amounts> pod_requests(View pod_spec, ResourceNames& names) {
  PodSpecResources spec = TRY(read_pod_resources(pod_spec, names));
  use_limits_as_requests(spec);
  Amounts amounts = amounts_from(total_requests(spec, names), names);
  for (Amount& entry : amounts) entry.amount = std::max<std::int64_t>(entry.amount, 0);
  return amounts;
}

}  // namespace muster::core
