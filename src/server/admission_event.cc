// Events: what the core group has always asked of them, and what events.k8s.io asks besides. Fields
// are called as the peer calls them, which is mostly the core group's way in both groups.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/metadata.h"
#include "objects/schema/formats.h"
#include "server/admission.h"

namespace muster::server {

using objects::FieldError;
using objects::FieldErrors;
using objects::MemberOrder;
using objects::Value;
using objects::View;

namespace {

constexpr std::size_t short_bytes_max = 128;  // reportingInstance, action, reason
constexpr std::size_t message_bytes_max = 1024;
constexpr std::int64_t series_count_min = 2;

std::string_view text_at(View event, std::string_view field) {
  return event[field].string_or("");
}

// Of a field whose value the peer does not show.
FieldError unshown(std::string path, std::string detail) {
  return FieldError::invalid(std::move(path), Value::string(""), std::move(detail));
}

void check_length(FieldErrors& errors, View event, std::string_view field, std::size_t bytes_max) {
  if (text_at(event, field).size() <= bytes_max) return;
  errors.add(unshown(std::string(field), fmt::format("can have at most {} characters", bytes_max)));
}

void check_short(FieldErrors& errors, View event, std::string_view field) {
  if (text_at(event, field).empty()) errors.add(FieldError::required(std::string(field)));
  check_length(errors, event, field, short_bytes_max);
}

void refuse_other_namespace(FieldErrors& errors, std::string_view name_space) {
  errors.add(FieldError::invalid("involvedObject.namespace", Value::string(std::string(name_space)),
                                 "does not match event.namespace"));
}

// An event without a time of its own is one of the old kind.
void check_old(FieldErrors& errors, View event) {
  const std::string_view own = objects::namespace_of(event);
  const std::string_view other = text_at(event["involvedObject"], "namespace");
  const bool agrees = other.empty() ? own.empty() || own == "default" : own == other;
  if (!agrees) refuse_other_namespace(errors, other);
}

void check_new(FieldErrors& errors, View event, std::string_view controller_field) {
  const std::string_view own = objects::namespace_of(event);
  const std::string_view other = text_at(event["involvedObject"], "namespace");
  if (other.empty() && own != "default" && own != "kube-system") {
    refuse_other_namespace(errors, other);
  }
  const std::string_view controller = text_at(event, "reportingComponent");
  const std::string path(controller_field);
  if (controller.empty()) errors.add(FieldError::required(path));
  for (std::string& why : objects::qualified_name_violations(controller)) {
    errors.add(FieldError::invalid(path, Value::string(std::string(controller)), std::move(why)));
  }
  for (const std::string_view field : {"reportingInstance", "action", "reason"}) {
    check_short(errors, event, field);
  }
  check_length(errors, event, "message", message_bytes_max);
}

void check_series(FieldErrors& errors, View series) {
  if (!series.is_object()) return;
  if (series["count"].integer_or(0) < series_count_min) {
    errors.add(unshown("series.count", "should be at least 2"));
  }
  if (!series["lastObservedTime"].is_string()) {
    errors.add(FieldError::required("series.lastObservedTime"));
  }
}

void check_strictly(FieldErrors& errors, View event) {
  check_series(errors, event["series"]);
  if (!event["eventTime"].is_string()) errors.add(FieldError::required("eventTime"));
  const std::string_view type = text_at(event, "type");
  if (type != "Normal" && type != "Warning") {
    errors.add(unshown("type", fmt::format("has invalid value: {}", type)));
  }
  const auto refuse = [&](bool is_set, std::string_view field) {
    if (is_set) errors.add(unshown(std::string(field), "needs to be unset"));
  };
  refuse(event["firstTimestamp"].is_string(), "firstTimestamp");
  refuse(event["lastTimestamp"].is_string(), "lastTimestamp");
  refuse(event["count"].integer_or(0) != 0, "count");
  const View source = event["source"];
  refuse(!text_at(source, "component").empty() || !text_at(source, "host").empty(), "source");
}

// A struct as the peer's program prints it: by the names of its Go fields, all of them.
struct GoMember {
  std::string_view json;
  std::string_view go;
};

std::string go_struct(View value, std::initializer_list<GoMember> members) {
  if (!value.is_object()) return "null";
  std::string out = "{";
  for (const GoMember& member : members) {
    if (out.size() > 1) out += ',';
    out += fmt::format("\"{}\":{}", member.go,
                       objects::go_json(Value::string(std::string(text_at(value, member.json))),
                                        MemberOrder::as_is));
  }
  return out + "}";
}

std::string printed(std::string_view field, View value) {
  if (field == "involvedObject" || field == "related") {
    return go_struct(value, {{"kind", "Kind"},
                             {"namespace", "Namespace"},
                             {"name", "Name"},
                             {"uid", "UID"},
                             {"apiVersion", "APIVersion"},
                             {"resourceVersion", "ResourceVersion"},
                             {"fieldPath", "FieldPath"}});
  }
  if (field == "source") return go_struct(value, {{"component", "Component"}, {"host", "Host"}});
  if (field == "count") return fmt::format("{}", value.integer_or(0));
  const bool is_time = field.ends_with("Time") || field.ends_with("Timestamp");
  if (is_time && !value.is_string()) return "null";
  return objects::go_quoted(value.string_or(""));
}

void check_unchanged(FieldErrors& errors, View now, View before) {
  // In the peer's order; it asks for the reason twice.
  constexpr std::pair<std::string_view, std::string_view> fields[] = {
      {"involvedObject", "involvedObject"},
      {"reason", "reason"},
      {"message", "message"},
      {"source", "source"},
      {"firstTimestamp", "firstTimestamp"},
      {"lastTimestamp", "lastTimestamp"},
      {"count", "count"},
      {"reason", "reason"},
      {"type", "type"},
      {"eventTime", "eventTime"},
      {"action", "action"},
      {"related", "related"},
      {"reportingComponent", "reportingController"},
      {"reportingInstance", "reportingInstance"},
  };
  for (const auto& [field, shown] : fields) {
    const std::string value = printed(field, now[field]);
    if (value == printed(field, before[field])) continue;
    errors.add({.type = FieldError::Type::invalid,
                .path = std::string(shown),
                .value = value,
                .detail = "field is immutable"});
  }
}

}  // namespace

Outcome<> admit_event(Admission& admission) {
  const bool is_core = admission.target.kind->stored_as == nullptr;
  const View event = admission.object;
  FieldErrors& errors = admission.errors;
  if (event["eventTime"].is_string()) {
    check_new(errors, event, is_core ? "reportingComponent" : "reportingController");
  } else {
    check_old(errors, event);
  }
  if (is_core) return {};
  if (admission.is_create()) {
    check_strictly(errors, event);
    return {};
  }
  const View before = admission.old_object;
  if (!(event["series"] == before["series"])) check_series(errors, event["series"]);
  check_unchanged(errors, event, before);
  return {};
}

}  // namespace muster::server
