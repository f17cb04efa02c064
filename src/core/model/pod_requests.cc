// SPDX-License-Identifier: Apache-2.0
#include "core/model/pod_requests.h"

#include <algorithm>

namespace muster::core {

using objects::View;

namespace {

// Requests, and limits where there is no request of that resource.
Result<Amounts> container_requests(View resources, ResourceNames& names) {
  Amounts requests = TRY(read_amounts(resources["requests"], names));
  const Amounts limits = TRY(read_amounts(resources["limits"], names));
  for (const Amount& limit : limits) {
    if (resources["requests"][names.name(limit.resource)]) continue;
    add_amount(requests, limit.resource, limit.amount, names);
  }
  return requests;
}

void add_all(Amounts& sum, const Amounts& more, const ResourceNames& names) {
  for (const Amount& entry : more) add_amount(sum, entry.resource, entry.amount, names);
}

void raise_all(Amounts& most, const Amounts& other, const ResourceNames& names) {
  for (const Amount& entry : other) {
    const std::int64_t have = amount_of(most, entry.resource);
    add_amount(most, entry.resource, std::max<std::int64_t>(entry.amount - have, 0), names);
  }
}

// Requests of the pod as a whole count instead of the sum, for what kubelets support there.
void override_with(Amounts& sum, const Amounts& whole, const ResourceNames& names) {
  for (const Amount& entry : whole) {
    const std::string& name = names.name(entry.resource);
    if (name != "cpu" && name != "memory" && !name.starts_with("hugepages-")) continue;
    add_amount(sum, entry.resource, entry.amount - amount_of(sum, entry.resource), names);
  }
}

}  // namespace

Result<Amounts> pod_requests(View pod_spec, ResourceNames& names) {
  Amounts running;
  for (const View container : pod_spec["containers"].elements()) {
    add_all(running, TRY(container_requests(container["resources"], names)), names);
  }
  Amounts sidecars;
  Amounts starting;
  for (const View container : pod_spec["initContainers"].elements()) {
    const Amounts own = TRY(container_requests(container["resources"], names));
    if (container["restartPolicy"].string_or("") == "Always") {
      add_all(sidecars, own, names);
      raise_all(starting, sidecars, names);
      continue;
    }
    Amounts step = sidecars;
    add_all(step, own, names);
    raise_all(starting, step, names);
  }
  add_all(running, sidecars, names);
  raise_all(running, starting, names);
  override_with(running, TRY(container_requests(pod_spec["resources"], names)), names);
  add_all(running, TRY(read_amounts(pod_spec["overhead"], names)), names);
  return running;
}

}  // namespace muster::core
