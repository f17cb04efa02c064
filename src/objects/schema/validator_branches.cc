// SPDX-License-Identifier: Apache-2.0
// allOf, anyOf, oneOf and not of structural schemas. Each branch is judged into errors of its own.
// Where none of anyOf or oneOf fits, the errors of the branch that looked at most are told, as
// apiextensions does; what counts as a look is its own way of walking, counted here.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "objects/schema/validator.h"

namespace muster::objects {

FieldErrors Validator::outcome_of(std::uint32_t branch, View value, const PathFrame& path) const {
  FieldErrors errors;
  Validator(tables_, errors, root_, old_root_).check(branch, value, {}, path);
  return errors;
}

void Validator::refuse_branches(std::string_view sentence, const PathFrame& path) {
  errors_.add(FieldError::invalid(
      {}, Value::string(""), fmt::format("{} {}", go_quoted(path.to_dotted_string()), sentence)));
}

// Branches of branches say the same of the same place.
void Validator::tell_once(FieldErrors errors) {
  for (FieldError& error : std::move(errors).take()) {
    const bool is_told = std::any_of(errors_.begin(), errors_.end(), [&](const FieldError& told) {
      return told.path == error.path && told.type == error.type && told.value == error.value &&
             told.detail == error.detail;
    });
    if (!is_told) errors_.add(std::move(error));
  }
}

void Validator::check_branches(const NodeRecord& node, const Constraints& constraints, View value,
                               const PathFrame& path) {
  const bool plain_int_or_string = node.type == SchemaType::int_or_string &&
                                   constraints.any_of.size() == 2 &&
                                   (value.is_integer() || value.is_string() || value.is_null());
  if (!constraints.any_of.empty() && !plain_int_or_string) check_any_of(constraints, value, path);
  if (!constraints.one_of.empty()) check_one_of(constraints, value, path);
  std::size_t valid = 0;
  for (const std::uint32_t branch : constraints.all_of) {
    FieldErrors errors = outcome_of(branch, value, path);
    if (errors.empty()) ++valid;
    tell_once(std::move(errors));
  }
  if (valid != constraints.all_of.size()) {
    refuse_branches(valid == 0 ? "must validate all the schemas (allOf). None validated"
                               : "must validate all the schemas (allOf)",
                    path);
  }
  if (constraints.not_of != none_index && outcome_of(constraints.not_of, value, path).empty()) {
    refuse_branches("must not validate the schema (not)", path);
  }
}

void Validator::check_any_of(const Constraints& constraints, View value, const PathFrame& path) {
  const bool is_valid =
      std::any_of(constraints.any_of.begin(), constraints.any_of.end(),
                  [&](std::uint32_t branch) { return outcome_of(branch, value, path).empty(); });
  if (is_valid) return;
  refuse_branches("must validate at least one schema (anyOf)", path);
  tell_once(closest_of(constraints.any_of, value, path));
}

void Validator::check_one_of(const Constraints& constraints, View value, const PathFrame& path) {
  const auto valid =
      std::count_if(constraints.one_of.begin(), constraints.one_of.end(),
                    [&](std::uint32_t branch) { return outcome_of(branch, value, path).empty(); });
  if (valid == 1) return;
  const std::string found =
      valid == 0 ? "Found none valid" : fmt::format("Found {} valid alternatives", valid);
  refuse_branches(fmt::format("must validate one and only one schema (oneOf). {}", found), path);
  if (valid == 0) tell_once(closest_of(constraints.one_of, value, path));
}

// What is wrong with the branch that looked at most; the first of those that looked at as much.
FieldErrors Validator::closest_of(const std::vector<std::uint32_t>& branches, View value,
                                  const PathFrame& path) const {
  std::uint32_t closest = branches.front();
  std::int64_t most = -1;
  for (const std::uint32_t branch : branches) {
    const std::int64_t matches = matches_of(branch, value, path);
    if (matches <= most) continue;
    most = matches;
    closest = branch;
  }
  return outcome_of(closest, value, path);
}

// One for each part of the schema that applies to a value of this type, one more for parts that
// end in a count of their own, and whatever the members count.
std::int64_t Validator::matches_of(std::uint32_t index, View value, const PathFrame& path) const {
  const NodeRecord& node = tables_.node(index);
  if (value.is_null()) return node.nullable || node.type == SchemaType::any ? 1 : 0;
  const bool is_number_type = node.type == SchemaType::integer || node.type == SchemaType::number;
  const bool has_format = node.format != Format::none;
  std::int64_t count = 4;  // the walk itself, the branches twice, the enum
  if (node.type != SchemaType::any || has_format) {
    const bool is_free = has_format && !is_number_type && (value.is_string() || value.is_array());
    count += is_free || has_type(node.type, value) ? 2 : 1;
  }
  if (value.is_string()) count += has_format ? 2 : 1;
  if (value.is_number() || value.is_array()) count += 2;
  if (value.is_object()) count += 1;
  if (node.constraints != none_index) {
    count += branch_matches_of(tables_.constraints[node.constraints], value, path);
  }
  return count + member_matches_of(node, value, path);
}

std::int64_t Validator::branch_matches_of(const Constraints& constraints, View value,
                                          const PathFrame& path) const {
  const auto of_choice = [&](const std::vector<std::uint32_t>& branches, bool only_one) {
    std::int64_t most = 0;
    std::int64_t first_valid = 0;
    std::size_t valid = 0;
    for (const std::uint32_t branch : branches) {
      const std::int64_t matches = matches_of(branch, value, path);
      most = std::max(most, matches);
      if (outcome_of(branch, value, path).empty() && ++valid == 1) first_valid = matches;
    }
    if (valid == 0) return most;
    return only_one && valid > 1 ? 0 : first_valid;
  };
  std::int64_t count = of_choice(constraints.any_of, false) + of_choice(constraints.one_of, true);
  for (const std::uint32_t branch : constraints.all_of) count += matches_of(branch, value, path);
  return count;
}

std::int64_t Validator::member_matches_of(const NodeRecord& node, View value,
                                          const PathFrame& path) const {
  std::int64_t count = 0;
  for (MemberView member : value.members()) {
    const int ordinal = tables_.find_field(node, member.key);
    const std::uint32_t inner = ordinal >= 0 ? tables_.field(node, ordinal).node : node.additional;
    if (inner == none_index) continue;
    count += matches_of(inner, member.value, path.field(member.key));
  }
  std::size_t i = 0;
  for (View element : value.elements()) {
    if (node.items == none_index) break;
    count += matches_of(node.items, element, path.element(i++));
  }
  return count;
}

}  // namespace muster::objects
