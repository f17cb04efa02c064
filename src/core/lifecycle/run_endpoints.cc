// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/run_endpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/uid.h"
#include "core/draft.h"
#include "core/lifecycle/limits.h"
#include "core/lifecycle/replica_pods.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "objects/resource.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace resources = objects::resources;

namespace {

constexpr std::string_view managed_by = "endpointslice.kubernetes.io/managed-by";
constexpr std::string_view slice_controller = "endpointslice-controller.k8s.io";
constexpr std::string_view service_name_label = "kubernetes.io/service-name";
constexpr std::string_view headless_label = "service.kubernetes.io/headless";

// A named port is the pod's own: containers in the order in which they stand there.
std::optional<std::int64_t> target_port(View port, View pod) {
  const View target = port["targetPort"];
  if (!target || target.is_null()) return port["port"].integer_or(0);
  if (target.is_integer()) return target.integer_or(0);
  const std::string_view protocol = port["protocol"].string_or("TCP");
  for (View container : pod["spec"]["containers"].elements()) {
    for (View each : container["ports"].elements()) {
      if (each["name"].string_or("") == target.string_or("") &&
          each["protocol"].string_or("TCP") == protocol) {
        return each["containerPort"].integer_or(0);
      }
    }
  }
  return std::nullopt;
}

struct Member {
  Value pod;
  bool is_ready = false;
  bool is_going = false;
};

// Pods whose ports have the same numbers.
struct Group {
  Value ports;
  std::vector<Member> members = {};
};

class EndpointsStep {
 public:
  explicit EndpointsStep(const EndpointsObserved& observed)
      : observed_(observed), service_(observed.service) {}

  ReplicaStep take() {
    const View selector = service_["spec"]["selector"];
    const bool is_elsewhere = service_["spec"]["type"].string_or("") == "ExternalName";
    if (selector.empty() || is_elsewhere || objects::is_being_deleted(service_)) return {};
    gather();
    write_endpoints();
    write_slices();
    return std::move(step_);
  }

 private:
  bool is_headless() const { return service_["spec"]["clusterIP"].string_or("") == "None"; }

  void gather() {
    const bool shows_all = service_["spec"]["publishNotReadyAddresses"].boolean_or(false);
    std::map<std::string, Group> groups;
    for (const Value& pod : observed_.pods) {
      const std::string_view phase = pod["status"]["phase"].string_or("");
      if (!selects(service_, objects::labels_of(pod)) || phase == "Succeeded" ||
          phase == "Failed" || pod["status"]["podIP"].string_or("").empty()) {
        continue;
      }
      const Value ports = ports_for(pod);
      const bool is_going = objects::is_being_deleted(pod);
      Group& group = groups[objects::to_json(ports)];
      group.ports = ports;
      group.members.push_back({.pod = pod,
                               .is_ready = shows_all || (is_ready_replica(pod) && !is_going),
                               .is_going = is_going});
    }
    for (auto& [text, group] : groups) {
      std::sort(group.members.begin(), group.members.end(), [](const Member& a, const Member& b) {
        return objects::name_of(a.pod) < objects::name_of(b.pod);
      });
      groups_.push_back(std::move(group));
    }
  }

  Value ports_for(View pod) const {
    std::vector<Value> ports;
    for (View each : service_["spec"]["ports"].elements()) {
      const auto number = target_port(each, pod);
      if (!number) continue;
      Draft port(Value::object({{"name", Value::string(each["name"].string_or(""))},
                                {"port", Value::integer(*number)},
                                {"protocol", Value::string(each["protocol"].string_or("TCP"))}}));
      port.set_or_drop({"appProtocol"}, service_.part(each["appProtocol"]));
      ports.push_back(port.value());
    }
    return list_of(ports);
  }

  static Value reference(View pod) {
    return Value::object({{"kind", Value::string("Pod")},
                          {"namespace", Value::string(objects::namespace_of(pod))},
                          {"name", Value::string(objects::name_of(pod))},
                          {"uid", Value::string(objects::uid_of(pod))}});
  }

  // Of a pod that the Service gives a name of its own.
  std::string_view hostname(View pod) const {
    if (pod["spec"]["subdomain"].string_or("") != objects::name_of(service_)) return {};
    return pod["spec"]["hostname"].string_or("");
  }

  Value labels_with(const StringPairs& more) const {
    StringPairs pairs;
    for (const objects::MemberView each : objects::labels_of(service_).members()) {
      pairs.emplace_back(each.key, each.value.string_or(""));
    }
    if (is_headless()) pairs.emplace_back(headless_label, "");
    pairs.insert(pairs.end(), more.begin(), more.end());
    return string_map(pairs);
  }

  Value address(View pod) const {
    Draft address(Value::object({{"ip", Value::string(pod["status"]["podIP"].string_or(""))},
                                 {"nodeName", Value::string(pod["spec"]["nodeName"].string_or(""))},
                                 {"targetRef", reference(pod)}}));
    address.set_or_drop({"hostname"}, Value::string(hostname(pod)));
    return address.value();
  }

  Value subsets() const {
    std::vector<Value> subsets;
    std::size_t room = endpoints_addresses_max;
    for (const Group& group : groups_) {
      std::vector<Value> ready;
      std::vector<Value> others;
      for (const Member& member : group.members) {
        if (room == 0 || (member.is_going && !member.is_ready)) continue;
        --room;
        (member.is_ready ? ready : others).push_back(address(member.pod));
      }
      if (ready.empty() && others.empty()) continue;
      std::vector<Value> ports;
      for (View each : group.ports.view().elements()) {
        Draft port(group.ports.part(each));
        if (each["name"].string_or("").empty()) port.drop({"name"});
        ports.push_back(port.value());
      }
      Draft subset(Value::object({}));
      subset.set_or_drop({"addresses"}, list_of(ready))
          .set_or_drop({"notReadyAddresses"}, list_of(others))
          .set_or_drop({"ports"}, list_of(ports));
      subsets.push_back(subset.value());
    }
    return list_of(subsets);
  }

