// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/default_rules.h"

#include <algorithm>
#include <limits>
#include <string>

#include "base/ascii.h"
#include "base/quantity.h"

namespace muster::objects {

namespace {

struct NamedRule {
  std::string_view name;
  DefaultRule rule;
};

constexpr NamedRule rules[] = {
    {"image-pull-policy", DefaultRule::image_pull_policy},
    {"image-volume-pull-policy", DefaultRule::image_volume_pull_policy},
    {"service-port-target-port", DefaultRule::service_port_target_port},
    {"service-account-alias", DefaultRule::service_account_alias},
    {"allocatable-from-capacity", DefaultRule::allocatable_from_capacity},
    {"job-completions", DefaultRule::job_completions},
    {"job-backoff-limit", DefaultRule::job_backoff_limit},
    {"job-pod-replacement-policy", DefaultRule::job_pod_replacement_policy},
    {"pod-status", DefaultRule::pod_status},
    {"requests-from-limits", DefaultRule::requests_from_limits},
    {"pod-enable-service-links", DefaultRule::pod_enable_service_links},
    {"pod-host-network-ports", DefaultRule::pod_host_network_ports},
    {"volume-empty-dir", DefaultRule::volume_empty_dir},
    {"limit-range-item", DefaultRule::limit_range_item},
    {"service-session-affinity", DefaultRule::service_session_affinity},
    {"service-traffic-policy", DefaultRule::service_traffic_policy},
    {"namespace-name-label", DefaultRule::namespace_name_label},
    {"definition-names", DefaultRule::definition_names},
    {"rolling-update-deployment", DefaultRule::rolling_update_deployment},
    {"rolling-update-daemon-set", DefaultRule::rolling_update_daemon_set},
    {"rolling-update-stateful-set", DefaultRule::rolling_update_stateful_set},
    {"replication-controller-labels", DefaultRule::replication_controller_labels},
    {"autoscaler-metrics", DefaultRule::autoscaler_metrics},
    {"autoscaler-behavior", DefaultRule::autoscaler_behavior},
    {"endpoint-port-name", DefaultRule::endpoint_port_name},
    {"policy-types", DefaultRule::policy_types},
    {"device-request", DefaultRule::device_request},
    {"role-ref-group", DefaultRule::role_ref_group},
    {"subject-group", DefaultRule::subject_group},
    {"secret-string-data", DefaultRule::secret_string_data},
    {"template-generation", DefaultRule::template_generation},
};

constexpr std::string_view pod_container_lists[] = {"containers", "initContainers"};

// The object with one member set.
Node with_member(Builder& builder, View object, std::string_view literal_key, const Node& value) {
  std::vector<Node::Member> members;
  members.reserve(object.size() + 1);
  bool replaced = false;
  const Node& node = object.node();
  for (std::size_t i = 0; i < object.size(); ++i) {
    Node::Member member = node.members[i];
    if (std::string_view(member.key.text, member.key.size) == literal_key) {
      member.value = value;
      replaced = true;
    }
    members.push_back(member);
  }
  if (!replaced) members.push_back({Builder::literal(literal_key), value});
  return builder.object(members);
}

bool lacks_any(View from, View in) {
  for (MemberView entry : from.members()) {
    if (!in[entry.key]) return true;
  }
  return false;
}

// The members of `in`, and those of `from` that it lacks.
Node joined(Builder& builder, View in, View from) {
  std::vector<Node::Member> members;
  for (std::size_t i = 0; i < in.size(); ++i) members.push_back(in.node().members[i]);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Node::Member& member = from.node().members[i];
    if (!in[{member.key.text, member.key.size}]) members.push_back(member);
  }
  return builder.object(members);
}

// What no registry could hold: too long, or with letters that no name has.
bool may_be_image(std::string_view image) {
  constexpr std::size_t bytes_max = 255;
  if (image.empty() || image.size() > bytes_max) return false;
  const std::size_t slash = image.rfind('/');
  const std::size_t name = slash == std::string_view::npos ? 0 : slash + 1;
  const std::size_t tag = std::min(image.find_first_of(":@", name), image.size());
  for (std::size_t i = 0; i < image.size(); ++i) {
    const char c = image[i];
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper && i >= name && i < tag) return false;
    const bool is_letter = is_upper || (c >= 'a' && c <= 'z') || is_digit(c);
    if (!is_letter && std::string_view("._/:@+-").find(c) == std::string_view::npos) return false;
  }
  return image[name] != '-' && image[name] != '.' && image[name] != '_';
}

