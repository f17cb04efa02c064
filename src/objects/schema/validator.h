// Validator: walks an object beside its schema and collects what is wrong with it, in the words of
// kube-apiserver: those of its hand-written validation for native types, those of apiextensions
// for CRDs. On an update the old object goes along: immutable fields, and CRD validation that
// forgives what was wrong before and did not change ("ratcheting").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "objects/field_error.h"
#include "objects/schema/rules.h"
#include "objects/schema/tables.h"
#include "objects/value.h"

namespace muster::objects {

class Validator {
 public:
  Validator(const SchemaTables& tables, FieldErrors& errors, View root, View old_root)
      : tables_(tables),
        errors_(errors),
        rules_(tables, errors),
        root_(root),
        old_root_(old_root) {}

  // The old value is absent on create, and where old and new cannot be matched.
  void check(std::uint32_t index, View value, View old_value, const PathFrame& path);

 private:
  void check_custom(const NodeRecord& node, View value, View old_value, const PathFrame& path);
  void refuse_type(const NodeRecord& node, View value, const PathFrame& path);
  void refuse_range(const NodeRecord& node, const PathFrame& path);
  void check_custom_number(const NodeRecord& node, const Constraints* constraints, View value,
                           const PathFrame& path);
  void check_custom_text(const NodeRecord& node, const Constraints* constraints, View value,
                         const PathFrame& path);
  void check_custom_sizes(const Constraints& constraints, View value, const PathFrame& path);
  void check_branches(const NodeRecord& node, const Constraints& constraints, View value,
                      const PathFrame& path);
  void check_any_of(const Constraints& constraints, View value, const PathFrame& path);
  void check_one_of(const Constraints& constraints, View value, const PathFrame& path);
  FieldErrors outcome_of(std::uint32_t branch, View value, const PathFrame& path) const;
  FieldErrors closest_of(const std::vector<std::uint32_t>& branches, View value,
                         const PathFrame& path) const;
  std::int64_t matches_of(std::uint32_t index, View value, const PathFrame& path) const;
  std::int64_t branch_matches_of(const Constraints& constraints, View value,
                                 const PathFrame& path) const;
  std::int64_t member_matches_of(const NodeRecord& node, View value, const PathFrame& path) const;
  void tell_once(FieldErrors errors);
  void refuse_branches(std::string_view sentence, const PathFrame& path);
  void refuse_choice(const Constraints& constraints, View value, std::string path);
  void check_list_keys(const NodeRecord& node, View value, const PathFrame& path);

  void check_native(const NodeRecord& node, View value, View old_value, const PathFrame& path);
  void check_native_value(const NodeRecord& node, View value, const PathFrame& path);
  void check_native_range(const Constraints& constraints, View value, const PathFrame& path);
  void check_keys(const NodeRecord& node, View value, const PathFrame& path);
  void check_unique(const NodeRecord& node, View value, const PathFrame& path);
  void check_update(const NodeRecord& node, View object, View old_object, const PathFrame& path);

  void check_fields(const NodeRecord& node, View value, View old_value, const PathFrame& path);
  void check_required(const NodeRecord& node, View value, FieldMask seen, const PathFrame& path);
  void check_items(const NodeRecord& node, View value, View old_value, const PathFrame& path);

  const SchemaTables& tables_;
  FieldErrors& errors_;
  RuleRun rules_;
  View root_;
  View old_root_;
};

// Whether a value of a CRD's kind is of the type; a whole real is an integer.
bool has_type(SchemaType type, View value);

// Whether the value is one of those that the enum allows, if there is an enum.
bool is_choice(const Constraints& constraints, View value);

// The members of the element that are its keys: the value that a duplicate is reported with.
Value keys_of(const SchemaTables& tables, std::uint32_t first, std::uint32_t count, View element);

}  // namespace muster::objects