  void write_endpoints() {
    const Value labels =
        labels_with({{"endpoints.kubernetes.io/managed-by", "endpoint-controller"}});
    const bool is_new = observed_.endpoints.is_absent();
    Draft next(is_new ? Value::object({{"apiVersion", Value::string("v1")},
                                       {"kind", Value::string("Endpoints")}})
                      : observed_.endpoints);
    next.set({"metadata", "name"}, Value::string(objects::name_of(service_)))
        .set({"metadata", "namespace"}, Value::string(objects::namespace_of(service_)))
        .set({"metadata", "labels"}, labels)
        .set_or_drop({"subsets"}, subsets());
    if (is_new) {
      step_.edits.push_back(Edit::create(resources::endpoints, next.value()));
    } else if (!(next.value().view() == observed_.endpoints.view())) {
      step_.edits.push_back(Edit::update(resources::endpoints, next.value()));
    }
  }

  Value endpoint(const Member& member) const {
    const View pod = member.pod;
    Draft endpoint(Value::object(
        {{"addresses", Value::array({Value::string(pod["status"]["podIP"].string_or(""))})},
         {"conditions",
          Value::object({{"ready", Value::boolean(member.is_ready)},
                         {"serving", Value::boolean(member.is_ready || is_ready_replica(pod))},
                         {"terminating", Value::boolean(member.is_going)}})},
         {"targetRef", reference(pod)}}));
    endpoint.set_or_drop({"hostname"}, Value::string(hostname(pod)))
        .set_or_drop({"nodeName"}, member.pod.part(pod["spec"]["nodeName"]));
    return endpoint.value();
  }

  // Each slice is known by the ports it has and its number among those.
  void write_slices() {
    std::map<std::string, Value> wanted;
    if (groups_.empty()) groups_.push_back({.ports = ports_for(View())});
    for (const Group& group : groups_) {
      std::size_t number = 0;
      std::size_t done = 0;
      do {
        std::vector<Value> endpoints;
        while (done < group.members.size() && endpoints.size() < slice_endpoints_max) {
          endpoints.push_back(endpoint(group.members[done++]));
        }
        const std::string name = slice_name(group, number++);
        wanted.emplace(name, slice(name, group, endpoints));
      } while (done < group.members.size());
    }
    for (const Value& present : observed_.slices) {
      if (objects::labels_of(present)[managed_by].string_or("") != slice_controller) continue;
      const auto found = wanted.find(std::string(objects::name_of(present)));
      if (found == wanted.end()) {
        step_.edits.push_back(Edit::remove(resources::endpoint_slices, present));
        continue;
      }
      Draft next(present);
      next.set({"metadata", "labels"}, found->second.part(found->second["metadata"]["labels"]))
          .set({"endpoints"}, found->second.part(found->second["endpoints"]))
          .set({"ports"}, found->second.part(found->second["ports"]));
      if (!(next.value().view() == present.view())) {
        step_.edits.push_back(Edit::update(resources::endpoint_slices, next.value()));
      }
      wanted.erase(found);
    }
    for (auto& [name, made] : wanted) {
      step_.edits.push_back(Edit::create(resources::endpoint_slices, std::move(made)));
    }
  }

  std::string slice_name(const Group& group, std::size_t number) const {
    const std::string base = std::string(objects::name_of(service_))
                                 .substr(0, generated_name_length_max - name_suffix_length - 1);
    return fmt::format("{}-{}", base,
                       suffix_following(fmt::format("{}\n{}\n{}", objects::uid_of(service_),
                                                    objects::to_json(group.ports), number),
                                        name_suffix_length));
  }

  Value slice(const std::string& name, const Group& group, std::span<const Value> endpoints) const {
    const Value labels =
        labels_with({{std::string(service_name_label), std::string(objects::name_of(service_))},
                     {std::string(managed_by), std::string(slice_controller)}});
    return Value::object(
        {{"apiVersion", Value::string(resources::endpoint_slices.api_version())},
         {"kind", Value::string(resources::endpoint_slices.kind)},
         {"metadata",
          Value::object(
              {{"name", Value::string(name)},
               {"generateName", Value::string(fmt::format("{}-", objects::name_of(service_)))},
               {"namespace", Value::string(objects::namespace_of(service_))},
               {"labels", labels},
               {"ownerReferences",
                Value::array({controller_reference(resources::services.api_version(),
                                                   resources::services.kind, service_)})}})},
         {"addressType", Value::string("IPv4")},
         {"endpoints", list_of(endpoints)},
         {"ports", group.ports}});
  }

  const EndpointsObserved& observed_;
  const Value& service_;
  std::vector<Group> groups_;
  ReplicaStep step_;
};

}  // namespace

bool selects(View service, View labels) {
  const View selector = service["spec"]["selector"];
  if (selector.empty()) return false;
  for (const objects::MemberView wanted : selector.members()) {
    if (!(labels[wanted.key] == wanted.value)) return false;
  }
  return true;
}

ReplicaStep run_endpoints(const EndpointsObserved& observed) {
  if (observed.service.is_absent()) return {};
  return EndpointsStep(observed).take();
}

}  // namespace muster::core
