// SPDX-License-Identifier: Apache-2.0
#include "agent/node_objects.h"

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "agent/limits.h"
#include "base/timestamp.h"
#include "objects/builder.h"
#include "objects/edit.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"

namespace muster::agent {

namespace {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

using Texts = std::map<std::string, std::string>;

Texts labels_of(const NodeOptions& options, const std::string& architecture) {
  Texts labels = {{"beta.kubernetes.io/arch", architecture},
                  {"beta.kubernetes.io/os", "linux"},
                  {"kubernetes.io/arch", architecture},
                  {"kubernetes.io/hostname", options.name},
                  {"kubernetes.io/os", "linux"}};
  for (const auto& [key, value] : options.labels) labels[key] = value;
  return labels;
}

Texts annotations_of(const NodeOptions& options) {
  if (!options.devices_are_simulated) return {};
  return {{std::string(devices_annotation), "simulated"}};
}

// The object of texts with these in it. The same value when they are.
Value merged(const Value& seen, const Texts& wanted) {
  Value next = seen.is_object() ? seen : Value::object({});
  for (const auto& [key, value] : wanted) {
    if (next[key].string_or("") == value && next[key].is_string()) continue;
    next = objects::with(next, {std::string_view(key)}, Value::string(value)).must();
  }
  return next;
}

Value resources_of(const NodeOptions& options) {
  Builder builder;
  std::vector<Node::Member> members;
  for (const auto& [name, quantity] : options.capacity) {
    members.push_back({builder.text(name), builder.text(quantity.to_string())});
  }
  if (!options.capacity.contains("pods")) {
    const std::string pods = std::to_string(pods_per_node_default);
    members.push_back({builder.text("pods"), builder.text(pods)});
  }
  const Node object = builder.object(members);
  return std::move(builder).finish(object);
}

Value addresses_of(const NodeOptions& options) {
  const auto address = [](std::string_view type, const std::string& text) {
    return Value::object({{"type", Value::string(type)}, {"address", Value::string(text)}});
  };
  const Value hostname = address("Hostname", options.name);
  if (options.address.empty()) return Value::array({hostname});
  return Value::array({address("InternalIP", options.address), hostname});
}

Value info_of(const MachineFacts& machine) {
  return Value::object({{"architecture", Value::string(machine.architecture)},
                        {"bootID", Value::string(machine.boot_id)},
                        {"containerRuntimeVersion", Value::string(machine.runtime)},
                        {"kernelVersion", Value::string(machine.kernel_version)},
                        {"kubeProxyVersion", Value::string("")},
                        {"kubeletVersion", Value::string(machine.version)},
                        {"machineID", Value::string(machine.machine_id)},
                        {"operatingSystem", Value::string("linux")},
                        {"osImage", Value::string(machine.os_image)},
                        {"systemUUID", Value::string(machine.machine_id)}});
}

// Sets a member of status unless it says that already.
Value with_status_member(const Value& node, std::string_view key, const Value& wanted) {
  if (node["status"][key] == wanted.view()) return node;
  return objects::with(node, {std::string_view("status"), key}, wanted).must();
}

Value taints_of(const NodeOptions& options) {
  Builder builder;
  std::vector<Node> taints;
  for (const NodeTaint& taint : options.taints) {
    Rewrite members{View()};
    members.set("key", builder.text(taint.key));
    if (!taint.value.empty()) members.set("value", builder.text(taint.value));
    members.set("effect", builder.text(taint.effect));
    taints.push_back(members.finish(builder));
  }
  const Node list = builder.array(taints);
  return std::move(builder).finish(list);
}

Value spec_of(const NodeOptions& options) {
  Value spec = Value::object({});
  if (!options.pod_cidr.empty()) {
    const Value range = Value::string(options.pod_cidr);
    spec = Value::object({{"podCIDR", range}, {"podCIDRs", Value::array({range})}});
  }
  if (options.taints.empty()) return spec;
  return objects::with(spec, {std::string_view("taints")}, taints_of(options)).must();
}

}  // namespace

Value node_to_register(const NodeOptions& options, const MachineFacts& machine, Instant now) {
  Value metadata =
      Value::object({{"name", Value::string(options.name)},
                     {"labels", merged({}, labels_of(options, machine.architecture))}});
  if (options.devices_are_simulated) {
    const Value annotations = merged({}, annotations_of(options));
    metadata = objects::with(metadata, {std::string_view("annotations")}, annotations).must();
  }
  const Value node = Value::object({{"apiVersion", Value::string("v1")},
                                    {"kind", Value::string("Node")},
                                    {"metadata", metadata},
                                    {"spec", spec_of(options)}});
  return node_with_status(node, options, machine, now);
}

Value registered_node(const Value& seen, const NodeOptions& options) {
  const View metadata = seen["metadata"];
  const std::string architecture(metadata["labels"]["kubernetes.io/arch"].string_or("amd64"));
  Value next = seen;
  const Value labels = merged(seen.part(metadata["labels"]), labels_of(options, architecture));
  if (!(labels.view() == metadata["labels"])) {
    next = objects::with(next, {"metadata", "labels"}, labels).must();
  }
  const Texts wanted = annotations_of(options);
  const Value annotations = merged(seen.part(metadata["annotations"]), wanted);
  if (!wanted.empty() && !(annotations.view() == metadata["annotations"])) {
    next = objects::with(next, {"metadata", "annotations"}, annotations).must();
  }
  if (!options.pod_cidr.empty() && seen["spec"]["podCIDR"].string_or("").empty()) {
    const Value range = Value::string(options.pod_cidr);
    next = objects::with(next, {"spec", "podCIDR"}, range).must();
    next = objects::with(next, {"spec", "podCIDRs"}, Value::array({range})).must();
  }
  return next;
}

Value node_with_status(const Value& seen, const NodeOptions& options, const MachineFacts& machine,
                       Instant now) {
  Value next = with_status_member(seen, "capacity", resources_of(options));
  next = with_status_member(next, "allocatable", resources_of(options));
  next = with_status_member(next, "addresses", addresses_of(options));
  next = with_status_member(next, "nodeInfo", info_of(machine));
  struct Wanted {
    const char* type;
    const char* status;
    const char* reason;
    const char* message;
  };
  constexpr std::array conditions = {
      Wanted{"MemoryPressure", "False", "KubeletHasSufficientMemory",
             "kubelet has sufficient memory available"},
      Wanted{"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
      Wanted{"PIDPressure", "False", "KubeletHasSufficientPID",
             "kubelet has sufficient PID available"},
      Wanted{"Ready", "True", "KubeletReady", "kubelet is posting ready status"}};
  for (const Wanted& each : conditions) {
    next = objects::with_condition(
        next,
        {.type = each.type, .status = each.status, .reason = each.reason, .message = each.message},
        now);
  }
  return next;
}

Value node_with_images(const Value& node, const std::vector<NodeImage>& images) {
  if (images.empty() && !node["status"]["images"]) return node;
  Builder builder;
  std::vector<Node> list;
  for (const NodeImage& image : images) {
    std::vector<Node> names;
    for (const std::string& name : image.names) names.push_back(builder.text(name));
    Rewrite members{View()};
    members.set("names", builder.array(names));
    members.set("sizeBytes", Builder::integer(image.bytes));
    list.push_back(members.finish(builder));
  }
  const Node array = builder.array(list);
  return with_status_member(node, "images", std::move(builder).finish(array));
}

Value lease_to_create(const Value& node, Instant now) {
  const Value name = Value::string(objects::name_of(node));
  const Value owner = Value::object({{"apiVersion", Value::string("v1")},
                                     {"kind", Value::string("Node")},
                                     {"name", name},
                                     {"uid", Value::string(objects::uid_of(node))}});
  const Value metadata = Value::object({{"name", name},
                                        {"namespace", Value::string(lease_namespace)},
                                        {"ownerReferences", Value::array({owner})}});
  const Value lease = Value::object(
      {{"apiVersion", Value::string("coordination.k8s.io/v1")},
       {"kind", Value::string("Lease")},
       {"metadata", metadata},
       {"spec", Value::object({{"holderIdentity", name},
                               {"leaseDurationSeconds", Value::integer(lease_seconds)}})}});
  return renewed_lease(lease, node, now);
}

// A lease that outlived an earlier Node of this name is handed to the present one.
Value renewed_lease(const Value& seen, const Value& node, Instant now) {
  const Value time = Value::string(format_micro_time(Timestamp::of(now)));
  Value next = objects::with(seen, {"spec", "renewTime"}, time).must();
  const Value uid = Value::string(objects::uid_of(node));
  const View owner = seen["metadata"]["ownerReferences"][std::size_t{0}];
  if (owner.is_object() && !(owner["uid"] == uid.view())) {
    next = objects::with(next, {"metadata", "ownerReferences", std::size_t{0}, "uid"}, uid).must();
  }
  return next;
}

}  // namespace muster::agent
