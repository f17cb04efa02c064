// SPDX-License-Identifier: Apache-2.0
#include "server/pod_security.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "objects/metadata.h"
#include "server/limits.h"
#include "server/pod_security_checks.h"

namespace muster::server {

using objects::FieldError;
using objects::FieldErrors;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view label_prefix = "pod-security.kubernetes.io/";

struct NamespacePolicy {
  SecurityPolicy enforce = {};
  SecurityPolicy warn = {};
  FieldErrors errors = {};
};

std::optional<SecurityLevel> parse_level(std::string_view text) {
  if (text == "privileged") return SecurityLevel::privileged;
  if (text == "baseline") return SecurityLevel::baseline;
  if (text == "restricted") return SecurityLevel::restricted;
  return std::nullopt;
}

// `latest` or `v1.30`.
std::optional<int> parse_version(std::string_view text) {
  if (text == "latest") return latest_security_version;
  if (!text.starts_with("v1.")) return std::nullopt;
  text.remove_prefix(3);
  const bool has_zero_first = text.size() > 1 && text.front() == '0';
  int minor = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), minor);
  const bool is_whole = fault == std::errc() && end == text.data() + text.size();
  if (text.empty() || has_zero_first || !is_whole || minor < 0) return std::nullopt;
  return std::min(minor, latest_security_version - 1);
}

class LabelReader {
 public:
  explicit LabelReader(View labels) : labels_(labels) {}

  // False where the label says no level: then `otherwise` holds.
  bool level(std::string_view mode, SecurityLevel otherwise, SecurityLevel& out) {
    const std::string key = fmt::format("{}{}", label_prefix, mode);
    const View label = labels_[key];
    if (!label.is_string()) return false;
    const auto parsed = parse_level(label.string_or(""));
    if (!parsed) add_error(key, label, "must be one of privileged, baseline, restricted");
    out = parsed.value_or(otherwise);
    return parsed.has_value();
  }

  bool version(std::string_view mode, int& out) {
    const std::string key = fmt::format("{}{}-version", label_prefix, mode);
    const View label = labels_[key];
    if (!label.is_string()) return false;
    const auto parsed = parse_version(label.string_or(""));
    if (!parsed) add_error(key, label, R"(must be "latest" or "v1.x")");
    out = parsed.value_or(latest_security_version);
    return true;
  }

  FieldErrors take_errors() { return std::move(errors_); }

 private:
  void add_error(const std::string& key, View label, std::string why) {
    errors_.add(
        FieldError::invalid(fmt::format("metadata.labels[{}]", key), label, std::move(why)));
  }

  View labels_;
  FieldErrors errors_;
};

NamespacePolicy policy_of(View labels) {
  NamespacePolicy policy;
  LabelReader reader(labels);
  // Who misspells a level means to restrict.
  const bool enforces = reader.level("enforce", SecurityLevel::restricted, policy.enforce.level);
  reader.version("enforce", policy.enforce.minor);
  SecurityPolicy audit;
  reader.level("audit", SecurityLevel::privileged, audit.level);
  reader.version("audit", audit.minor);
  const bool says_warn = labels[fmt::format("{}warn", label_prefix)].is_string();
  reader.level("warn", SecurityLevel::privileged, policy.warn.level);
  const bool says_warn_version = reader.version("warn", policy.warn.minor);
  if (!says_warn && enforces && policy.enforce.level > policy.warn.level) {
    policy.warn.level = policy.enforce.level;
    if (!says_warn_version) policy.warn.minor = policy.enforce.minor;
  }
  policy.errors = reader.take_errors();
  return policy;
}

// Of the namespace that is there; nothing where it says nothing.
std::optional<NamespacePolicy> policy_of_namespace(Context& context, std::string_view name) {
  const auto kind = context.registry.find_resource("", "namespaces");
  const CachedObject* found = context.cache.find(*kind, "", name);
  if (found == nullptr) return std::nullopt;
  const bool says = std::ranges::any_of(
      found->labels, [](const auto& label) { return label.first.starts_with(label_prefix); });
  if (!says) return std::nullopt;
  return policy_of(context.trees.tree_of(found->bytes)["metadata"]["labels"]);
}

bool same_images(View now, View before) {
  if (now.size() != before.size()) return false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (!(now[i]["image"] == before[i]["image"])) return false;
  }
  return true;
}

bool same_ephemeral_images(View now, View before) {
  for (View container : now.elements()) {
    bool known = false;
    for (View old : before.elements()) {
      known = known || (old["name"] == container["name"] && old["image"] == container["image"]);
    }
    if (!known) return false;
  }
  return true;
}

bool is_significant_update(View now, View before) {
  return !same_images(now["containers"], before["containers"]) ||
         !same_images(now["initContainers"], before["initContainers"]) ||
         !same_ephemeral_images(now["ephemeralContainers"], before["ephemeralContainers"]);
}

void warn(const NamespacePolicy& policy, View metadata, View spec, Admission& admission) {
  const auto violations = violations_of(policy.warn, metadata, spec);
  if (violations.empty()) return;
  admission.warnings.push_back(fmt::format("would violate PodSecurity \"{}\": {}",
                                           policy.warn.to_string(), details_of(violations)));
}

bool is_ignored_subresource(std::string_view subresource) {
  for (const std::string_view ignored :
       {"exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"}) {
    if (subresource == ignored) return true;
  }
  return false;
}

