// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "base/quantity.h"
#include "objects/schema/checks.h"

namespace muster::objects {

namespace {

void check_reference(CheckScope& scope, const std::string& place, View reference) {
  for (const std::string_view key : {"kind", "name"}) {
    const std::string_view text = reference[key].string_or("");
    const std::string at = fmt::format("{}.{}", place, key);
    if (text.empty()) {
      scope.required(at);
    } else {
      scope.format(at, text, Format::path_segment);
    }
  }
  const std::string_view api_version = reference["apiVersion"].string_or("");
  if (api_version.find('/') == std::string_view::npos && api_version != "v1") {
    scope.invalid(place + ".apiVersion", api_version, "apiVersion must specify API group");
  }
}

void check_target(CheckScope& scope, const std::string& place, View target) {
  const std::string_view type = target["type"].string_or("");
  if (type.empty()) scope.required(place + ".type", "must specify a metric target type");
  if (type != "Utilization" && type != "Value" && type != "AverageValue") {
    scope.invalid(place + ".type", type, "must be either Utilization, Value, or AverageValue");
  }
  for (const std::string_view key : {"value", "averageValue"}) {
    const View amount = target[key];
    const auto parsed = Quantity::parse_field(amount.string_or(""));
    if (amount && parsed && parsed->sign() != 1) {
      scope.invalid(fmt::format("{}.{}", place, key), amount, "must be positive");
    }
  }
  if (target["averageUtilization"].integer_or(1) < 1) {
    scope.invalid(place + ".averageUtilization", target["averageUtilization"],
                  "must be greater than 0");
  }
}

void check_identifier(CheckScope& scope, const std::string& place, View metric) {
  const std::string_view name = metric["name"].string_or("");
  if (name.empty()) return scope.required(place + ".name", "must specify a metric name");
  scope.format(place + ".name", name, Format::path_segment);
}

void check_resource_target(CheckScope& scope, const std::string& place, View target) {
  check_target(scope, place, target);
  if (!target["averageUtilization"] && !target["averageValue"]) {
    scope.required(place + ".averageUtilization",
                   "must set either a target raw value or a target utilization");
  }
  if (target["averageUtilization"] && target["averageValue"]) {
    scope.forbidden(place + ".averageValue",
                    "may not set both a target raw value and a target utilization");
  }
}

void check_source(CheckScope& scope, const std::string& place, std::string_view kind, View source) {
  const View target = source["target"];
  const std::string at = place + ".target";
  if (kind == "resource" || kind == "containerResource") {
    if (source["name"].string_or("").empty()) {
      scope.required(place + ".name", "must specify a resource name");
    }
    if (kind == "containerResource" && source["container"].string_or("").empty()) {
      scope.required(place + ".container", "must specify a container");
    }
    return check_resource_target(scope, at, target);
  }
  if (kind == "object")
    check_reference(scope, place + ".describedObject", source["describedObject"]);
  check_identifier(scope, place + ".metric", source["metric"]);
  check_target(scope, at, target);
  if (kind == "pods") {
    if (target["averageValue"]) return;
    return scope.required(at + ".averageValue", "must specify a positive target averageValue");
  }
  if (!target["value"] && !target["averageValue"]) {
    scope.required(at + ".averageValue",
                   kind == "object"
                       ? "must set either a target value or averageValue"
                       : "must set either a target value for metric or a per-pod target");
  }
  if (kind == "external" && target["value"] && target["averageValue"]) {
    scope.forbidden(at + ".value",
                    "may not set both a target value for metric and a per-pod target");
  }
}

struct Source {
  std::string_view type;
  std::string_view field;
};
constexpr Source sources[] = {{"Object", "object"},
                              {"External", "external"},
                              {"Pods", "pods"},
                              {"Resource", "resource"},
                              {"ContainerResource", "containerResource"}};

void check_metric(CheckScope& scope) {
  const std::string_view type = scope.text("type");
  if (type.empty()) scope.required(".type", "must specify a metric source type");
  const Source* named = nullptr;
  std::size_t present = 0;
  for (const Source& source : sources) {
    if (source.type == type) named = &source;
    if (!scope[source.field]) continue;
    if (++present == 1) {
      check_source(scope, fmt::format(".{}", source.field), source.field, scope[source.field]);
    }
  }
  if (named == nullptr) {
    scope.not_supported(".type", type,
                        {"ContainerResource", "External", "Object", "Pods", "Resource"});
  } else if (!scope[named->field]) {
    scope.required(fmt::format(".{}", named->field),
                   "must populate information for the given metric source");
  }
  if (present == 1) return;
  for (const Source& source : sources) {
    if (!scope[source.field] || &source == named) continue;
    scope.forbidden(fmt::format(".{}", source.field), "must populate the given metric source only");
  }
}

void check_policy(CheckScope& scope, const std::string& place, View policy) {
  constexpr std::int64_t period_s_max = 1'800;
  const std::string_view type = policy["type"].string_or("");
  if (type != "Pods" && type != "Percent") {
    scope.not_supported(place + ".type", type, {"Percent", "Pods"});
  }
  for (const std::string_view key : {"value", "periodSeconds"}) {
    if (policy[key].integer_or(0) > 0) continue;
    scope.invalid_printed(fmt::format("{}.{}", place, key),
                          fmt::format("{}", policy[key].integer_or(0)),
                          "must be greater than zero");
  }
  if (policy["periodSeconds"].integer_or(0) > period_s_max) {
    scope.invalid(place + ".periodSeconds", policy["periodSeconds"],
                  fmt::format("must be less than or equal to {}", period_s_max));
  }
}

void check_rules(CheckScope& scope, std::string_view direction) {
  constexpr std::int64_t window_s_max = 3'600;
  const View rules = scope["behavior"][direction];
  if (!rules) return;
  const std::string place = fmt::format(".behavior.{}", direction);
  const View window = rules["stabilizationWindowSeconds"];
  if (window.integer_or(0) < 0) {
    scope.invalid(place + ".stabilizationWindowSeconds", window,
                  "must be greater than or equal to zero");
  }
  if (window.integer_or(0) > window_s_max) {
    scope.invalid(place + ".stabilizationWindowSeconds", window,
                  fmt::format("must be less than or equal to {}", window_s_max));
  }
  const std::string_view select = rules["selectPolicy"].string_or("Max");
  if (select != "Max" && select != "Min" && select != "Disabled") {
    scope.not_supported(place + ".selectPolicy", select, {"Disabled", "Max", "Min"});
  }
  std::size_t index = 0;
  if (rules["policies"].is_array() && rules["policies"].empty()) {
    scope.required(place + ".policies", "must specify at least one Policy");
  }
  for (View policy : rules["policies"].elements()) {
    check_policy(scope, fmt::format("{}.policies[{}]", place, index++), policy);
  }
}

void check_autoscaler(CheckScope& scope) {
  const auto least = scope["minReplicas"].integer();
  const std::int64_t most = scope["maxReplicas"].integer_or(0);
  if (least && *least < 1) {
    scope.invalid(".minReplicas", scope["minReplicas"], "must be greater than or equal to 1");
  }
  if (most == 0) {
    scope.required(".maxReplicas", "must be set and greater than 0");
  } else if (most < 0) {
    scope.invalid(".maxReplicas", scope["maxReplicas"], "must be greater than or equal to 1");
  }
  if (least && most < *least) {
    scope.invalid_printed(".maxReplicas", fmt::format("{}", most),
                          "must be greater than or equal to `minReplicas`");
  }
  check_reference(scope, ".scaleTargetRef", scope["scaleTargetRef"]);
  bool is_outside = false;
  for (View metric : scope["metrics"].elements()) {
    const std::string_view type = metric["type"].string_or("");
    is_outside = is_outside || type == "Object" || type == "External";
  }
  if (least && *least == 0 && !is_outside) {
    scope.forbidden(".metrics",
                    "must specify at least one Object or External metric to support scaling to "
                    "zero replicas");
  }
  check_rules(scope, "scaleUp");
  check_rules(scope, "scaleDown");
}

constexpr NamedCheck checks[] = {
    {"autoscaler", check_autoscaler},
    {"metric", check_metric},
};

}  // namespace

std::span<const NamedCheck> autoscaler_checks() {
  return checks;
}

}  // namespace muster::objects
