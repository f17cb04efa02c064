// SPDX-License-Identifier: Apache-2.0
#include "objects/label_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>

#include "objects/field_error.h"
#include "objects/limits.h"
#include "objects/schema/formats.h"

namespace muster::objects {

namespace {

// As Go's ParseInt(text, 10, 64).
std::optional<std::int64_t> whole_number(std::string_view text) {
  const bool has_plus = text.starts_with('+');
  if (has_plus) text.remove_prefix(1);
  if (has_plus && text.starts_with('-')) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

bool has_one_value(LabelOperator operation) {
  switch (operation) {
    case LabelOperator::equal:
    case LabelOperator::double_equal:
    case LabelOperator::not_equal:
    case LabelOperator::greater:
    case LabelOperator::less:
      return true;
    case LabelOperator::exists:
    case LabelOperator::does_not_exist:
    case LabelOperator::in:
    case LabelOperator::not_in:
      return false;
  }
  return false;
}

std::string invalid(std::string_view path, std::string_view value, std::string_view detail) {
  return fmt::format("{}: Invalid value: {}: {}", path, value, detail);
}

std::string quoted_list(const std::vector<std::string>& values) {
  std::vector<std::string> quoted;
  quoted.reserve(values.size());
  for (const std::string& value : values) quoted.push_back(go_quoted(value));
  return fmt::format("[{}]", fmt::join(quoted, ","));
}

// What is wrong with how many values there are, and whether they are numbers where they must be.
void check_values(LabelRequirement& requirement, std::vector<std::string>& complaints) {
  const auto& values = requirement.values;
  const LabelOperator operation = requirement.operation;
  const bool is_set = operation == LabelOperator::in || operation == LabelOperator::not_in;
  const bool is_order = operation == LabelOperator::greater || operation == LabelOperator::less;
  if (is_set && values.empty()) {
    complaints.push_back(
        invalid("values", "null", "for 'in', 'notin' operators, values set can't be empty"));
  }
  if (!is_set && !has_one_value(operation) && !values.empty()) {
    complaints.push_back(invalid("values", quoted_list(values),
                                 "values set must be empty for exists and does not exist"));
  }
  if (!is_order) return;
  if (values.size() != 1) {
    complaints.push_back(invalid("values", values.empty() ? "null" : quoted_list(values),
                                 "for 'Gt', 'Lt' operators, exactly one value is required"));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::optional<std::int64_t> bound = whole_number(values[i]);
    if (bound.has_value()) {
      requirement.bound = *bound;
    } else {
      complaints.push_back(invalid(fmt::format("values[{}]", i), go_quoted(values[i]),
                                   "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
  }
}

Error operator_error(std::string_view name, std::size_t index) {
  return Error::bad_request(
      fmt::format("{} is not a valid label selector operator", go_quoted(name)),
      fmt::format("matchExpressions[{}].operator", index));
}

Result<LabelRequirement> expression_of(View expression, std::size_t index) {
  struct Name {
    std::string_view text;
    LabelOperator operation;
  };
  constexpr Name names[] = {{"In", LabelOperator::in},
                            {"NotIn", LabelOperator::not_in},
                            {"Exists", LabelOperator::exists},
                            {"DoesNotExist", LabelOperator::does_not_exist}};
  const std::string_view written = expression["operator"].string_or("");
  const auto found = std::find_if(std::begin(names), std::end(names),
                                  [written](const Name& each) { return each.text == written; });
  if (found == std::end(names)) return operator_error(written, index);
  LabelRequirement requirement{.key = std::string(expression["key"].string_or("")),
                               .operation = found->operation};
  for (const View value : expression["values"].elements()) {
    requirement.values.emplace_back(value.string_or(""));
  }
  return requirement;
}

Result<> check_limits(std::size_t requirements, std::size_t values) {
  if (requirements <= selector_requirements_max && values <= selector_values_max) return {};
  return Error::too_large(fmt::format("a selector has at most {} requirements and {} values",
                                      selector_requirements_max, selector_values_max));
}

}  // namespace

bool LabelRequirement::holds(std::optional<std::string_view> value) const {
  switch (operation) {
    case LabelOperator::exists:
      return value.has_value();
    case LabelOperator::does_not_exist:
      return !value.has_value();
    case LabelOperator::equal:
    case LabelOperator::double_equal:
      return value == values.front();
    case LabelOperator::not_equal:
      return value != values.front();
    case LabelOperator::in:
      return value.has_value() && std::binary_search(values.begin(), values.end(), *value);
    case LabelOperator::not_in:
      return !value.has_value() || !std::binary_search(values.begin(), values.end(), *value);
    case LabelOperator::greater:
    case LabelOperator::less: {
      if (!value.has_value()) return false;
      const std::optional<std::int64_t> number = whole_number(*value);
      if (!number.has_value()) return false;
      return operation == LabelOperator::greater ? *number > bound : *number < bound;
    }
  }
  return false;
}

std::string LabelRequirement::to_string() const {
  switch (operation) {
    case LabelOperator::exists:
      return key;
    case LabelOperator::does_not_exist:
      return "!" + key;
    case LabelOperator::equal:
      return fmt::format("{}={}", key, values.front());
    case LabelOperator::double_equal:
      return fmt::format("{}=={}", key, values.front());
    case LabelOperator::not_equal:
      return fmt::format("{}!={}", key, values.front());
    case LabelOperator::in:
      return fmt::format("{} in ({})", key, fmt::join(values, ","));
    case LabelOperator::not_in:
      return fmt::format("{} notin ({})", key, fmt::join(values, ","));
    case LabelOperator::greater:
      return fmt::format("{}>{}", key, values.front());
    case LabelOperator::less:
      return fmt::format("{}<{}", key, values.front());
  }
  return key;
}

std::vector<std::string> complaints_about(LabelRequirement& requirement) {
  std::vector<std::string> complaints;
  const auto key_violations = qualified_name_violations(requirement.key);
  if (!key_violations.empty()) {
    complaints.push_back(invalid("key", go_quoted(requirement.key),
                                 fmt::format("{}", fmt::join(key_violations, "; "))));
  }
  check_values(requirement, complaints);
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    const auto violations = label_value_violations(requirement.values[i]);
    if (violations.empty()) continue;
    complaints.push_back(invalid(fmt::format("values[{}][{}]", i, requirement.key),
                                 go_quoted(requirement.values[i]),
                                 fmt::format("{}", fmt::join(violations, "; "))));
  }
  std::sort(requirement.values.begin(), requirement.values.end());
  return complaints;
}

std::string complete_requirement(LabelRequirement& requirement) {
  const std::vector<std::string> complaints = complaints_about(requirement);
  if (complaints.size() <= 1) return complaints.empty() ? "" : complaints.front();
  return fmt::format("[{}]", fmt::join(complaints, ", "));
}

LabelSelector::LabelSelector(std::vector<LabelRequirement> requirements)
    : requirements_(std::move(requirements)) {
  std::stable_sort(requirements_.begin(), requirements_.end(),
                   [](const auto& a, const auto& b) { return a.key < b.key; });
}

LabelSelector LabelSelector::nothing() {
  LabelSelector selector;
  selector.matches_nothing_ = true;
  return selector;
}

Result<LabelSelector> LabelSelector::of(View selector) {
  if (selector.is_absent() || selector.is_null()) return nothing();
  if (!selector.is_object()) return Error::bad_request("a label selector is an object");
  std::vector<LabelRequirement> requirements;
  const View labels = selector["matchLabels"];
  const View expressions = selector["matchExpressions"];
  TRY(check_limits(labels.size() + expressions.size(), labels.size()));
  for (const MemberView label : labels.members()) {
    LabelRequirement requirement{.key = std::string(label.key),
                                 .operation = LabelOperator::equal,
                                 .values = {std::string(label.value.string_or(""))}};
    std::string complaint = complete_requirement(requirement);
    if (!complaint.empty()) {
      return Error::bad_request(std::move(complaint), fmt::format("matchLabels[{}]", label.key));
    }
    requirements.push_back(std::move(requirement));
  }
  std::size_t values = labels.size();
  std::size_t index = 0;
  for (const View expression : expressions.elements()) {
    values += expression["values"].size();
    TRY(check_limits(requirements.size(), values));
    LabelRequirement requirement = TRY(expression_of(expression, index));
    std::string complaint = complete_requirement(requirement);
    if (!complaint.empty()) {
      return Error::bad_request(std::move(complaint), fmt::format("matchExpressions[{}]", index));
    }
    requirements.push_back(std::move(requirement));
    ++index;
  }
  return LabelSelector(std::move(requirements));
}

std::string LabelSelector::to_string() const {
  std::string out;
  for (const LabelRequirement& requirement : requirements_) {
    if (!out.empty()) out.push_back(',');
    out += requirement.to_string();
  }
  return out;
}

}  // namespace muster::objects