// A tag `latest`, or neither tag nor digest, is pulled every time.
std::string_view pull_policy(std::string_view image) {
  if (!may_be_image(image) || image.find('@') != std::string_view::npos) return "IfNotPresent";
  const std::size_t slash = image.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return "Always";
  return name.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

bool lacks_requests(View spec) {
  for (const std::string_view list : pod_container_lists) {
    for (View container : spec[list].elements()) {
      const View resources = container["resources"];
      if (lacks_any(resources["limits"], resources["requests"])) return true;
    }
  }
  return false;
}

void fill_requests(View spec, RuleEdits& edits) {
  for (const std::string_view list : pod_container_lists) {
    const View containers = spec[list];
    if (!containers.is_array()) continue;
    std::vector<Node> filled;
    for (View container : containers.elements()) {
      const View resources = container["resources"];
      const View limits = resources["limits"];
      const View requests = resources["requests"];
      if (!lacks_any(limits, requests)) {
        filled.push_back(container.node());
        continue;
      }
      const Node all = joined(edits.builder, requests, limits);
      const Node with_requests = with_member(edits.builder, resources, "requests", all);
      filled.push_back(with_member(edits.builder, container, "resources", with_requests));
    }
    edits.set(list, edits.builder.array(filled));
  }
}

bool lacks_host_ports(View spec) {
  if (!spec["hostNetwork"].boolean_or(false)) return false;
  for (const std::string_view list : pod_container_lists) {
    for (View container : spec[list].elements()) {
      for (View port : container["ports"].elements()) {
        if (port["hostPort"].integer_or(0) == 0) return true;
      }
    }
  }
  return false;
}

void fill_host_ports(View spec, RuleEdits& edits) {
  for (const std::string_view list : pod_container_lists) {
    if (!spec[list].is_array()) continue;
    std::vector<Node> filled;
    for (View container : spec[list].elements()) {
      if (!container["ports"].is_array()) {
        filled.push_back(container.node());
        continue;
      }
      std::vector<Node> ports;
      for (View port : container["ports"].elements()) {
        const bool lacks = port["hostPort"].integer_or(0) == 0 && port["containerPort"];
        ports.push_back(
            lacks ? with_member(edits.builder, port, "hostPort", port["containerPort"].node())
                  : port.node());
      }
      filled.push_back(with_member(edits.builder, container, "ports", edits.builder.array(ports)));
    }
    edits.set(list, edits.builder.array(filled));
  }
}

bool same_amount(View a, View b) {
  const auto left = Quantity::parse_field(a.string_or(""));
  const auto right = Quantity::parse_field(b.string_or(""));
  return left && right && *left == *right;
}

}  // namespace

