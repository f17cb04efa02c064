// SPDX-License-Identifier: Apache-2.0
#include "server/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/age.h"
#include "objects/label_selector.h"
#include "objects/metadata.h"
#include "server/cells_table.h"

namespace muster::server {

using objects::Builder;
using objects::MemberView;
using objects::Node;
using objects::View;

namespace {

constexpr std::string_view none_text = "<none>";

Node text(const CellContext& context, std::string_view value) {
  return context.builder.text(value);
}

Node text_or(const CellContext& context, View value, std::string_view fallback) {
  const std::string_view found = value.string_or("");
  return text(context, found.empty() ? fallback : found);
}

std::string lower(std::string_view value) {
  std::string result(value);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// The texts of a list, or of one member of its elements, with commas between them.
std::string joined(View list, std::string_view member = {}) {
  std::string all;
  for (View each : list.elements()) {
    if (!all.empty()) all += ',';
    all += (member.empty() ? each : each[member]).string_or("");
  }
  return all;
}

Node age(View object, const CellContext& context) {
  return text(context, age_text(object["metadata"]["creationTimestamp"], context.now));
}

// Pods.

Node pod_ready(View pod, const CellContext& context) {
  const PodSummary summary = summarize_pod(pod, context.now);
  return text(context, fmt::format("{}/{}", summary.ready, summary.containers));
}

Node pod_status(View pod, const CellContext& context) {
  return text(context, summarize_pod(pod, context.now).status);
}

Node pod_restarts(View pod, const CellContext& context) {
  return text(context, summarize_pod(pod, context.now).restarts);
}

Node pod_ip(View pod, const CellContext& context) {
  return text_or(context, pod["status"]["podIPs"][std::size_t{0}]["ip"], none_text);
}

Node pod_node(View pod, const CellContext& context) {
  return text_or(context, pod["spec"]["nodeName"], none_text);
}

Node pod_nominated_node(View pod, const CellContext& context) {
  return text_or(context, pod["status"]["nominatedNodeName"], none_text);
}

Node pod_readiness_gates(View pod, const CellContext& context) {
  const View gates = pod["spec"]["readinessGates"];
  if (gates.empty()) return text(context, none_text);
  std::size_t open = 0;
  for (View gate : gates.elements()) {
    const View condition = objects::condition(pod, gate["conditionType"].string_or(""));
    if (objects::is_true(condition)) ++open;
  }
  return text(context, fmt::format("{}/{}", open, gates.size()));
}

// Nodes.

Node node_status(View node, const CellContext& context) {
  const View ready = objects::condition(node, "Ready");
  std::string status = !ready ? "Unknown" : objects::is_true(ready) ? "Ready" : "NotReady";
  if (node["spec"]["unschedulable"].boolean_or(false)) status += ",SchedulingDisabled";
  return text(context, status);
}

Node node_roles(View node, const CellContext& context) {
  constexpr std::string_view prefix = "node-role.kubernetes.io/";
  std::set<std::string_view> roles;
  for (const MemberView label : objects::labels_of(node).members()) {
    if (label.key.starts_with(prefix) && label.key.size() > prefix.size()) {
      roles.insert(label.key.substr(prefix.size()));
    }
    const std::string_view value = label.value.string_or("");
    if (label.key == "kubernetes.io/role" && !value.empty()) roles.insert(value);
  }
  return text(context,
              roles.empty() ? std::string(none_text) : fmt::format("{}", fmt::join(roles, ",")));
}

Node node_address(View node, const CellContext& context, std::string_view type) {
  for (View address : node["status"]["addresses"].elements()) {
    if (address["type"].string_or("") == type) return text_or(context, address["address"], "");
  }
  return text(context, none_text);
}

Node node_internal_ip(View node, const CellContext& context) {
  return node_address(node, context, "InternalIP");
}

Node node_external_ip(View node, const CellContext& context) {
  return node_address(node, context, "ExternalIP");
}

Node node_os_image(View node, const CellContext& context) {
  return text_or(context, node["status"]["nodeInfo"]["osImage"], "<unknown>");
}

Node node_kernel_version(View node, const CellContext& context) {
  const View facts = node["status"]["nodeInfo"];
  const std::string_view version = facts["kernelVersion"].string_or("");
  std::string shown(version.empty() ? "<unknown>" : version);
  const std::string_view architecture = facts["architecture"].string_or("");
  if (!architecture.empty()) shown += fmt::format(" ({})", architecture);
  return text(context, shown);
}

Node node_container_runtime(View node, const CellContext& context) {
  return text_or(context, node["status"]["nodeInfo"]["containerRuntimeVersion"], "<unknown>");
}

// Jobs.

Node job_status(View job, const CellContext& context) {
  const auto has = [&](std::string_view type) {
    return objects::is_true(objects::condition(job, type));
  };
  if (has("Complete")) return text(context, "Complete");
  if (has("Failed")) return text(context, "Failed");
  if (objects::is_being_deleted(job)) return text(context, "Terminating");
  for (const std::string_view type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (has(type)) return text(context, type);
  }
  return text(context, "Running");
}

Node job_completions(View job, const CellContext& context) {
  const std::int64_t succeeded = job["status"]["succeeded"].integer_or(0);
  if (const auto wanted = job["spec"]["completions"].integer()) {
    return text(context, fmt::format("{}/{}", succeeded, *wanted));
  }
  const std::int64_t parallelism = job["spec"]["parallelism"].integer_or(0);
  return text(context, parallelism > 1 ? fmt::format("{}/1 of {}", succeeded, parallelism)
                                       : fmt::format("{}/1", succeeded));
}

Node job_duration(View job, const CellContext& context) {
  const auto started = objects::instant_of(job["status"]["startTime"]);
  if (!started) return text(context, "");
  const auto completed = objects::instant_of(job["status"]["completionTime"]);
  return text(context, human_age(*started, completed.value_or(context.now)));
}

Node job_selector(View job, const CellContext& context) {
  const auto selector = objects::LabelSelector::of(job["spec"]["selector"]);
  if (!selector) return text(context, "<error>");
  const std::string shown = selector->to_string();
  return text(context, shown.empty() ? std::string(none_text) : shown);
}

Node template_containers(View object, const CellContext& context) {
  return text(context, joined(object["spec"]["template"]["spec"]["containers"], "name"));
}

Node template_images(View object, const CellContext& context) {
  return text(context, joined(object["spec"]["template"]["spec"]["containers"], "image"));
}

// Services.

Node service_cluster_ip(View service, const CellContext& context) {
  return text_or(context, service["spec"]["clusterIPs"][std::size_t{0}], none_text);
}

Node service_external_ip(View service, const CellContext& context) {
  const View spec = service["spec"];
  const std::string_view type = spec["type"].string_or("");
  std::string external = joined(spec["externalIPs"]);
  if (type == "ExternalName") return text(context, spec["externalName"].string_or(""));
  if (type == "ClusterIP" || type == "NodePort") {
    return text(context, external.empty() ? none_text : external);
  }
  if (type != "LoadBalancer") return text(context, "<unknown>");
  std::set<std::string_view> given;
  for (View ingress : service["status"]["loadBalancer"]["ingress"].elements()) {
    const std::string_view ip = ingress["ip"].string_or("");
    const std::string_view shown = ip.empty() ? ingress["hostname"].string_or("") : ip;
    if (!shown.empty()) given.insert(shown);
  }
  std::string all = fmt::format("{}", fmt::join(given, ","));
  if (!all.empty() && !external.empty()) all += ',';
  all += external;
  return text(context, all.empty() ? "<pending>" : all);
}

Node service_ports(View service, const CellContext& context) {
  std::string all;
  for (View port : service["spec"]["ports"].elements()) {
    if (!all.empty()) all += ',';
    all += fmt::format("{}", port["port"].integer_or(0));
    const std::int64_t node_port = port["nodePort"].integer_or(0);
    if (node_port > 0) all += fmt::format(":{}", node_port);
    all += fmt::format("/{}", port["protocol"].string_or(""));
  }
  return text(context, all.empty() ? none_text : all);
}

Node service_selector(View service, const CellContext& context) {
  return text(context, cell_labels(service["spec"]["selector"]));
}

// Events.

// The first of two that is there: events come in the form of either group.
View either(View event, std::string_view core, std::string_view events) {
  const View own = event[core];
  return own ? own : event[events];
}

std::string first_seen(View event, Instant now) {
  const View first = either(event, "firstTimestamp", "deprecatedFirstTimestamp");
  return age_text(first.is_string() ? first : event["eventTime"], now);
}

Node event_first_seen(View event, const CellContext& context) {
  return text(context, first_seen(event, context.now));
}

Node event_last_seen(View event, const CellContext& context) {
  if (const View series = event["series"]) {
    return text(context, age_text(series["lastObservedTime"], context.now));
  }
  const View last = either(event, "lastTimestamp", "deprecatedLastTimestamp");
  return text(context,
              last.is_string() ? age_text(last, context.now) : first_seen(event, context.now));
}

Node event_count(View event, const CellContext&) {
  if (const View series = event["series"]) return Builder::integer(series["count"].integer_or(0));
  const View count = either(event, "count", "deprecatedCount");
  return Builder::integer(std::max<std::int64_t>(1, count.integer_or(0)));
}

Node event_object(View event, const CellContext& context) {
  const View object = either(event, "involvedObject", "regarding");
  const std::string kind = lower(object["kind"].string_or(""));
  const std::string_view name = object["name"].string_or("");
  return text(context, name.empty() ? kind : fmt::format("{}/{}", kind, name));
}

Node event_source(View event, const CellContext& context) {
  const auto first = [&](View a, View b) {
    return a.string_or("").empty() ? b.string_or("") : a.string_or("");
  };
  const View source = either(event, "source", "deprecatedSource");
  const std::string_view component =
      first(source["component"], either(event, "reportingComponent", "reportingController"));
  const std::string_view host = first(source["host"], event["reportingInstance"]);
  return text(context,
              host.empty() ? std::string(component) : fmt::format("{}, {}", component, host));
}

Node event_message(View event, const CellContext& context) {
  std::string_view message = either(event, "message", "note").string_or("");
  constexpr std::string_view spaces = " \t\n\v\f\r";
  const std::size_t begin = message.find_first_not_of(spaces);
  if (begin == std::string_view::npos) return text(context, "");
  return text(context, message.substr(begin, message.find_last_not_of(spaces) - begin + 1));
}

// The others.

Node config_map_data(View object, const CellContext&) {
  return Builder::integer(
      static_cast<std::int64_t>(object["data"].size() + object["binaryData"].size()));
}

Node priority_class_global_default(View object, const CellContext&) {
  return Builder::boolean(object["globalDefault"].boolean_or(false));
}

constexpr NamedCell cells[] = {
    {"age", age},
    {"config-map-data", config_map_data},
    {"event-count", event_count},
    {"event-first-seen", event_first_seen},
    {"event-last-seen", event_last_seen},
    {"event-message", event_message},
    {"event-object", event_object},
    {"event-source", event_source},
    {"job-completions", job_completions},
    {"job-duration", job_duration},
    {"job-selector", job_selector},
    {"job-status", job_status},
    {"node-container-runtime", node_container_runtime},
    {"node-external-ip", node_external_ip},
    {"node-internal-ip", node_internal_ip},
    {"node-kernel-version", node_kernel_version},
    {"node-os-image", node_os_image},
    {"node-roles", node_roles},
    {"node-status", node_status},
    {"pod-ip", pod_ip},
    {"pod-node", pod_node},
    {"pod-nominated-node", pod_nominated_node},
    {"pod-readiness-gates", pod_readiness_gates},
    {"pod-ready", pod_ready},
    {"pod-restarts", pod_restarts},
    {"pod-status", pod_status},
    {"priority-class-global-default", priority_class_global_default},
    {"service-cluster-ip", service_cluster_ip},
    {"service-external-ip", service_external_ip},
    {"service-ports", service_ports},
    {"service-selector", service_selector},
    {"template-containers", template_containers},
    {"template-images", template_images},
};

}  // namespace

Cell find_cell(std::string_view name) {
  const std::span<const NamedCell> tables[] = {cells,           access_cells(),  workload_cells(),
                                               network_cells(), storage_cells(), device_cells()};
  for (const std::span<const NamedCell> table : tables) {
    for (const NamedCell& each : table) {
      if (each.name == name) return each.cell;
    }
  }
  return nullptr;
}

std::string cell_labels(View labels) {
  std::vector<std::string> terms;
  for (const MemberView label : labels.members()) {
    terms.push_back(fmt::format("{}={}", label.key, label.value.string_or("")));
  }
  std::sort(terms.begin(), terms.end());
  return terms.empty() ? std::string(none_text) : fmt::format("{}", fmt::join(terms, ","));
}

std::string age_text(View timestamp, Instant now) {
  const auto since = objects::instant_of(timestamp);
  return since ? human_age(*since, now) : "<unknown>";
}

}  // namespace muster::server