Outcome<> check_pod(Context& context, Admission& admission) {
  if (is_ignored_subresource(admission.target.subresource)) return {};
  const auto policy = policy_of_namespace(context, admission.target.name_space);
  if (!policy) return {};
  const View pod = admission.object;
  const bool is_update = admission.operation == Operation::update;
  if (is_update && !is_significant_update(pod["spec"], admission.old_object["spec"])) return {};
  const auto violations = violations_of(policy->enforce, pod["metadata"], pod["spec"]);
  if (!violations.empty()) {
    return forbidden(admission.target,
                     fmt::format("violates PodSecurity \"{}\": {}", policy->enforce.to_string(),
                                 details_of(violations)));
  }
  warn(*policy, pod["metadata"], pod["spec"], admission);
  return {};
}

// The template of what makes pods; absent for everything else.
View template_in(const Target& target, View object) {
  if (target.is("", "podtemplates")) return object["template"];
  if (target.is("batch", "cronjobs")) return object["spec"]["jobTemplate"]["spec"]["template"];
  const bool makes_pods = target.is("", "replicationcontrollers") || target.is("batch", "jobs") ||
                          target.is("apps", "deployments") || target.is("apps", "replicasets") ||
                          target.is("apps", "statefulsets") || target.is("apps", "daemonsets");
  return makes_pods ? object["spec"]["template"] : View();
}

void check_template(Context& context, Admission& admission) {
  if (!admission.target.subresource.empty()) return;
  const View pod_template = template_in(admission.target, admission.object);
  if (!pod_template.is_object()) return;
  const auto policy = policy_of_namespace(context, admission.target.name_space);
  if (policy) warn(*policy, pod_template["metadata"], pod_template["spec"], admission);
}

// Those without a controller and one of each controller first, then the others.
std::vector<Value> pods_to_check(Context& context, std::string_view name_space) {
  std::vector<Value> first;
  std::vector<Value> others;
  std::set<std::string, std::less<>> controllers;
  const auto pods = context.registry.find_resource("", "pods");
  for (const auto& [key, cached] : context.cache.all_in(*pods, name_space)) {
    Value pod = context.trees.tree_of(cached.bytes);
    std::string_view controller;
    for (View owner : pod["metadata"]["ownerReferences"].elements()) {
      if (owner["controller"].boolean_or(false)) controller = owner["uid"].string_or("");
    }
    const bool is_new = controller.empty() || controllers.emplace(controller).second;
    (is_new ? first : others).push_back(std::move(pod));
  }
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

struct Violators {
  std::string name;  // the first by name
  std::size_t count = 0;
};

void warn_of_pods(Context& context, const SecurityPolicy& enforce, Admission& admission) {
  const std::string& name_space = admission.target.name;
  std::vector<Value> pods = pods_to_check(context, name_space);
  const std::size_t total = pods.size();
  if (total > pod_security_pods_max) pods.resize(pod_security_pods_max);
  std::map<std::string, Violators> found;  // by what they violate
  for (const Value& pod : pods) {
    const auto violations = violations_of(enforce, pod["metadata"], pod["spec"]);
    if (violations.empty()) continue;
    Violators& same = found[reasons_of(violations)];
    const std::string_view name = objects::name_of(pod);
    if (same.count == 0 || name < same.name) same.name = name;
    ++same.count;
  }
  if (pods.size() < total) {
    admission.warnings.push_back(
        fmt::format("new PodSecurity enforce level only checked against the first {} of {} "
                    "existing pods",
                    pods.size(), total));
  }
  if (found.empty()) return;
  admission.warnings.push_back(
      fmt::format("existing pods in namespace \"{}\" violate the new PodSecurity enforce level "
                  "\"{}\"",
                  name_space, enforce.to_string()));
  std::vector<std::string> lines;
  for (const auto& [reasons, same] : found) {
    const std::string others = same.count == 1 ? ""
                               : same.count == 2
                                   ? " (and 1 other pod)"
                                   : fmt::format(" (and {} other pods)", same.count - 1);
    lines.push_back(fmt::format("{}{}: {}", same.name, others, reasons));
  }
  std::ranges::sort(lines);
  for (std::string& line : lines) admission.warnings.push_back(std::move(line));
}

Outcome<> check_namespace_labels(Context& context, Admission& admission) {
  if (!admission.target.subresource.empty()) return {};
  const NamespacePolicy now = policy_of(admission.object["metadata"]["labels"]);
  if (admission.operation == Operation::create) {
    if (!now.errors.empty()) return invalid(admission.target, now.errors);
    return {};
  }
  const NamespacePolicy before = policy_of(admission.old_object["metadata"]["labels"]);
  if (!now.errors.empty() && now.errors.to_string() != before.errors.to_string()) {
    return invalid(admission.target, now.errors);
  }
  const bool is_laxer =
      now.enforce.minor == before.enforce.minor && now.enforce.level <= before.enforce.level;
  if (now.enforce.level == SecurityLevel::privileged || is_laxer) return {};
  warn_of_pods(context, now.enforce, admission);
  return {};
}

}  // namespace

Outcome<> check_pod_security(Context& context, Admission& admission) {
  const Target& target = admission.target;
  const bool writes =
      admission.operation == Operation::create || admission.operation == Operation::update;
  if (!writes) return {};
  if (target.is("", "namespaces")) return check_namespace_labels(context, admission);
  if (target.is("", "pods")) return check_pod(context, admission);
  check_template(context, admission);
  return {};
}

}  // namespace muster::server