std::string_view quality_of_service(View spec) {
  bool any = false;
  bool guaranteed = true;
  for (const std::string_view list : pod_container_lists) {
    for (View container : spec[list].elements()) {
      for (const std::string_view resource : {"cpu", "memory"}) {
        const View limit = container["resources"]["limits"][resource];
        const View request = container["resources"]["requests"][resource];
        any = any || limit || request;
        guaranteed = guaranteed && limit && (!request || same_amount(limit, request));
      }
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

namespace {

void fill_pod_status(View pod, RuleEdits& edits) {
  View status = pod["status"];
  Node node = status ? status.node() : edits.builder.object({});
  if (!View(&node)["phase"]) {
    node = with_member(edits.builder, View(&node), "phase", Builder::literal("Pending"));
  }
  if (!View(&node)["qosClass"]) {
    node = with_member(edits.builder, View(&node), "qosClass",
                       Builder::literal(quality_of_service(pod["spec"])));
  }
  edits.set("status", node);
}

void fill_limit_range_item(View item, RuleEdits& edits) {
  const Node defaults = joined(edits.builder, item["default"], item["max"]);
  const Node from_defaults = joined(edits.builder, item["defaultRequest"], View(&defaults));
  const Node requests = joined(edits.builder, View(&from_defaults), item["min"]);
  if (defaults.size > 0) edits.set("default", defaults);
  if (requests.size > 0) edits.set("defaultRequest", requests);
}

void fill_session_affinity(View spec, RuleEdits& edits) {
  constexpr std::int64_t client_ip_timeout_s = 10'800;
  if (!spec["sessionAffinity"]) edits.set("sessionAffinity", Builder::literal("None"));
  if (spec["sessionAffinity"].string_or("") != "ClientIP") return;
  const Node timeout = with_member(edits.builder, spec["sessionAffinityConfig"]["clientIP"],
                                   "timeoutSeconds", Builder::integer(client_ip_timeout_s));
  edits.set("sessionAffinityConfig",
            with_member(edits.builder, spec["sessionAffinityConfig"], "clientIP", timeout));
}

void fill_traffic_policy(View spec, RuleEdits& edits) {
  const std::string_view type = spec["type"].string_or("ClusterIP");
  const bool is_external = type == "NodePort" || type == "LoadBalancer";
  if (!is_external && type != "ClusterIP") return;
  if (is_external && !spec["externalTrafficPolicy"]) {
    edits.set("externalTrafficPolicy", Builder::literal("Cluster"));
  }
  if (!spec["internalTrafficPolicy"]) {
    edits.set("internalTrafficPolicy", Builder::literal("Cluster"));
  }
  if (type == "LoadBalancer" && !spec["allocateLoadBalancerNodePorts"]) {
    edits.set("allocateLoadBalancerNodePorts", Builder::boolean(true));
  }
}

void fill_service_account(View spec, RuleEdits& edits) {
  const View name = spec["serviceAccountName"];
  const View alias = spec["serviceAccount"];
  if (name) {
    edits.set("serviceAccount", name.node());
  } else {
    edits.set("serviceAccountName", alias.node());
  }
}

void fill_namespace_label(View object, RuleEdits& edits) {
  constexpr std::string_view label = "kubernetes.io/metadata.name";
  const View metadata = object["metadata"];
  const Node labels =
      with_member(edits.builder, metadata["labels"], label, metadata["name"].node());
  edits.set("metadata", with_member(edits.builder, metadata, "labels", labels));
}

// The names of a CustomResourceDefinition that follow from its kind.
void fill_definition_names(View names, RuleEdits& edits) {
  const std::string kind(names["kind"].string_or(""));
  if (names["singular"].string_or("").empty()) {
    std::string singular = kind;
    for (char& c : singular) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    edits.set("singular", edits.builder.text(singular));
  }
  if (names["listKind"].string_or("").empty()) {
    edits.set("listKind", edits.builder.text(kind + "List"));
  }
}

}  // namespace

DefaultRule default_rule_of(std::string_view name) {
  for (const NamedRule& entry : rules) {
    if (entry.name == name) return entry.rule;
  }
  return DefaultRule::none;
}

bool is_field_rule(DefaultRule rule) {
  return rule <= DefaultRule::pod_status;
}

bool is_rule_of_absence(DefaultRule rule) {
  switch (rule) {
    case DefaultRule::image_pull_policy:
    case DefaultRule::image_volume_pull_policy:
    case DefaultRule::allocatable_from_capacity:
    case DefaultRule::job_completions:
    case DefaultRule::job_backoff_limit:
    case DefaultRule::job_pod_replacement_policy:
      return true;
    default:
      return false;
  }
}

bool rule_applies(DefaultRule rule, View object) {
  switch (rule) {
    case DefaultRule::none:
      return false;
    case DefaultRule::image_pull_policy:
      return !object["imagePullPolicy"];
    case DefaultRule::image_volume_pull_policy:
      return !object["pullPolicy"];
    case DefaultRule::service_port_target_port: {
      const View target = object["targetPort"];
      return object["port"] && (!target || target.integer_or(1) == 0 || target.string() == "");
    }
    case DefaultRule::service_account_alias:
      return object["serviceAccountName"].string_or("") != object["serviceAccount"].string_or("");
    case DefaultRule::allocatable_from_capacity:
      return object["capacity"] && !object["allocatable"];
    case DefaultRule::job_completions:
      return !object["completions"] && !object["parallelism"];
    case DefaultRule::job_backoff_limit:
      return !object["backoffLimit"];
    case DefaultRule::job_pod_replacement_policy:
      return !object["podReplacementPolicy"];
    case DefaultRule::pod_status:
      return !object["status"]["phase"] || !object["status"]["qosClass"];
    case DefaultRule::requests_from_limits:
      return lacks_requests(object);
    case DefaultRule::pod_enable_service_links:
      return !object["enableServiceLinks"];
    case DefaultRule::pod_host_network_ports:
      return lacks_host_ports(object);
    case DefaultRule::volume_empty_dir:
      return object.size() == (object["name"] ? 1u : 0u);
    case DefaultRule::limit_range_item:
      return object["type"].string_or("") == "Container";
    case DefaultRule::service_session_affinity:
      return !object["sessionAffinity"] ||
             (object["sessionAffinity"].string_or("") == "ClientIP" &&
              !object["sessionAffinityConfig"]["clientIP"]["timeoutSeconds"]);
    case DefaultRule::service_traffic_policy:
      return true;
    case DefaultRule::namespace_name_label: {
      const View name = object["metadata"]["name"];
      return name.is_string() &&
             !(object["metadata"]["labels"]["kubernetes.io/metadata.name"] == name);
    }
    case DefaultRule::definition_names:
      return !object["kind"].string_or("").empty() &&
             (object["singular"].string_or("").empty() || object["listKind"].string_or("").empty());
    default:
      return kind_rule_applies(rule, object);
  }
}

void apply_rule(DefaultRule rule, View object, RuleEdits& edits) {
  switch (rule) {
    case DefaultRule::none:
      return;
    case DefaultRule::image_pull_policy:
      return edits.set("imagePullPolicy",
                       Builder::literal(pull_policy(object["image"].string_or(""))));
    case DefaultRule::image_volume_pull_policy:
      return edits.set("pullPolicy",
                       Builder::literal(pull_policy(object["reference"].string_or(""))));
    case DefaultRule::service_port_target_port:
      return edits.set("targetPort", object["port"].node());
    case DefaultRule::service_account_alias:
      return fill_service_account(object, edits);
    case DefaultRule::allocatable_from_capacity:
      return edits.set("allocatable", object["capacity"].node());
    case DefaultRule::job_completions:
      return edits.set("completions", Builder::integer(1));
    case DefaultRule::job_backoff_limit: {
      constexpr std::int64_t usual = 6;
      const bool per_index = !object["backoffLimitPerIndex"].is_absent();
      return edits.set(
          "backoffLimit",
          Builder::integer(per_index ? std::numeric_limits<std::int32_t>::max() : usual));
    }
    case DefaultRule::job_pod_replacement_policy:
      return edits.set(
          "podReplacementPolicy",
          Builder::literal(object["podFailurePolicy"] ? "Failed" : "TerminatingOrFailed"));
    case DefaultRule::pod_status:
      return fill_pod_status(object, edits);
    case DefaultRule::requests_from_limits:
      return fill_requests(object, edits);
    case DefaultRule::pod_enable_service_links:
      return edits.set("enableServiceLinks", Builder::boolean(true));
    case DefaultRule::pod_host_network_ports:
      return fill_host_ports(object, edits);
    case DefaultRule::volume_empty_dir:
      return edits.set("emptyDir", edits.builder.object({}));
    case DefaultRule::limit_range_item:
      return fill_limit_range_item(object, edits);
    case DefaultRule::service_session_affinity:
      return fill_session_affinity(object, edits);
    case DefaultRule::service_traffic_policy:
      return fill_traffic_policy(object, edits);
    case DefaultRule::namespace_name_label:
      return fill_namespace_label(object, edits);
    case DefaultRule::definition_names:
      return fill_definition_names(object, edits);
    default:
      return apply_kind_rule(rule, object, edits);
  }
}

}  // namespace muster::objects
