// UpdateRule: what of a native field may change on update, by the names that x-muster-update-rule
// gives them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "objects/value.h"

namespace muster::objects {

enum class UpdateRule : std::uint8_t {
  none,
  job_completions,  // of an Indexed job, together with parallelism
  job_template,     // where its pods go and what they ask, while the job is suspended
};

UpdateRule update_rule_of(std::string_view name);

// Whether the change from old_value to value is allowed. The objects are those around the field,
// and the roots above them.
struct UpdateScope {
  View object;
  View old_object;
  View root;
  View old_root;
};
bool update_allowed(UpdateRule rule, View value, View old_value, const UpdateScope& scope);

// Which part of the value is refused, and the sentence that follows it: most say `field is
// immutable` of the whole.
struct UpdateRefusal {
  std::string_view member;
  std::string_view sentence;
};
UpdateRefusal update_refusal(UpdateRule rule, const UpdateScope& scope);

}  // namespace muster::objects
