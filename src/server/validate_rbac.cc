// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "objects/builder.h"
#include "objects/label_selector.h"
#include "objects/rewrite.h"
#include "objects/schema/formats.h"
#include "server/admission.h"
#include "server/role_index.h"

// What roles and bindings must say, in the words of kube-apiserver.

namespace muster::server {

using objects::Builder;
using objects::FieldError;
using objects::FieldErrors;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

Value go_texts(View list) {
  return Value::copy_of(list);
}

void validate_rule(View rule, bool is_namespaced, const std::string& path, FieldErrors& errors) {
  const auto required = [&](std::string_view field, std::string_view why) {
    errors.add(FieldError::required(fmt::format("{}.{}", path, field), std::string(why)));
  };
  if (rule["verbs"].empty()) required("verbs", "verbs must contain at least one value");
  const View urls = rule["nonResourceURLs"];
  if (!urls.empty()) {
    const std::string field = path + ".nonResourceURLs";
    if (is_namespaced) {
      errors.add(FieldError::invalid(field, go_texts(urls),
                                     "namespaced rules cannot apply to non-resource URLs"));
    }
    if (!rule["apiGroups"].empty() || !rule["resources"].empty() ||
        !rule["resourceNames"].empty()) {
      errors.add(FieldError::invalid(
          field, go_texts(urls),
          "rules cannot apply to both regular resources and non-resource URLs"));
    }
    return;
  }
  if (rule["apiGroups"].empty()) {
    required("apiGroups", "resource rules must supply at least one api group");
  }
  if (rule["resources"].empty()) {
    required("resources", "resource rules must supply at least one resource");
  }
}

void validate_aggregation(View aggregation, FieldErrors& errors) {
  if (!aggregation.is_object()) return;
  const View selectors = aggregation["clusterRoleSelectors"];
  if (selectors.empty()) {
    errors.add(FieldError::required(
        "aggregationRule.clusterRoleSelectors",
        "at least one clusterRoleSelector required if aggregationRule is non-nil"));
  }
  std::size_t at = 0;
  for (const View selector : selectors.elements()) {
    const std::string path = fmt::format("aggregationRule.clusterRoleSelectors[{}]", at++);
    if (objects::LabelSelector::of(selector)) continue;
    errors.add(FieldError::invalid(path, Value::null(), "invalid label selector."));
  }
}

void validate_role(View role, bool is_namespaced, FieldErrors& errors) {
  std::size_t at = 0;
  for (const View rule : role["rules"].elements()) {
    validate_rule(rule, is_namespaced, fmt::format("rules[{}]", at++), errors);
  }
  if (!is_namespaced) validate_aggregation(role["aggregationRule"], errors);
}

void not_supported(std::string path, View value, std::vector<std::string> supported,
                   FieldErrors& errors) {
  const Value shown = Value::string(value.string_or(""));
  errors.add(FieldError::not_supported(std::move(path), shown, supported));
}

void validate_reference(View reference, bool is_namespaced, FieldErrors& errors) {
  const std::string group(rbac_group);
  if (reference["apiGroup"].string_or("") != group) {
    not_supported("roleRef.apiGroup", reference["apiGroup"], {group}, errors);
  }
  const std::string_view kind = reference["kind"].string_or("");
  if (kind != "ClusterRole" && (kind != "Role" || !is_namespaced)) {
    std::vector<std::string> kinds = {"ClusterRole"};
    if (is_namespaced) kinds.insert(kinds.begin(), "Role");
    not_supported("roleRef.kind", reference["kind"], kinds, errors);
  }
  const std::string_view name = reference["name"].string_or("");
  if (name.empty()) {
    errors.add(FieldError::required("roleRef.name"));
    return;
  }
  for (std::string& why : objects::native_violations(objects::Format::path_segment, name)) {
    errors.add(FieldError::invalid("roleRef.name", reference["name"], std::move(why)));
  }
}

void validate_service_account(View subject, bool is_namespaced, const std::string& path,
                              FieldErrors& errors) {
  const std::string_view name = subject["name"].string_or("");
  if (!name.empty()) {
    for (std::string& why : objects::dns_subdomain_violations(name)) {
      errors.add(FieldError::invalid(path + ".name", subject["name"], std::move(why)));
    }
  }
  if (!subject["apiGroup"].string_or("").empty()) {
    not_supported(path + ".apiGroup", subject["apiGroup"], {""}, errors);
  }
  if (!is_namespaced && subject["namespace"].string_or("").empty()) {
    errors.add(FieldError::required(path + ".namespace"));
  }
}

void validate_subject(View subject, bool is_namespaced, const std::string& path,
                      FieldErrors& errors) {
  if (subject["name"].string_or("").empty()) errors.add(FieldError::required(path + ".name"));
  const std::string_view kind = subject["kind"].string_or("");
  if (kind == "ServiceAccount") {
    return validate_service_account(subject, is_namespaced, path, errors);
  }
  if (kind != "User" && kind != "Group") {
    return not_supported(path + ".kind", subject["kind"], {"ServiceAccount", "User", "Group"},
                         errors);
  }
  if (subject["apiGroup"].string_or("") != rbac_group) {
    not_supported(path + ".apiGroup", subject["apiGroup"], {std::string(rbac_group)}, errors);
  }
}

bool is_binding(const Admission& admission) {
  return admission.target.kind->kind.ends_with("Binding");
}

Node with_group(Builder& builder, View part) {
  Rewrite rewrite(part);
  if (part["apiGroup"].string_or("").empty()) {
    rewrite.set("apiGroup", Builder::literal(rbac_group));
  }
  return rewrite.finish(builder);
}

}  // namespace

// The group of roles and of people goes without saying.
void default_rbac(Admission& admission) {
  if (!is_binding(admission)) return;
  Builder builder;
  builder.retain(admission.object);
  Rewrite root(admission.object);
  const View reference = admission.object["roleRef"];
  if (reference.is_object() || reference.is_absent()) {
    root.set("roleRef", with_group(builder, reference));
  }
  std::vector<Node> subjects;
  for (const View subject : admission.object["subjects"].elements()) {
    const std::string_view kind = subject["kind"].string_or("");
    subjects.push_back(kind == "User" || kind == "Group" ? with_group(builder, subject)
                                                         : subject.node());
  }
  if (!subjects.empty()) root.set("subjects", builder.array(subjects));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

void validate_rbac(Admission& admission) {
  const bool is_namespaced = admission.target.is_namespaced();
  if (!is_binding(admission)) {
    return validate_role(admission.object, is_namespaced, admission.errors);
  }
  validate_reference(admission.object["roleRef"], is_namespaced, admission.errors);
  std::size_t at = 0;
  for (const View subject : admission.object["subjects"].elements()) {
    validate_subject(subject, is_namespaced, fmt::format("subjects[{}]", at++), admission.errors);
  }
}

}  // namespace muster::server
