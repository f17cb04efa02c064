// Normalizer: one pass over an object that decodes (types, ranges, canonical texts), drops what the
// schema does not know, and fills defaults. Parts that do not change are shared with the object
// that came in; if nothing changes, the same value comes back.
//
// Native types follow Go's decoder: null is absent, zeros that Go would not write are dropped, a
// wrong type is an error in its words. Types of CRDs follow apiextensions: unknown fields are
// pruned, defaults are filled top-down, a wrong type is left for validation to refuse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/builder.h"
#include "objects/field_error.h"
#include "objects/schema/tables.h"
#include "objects/value.h"

namespace muster::objects {

struct NormalizeReport {
  std::vector<std::string> unknown_fields;  // paths, as they were met
  std::string type_error;                   // the first one, in Go's words
  std::string conversion_error;             // the same, in the words of Go's converter of trees
};

class Normalizer {
 public:
  // With complete_defaults the defaults themselves are walked as they are filled in: for
  // compilation, whose defaults are still as they were written. An API server drops the nulls of a
  // custom object that have no default; fill_keeping_nulls leaves them for validation to refuse.
  enum class Defaults : std::uint8_t { fill, fill_and_walk, fill_keeping_nulls, leave };

  Normalizer(const SchemaTables& tables, NormalizeReport& report, Defaults defaults)
      : tables_(tables), report_(report), defaults_(defaults) {}

  // The value is that of the node; the path is where it stands.
  Value run(std::uint32_t node, const Value& value, const PathFrame& path);

 private:
  enum class Outcome : std::uint8_t { keep, replace, drop };
  struct Open;

  Outcome walk(std::uint32_t index, const Node& value, const PathFrame& path, Node& out);
  Outcome walk_object(const NodeRecord& node, const Node& value, const PathFrame& path, Node& out);
  Outcome walk_array(const NodeRecord& node, const Node& value, const PathFrame& path, Node& out);
  Outcome walk_member(const NodeRecord& node, const Node::Member& member, int ordinal,
                      const PathFrame& path, Node& out);
  Outcome walk_null_element(std::uint32_t index, const PathFrame& path, Node& out);

  // Most members are: scalars that stay as they are, without another look.
  bool is_plain(const NodeRecord& node, int ordinal, const Node& value) const {
    const std::uint32_t index = ordinal >= 0 ? tables_.field(node, ordinal).node : node.additional;
    if (index == none_index || !keeps(tables_.node(index), value)) return false;
    if (ordinal < 0) return true;
    if (value.type == Type::string) return value.size > 0;
    return value.type == Type::boolean ? value.boolean : value.integer != 0;
  }

  // Integers beyond 32 bits have to be looked at: not every integer may be so large.
  static bool keeps(const NodeRecord& node, const Node& value) {
    return node.plain == value.type && (value.type != Type::integer ||
                                        static_cast<std::int32_t>(value.integer) == value.integer);
  }

  // Scalars of native types (normalizer_native.cc).
  Outcome walk_native_scalar(const NodeRecord& node, const Node& value, const PathFrame& path,
                             Node& out);
  Outcome walk_native_number(const NodeRecord& node, const Node& value, const PathFrame& path);
  Outcome walk_native_text(const NodeRecord& node, const Node& value, const PathFrame& path,
                           Node& out);
  Outcome walk_quantity(const Node& value, bool in_map, Node& out);
  bool has_native_type(const NodeRecord& node, const Node& value) const;
  void report_type(const NodeRecord& node, const Node& value, const PathFrame& path);
  void report_error(std::string text, std::string_view before_conversion = {});
  bool has_other_default(const FieldRecord& field) const;
  bool is_dropped_zero(const NodeRecord& node, const FieldRecord& field, const Node& value) const;

  void open(Open& object);
  void run_rules(const NodeRecord& node, Open& object);
  void run_rule(DefaultRule rule, const NodeRecord& node, Open& object);
  void fill_defaults(const NodeRecord& node, Open& object, const PathFrame& path);
  void report_unknown(const PathFrame& path);
  Builder& builder();

  const SchemaTables& tables_;
  NormalizeReport& report_;
  Defaults defaults_;
  const Value* root_ = nullptr;
  std::optional<Builder> builder_;
  std::vector<Node::Member> members_;  // a stack: the members of the objects being rebuilt
  std::vector<Node> elements_;
  std::vector<const NodeRecord*> structs_;  // the native structs around, for Go's errors
  std::size_t depth_ = 0;
  bool in_map_ = false;
  bool is_custom_ = false;  // the object as a whole
};

}  // namespace muster::objects
