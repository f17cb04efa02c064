// Readers of what every object has: its metadata and its conditions; and the one writer of a
// condition. Reading never fails: what is absent reads as empty.
//
//   if (is_true(condition(workload, "Admitted"))) …
//   Value next = with_condition(workload, {.type = "Evicted", .status = "True", …}, now);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::objects {

inline std::string_view name_of(View object) {
  return object["metadata"]["name"].string_or("");
}
inline std::string_view namespace_of(View object) {
  return object["metadata"]["namespace"].string_or("");
}
inline std::string_view uid_of(View object) {
  return object["metadata"]["uid"].string_or("");
}
inline std::string_view resource_version_of(View object) {
  return object["metadata"]["resourceVersion"].string_or("");
}
inline View labels_of(View object) {
  return object["metadata"]["labels"];
}
inline View annotations_of(View object) {
  return object["metadata"]["annotations"];
}
inline std::int64_t generation_of(View object) {
  return object["metadata"]["generation"].integer_or(0);
}
inline bool is_being_deleted(View object) {
  return object["metadata"]["deletionTimestamp"].is_string();
}
ObjectKey key_of(View object);

// The owner reference with `controller: true`; absent when there is none.
View controller_of(View object);
bool has_finalizer(View object, std::string_view finalizer);

// The instant, or nothing when the view is no timestamp.
std::optional<Instant> instant_of(View timestamp);

// The condition of that type in status.conditions; absent when there is none.
View condition(View object, std::string_view type);
inline bool is_true(View condition) {
  return condition["status"].string_or("") == "True";
}
inline bool is_false(View condition) {
  return condition["status"].string_or("") == "False";
}

struct Condition {
  std::string type;
  std::string status;  // "True", "False", "Unknown"
  std::string reason;
  std::string message;
  std::int64_t observed_generation = 0;  // 0: not written
};

// The object with the condition set. lastTransitionTime changes only with the status; an object
// whose condition already says all this is returned as it is.
Value with_condition(const Value& object, const Condition& condition, Instant now);

}  // namespace muster::objects
