// SchemaTables: the flat form of one or many schemas. Nodes, fields and the rest lie in dense
// arrays and refer to each other by index; shared types are there once, so recursion is an index
// that points back. Built by SchemaCompiler, immutable afterwards, read by the walkers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "objects/same_text.h"
#include "objects/schema.h"
#include "objects/schema/formats.h"
#include "objects/value.h"

namespace re2 {
class RE2;
}

namespace muster::objects {

inline constexpr std::uint32_t none_index = std::numeric_limits<std::uint32_t>::max();

// A default that depends on the fields beside it (schema/default_rules.h).
enum class DefaultRule : std::uint8_t;

// Hand-written validation of a native type (schema/checks.h).
class CheckScope;
using Check = void (*)(CheckScope& scope);

// What may change on update where a plain comparison does not say it (schema/update_rules.h).
enum class UpdateRule : std::uint8_t;

// A set of fields of one node, by ordinal. It has room for the first 64; of the others it says that
// they are not in it.
class FieldMask {
 public:
  static constexpr int room = 64;
  static constexpr bool holds(int ordinal) { return ordinal >= 0 && ordinal < room; }

  void add(int ordinal) {
    if (holds(ordinal)) bits_ |= std::uint64_t{1} << ordinal;
  }
  bool has(int ordinal) const {
    return holds(ordinal) && (bits_ & (std::uint64_t{1} << ordinal)) != 0;
  }
  bool has_all(FieldMask others) const { return (others.bits_ & ~bits_) == 0; }

 private:
  std::uint64_t bits_ = 0;
};

struct FieldRecord {
  std::string_view name;
  std::uint32_t node = none_index;  // none: only demanded, not described
  std::uint32_t proto_number = 0;
  std::uint32_t proto_message = 0;            // the inlined message that has the number; 0: none
  std::uint32_t default_member = none_index;  // element of SchemaTables::default_members
  std::string_view inlined = {};              // the Go struct inside of the node's that has it
  bool required = false;
  bool pointer = false;  // a zero that was sent is kept
  bool always = false;   // a zero is written even when it was not sent
};

// Minima and maxima; a negative count means that there is none.
struct Constraints {
  std::optional<double> minimum;
  std::optional<double> maximum;
  std::optional<double> multiple_of;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  bool unique_items = false;
  std::int64_t length_min = -1;
  std::int64_t length_max = -1;
  std::int64_t items_min = -1;
  std::int64_t items_max = -1;
  std::int64_t properties_min = -1;
  std::int64_t properties_max = -1;
  std::uint32_t pattern = none_index;
  std::vector<Value> choices;  // enum
  std::vector<std::uint32_t> all_of;
  std::vector<std::uint32_t> any_of;
  std::vector<std::uint32_t> one_of;
  std::uint32_t not_of = none_index;
};

struct NodeRecord {
  SchemaType type = SchemaType::any;
  SchemaStyle style = SchemaStyle::custom;
  Format format = Format::none;
  ListType list_type = ListType::atomic;
  MapType map_type = MapType::granular;
  Format key_format = Format::none;
  Format name_format = Format::none;  // of metadata.name, at the root
  UpdateRule update_rule{};
  PatchStrategy patch_strategy;
  bool nullable = false;
  bool preserves_unknown = false;
  bool embedded_resource = false;
  bool immutable = false;
  bool has_list_type = false;  // written down, not assumed
  std::uint8_t hash_shift = 31;
  std::uint16_t field_count = 0;
  // Fields with a default or required come first: one bit each in a walk's mask.
  std::uint16_t watched_count = 0;
  // Scalars of this type the Normalizer keeps as they are; only a zero may have to be dropped, and
  // a large integer refused.
  Type plain = Type::absent;
  bool has_unique = false;
  bool has_rules = false;          // this node or one below has a rule
  bool has_checks = false;         // this node or one below can be refused
  bool has_update_checks = false;  // a field is immutable or has an update rule
  bool has_field_rules = false;    // a field has a default rule
  FieldMask required;
  FieldMask defaulted;
  std::uint32_t hash_seed = 1;
  std::uint32_t fields = 0;  // first in SchemaTables::fields
  std::uint32_t slots = 0;   // first in SchemaTables::slots
  std::uint32_t items = none_index;
  std::uint32_t additional = none_index;
  std::uint32_t default_value = none_index;  // in SchemaTables::defaults
  std::uint32_t constraints = none_index;
  std::uint32_t rules = 0;  // first in SchemaTables::rules
  std::uint32_t rule_count = 0;
  std::uint32_t keys = 0;  // first in SchemaTables::keys
  std::uint32_t key_count = 0;
  std::uint32_t unique_keys = 0;  // first in SchemaTables::keys
  std::uint32_t unique_count = 0;
  std::uint32_t default_rules = 0;  // first in SchemaTables::default_rules
  std::uint32_t default_rule_count = 0;
  std::uint32_t checks = 0;  // first in SchemaTables::checks
  std::uint32_t check_count = 0;
  std::string_view merge_key;
  std::string_view type_name;
  std::string_view go_type;  // as Go's decoder names it, where the type does not tell
  std::uint32_t metadata_checks = none_index;  // what a CRD demands of metadata.name

  // False also where the mask has no room to tell.
  bool has_all_required(FieldMask seen) const {
    return watched_count <= FieldMask::room && seen.has_all(required);
  }
  bool has_all_defaulted(FieldMask seen) const {
    return watched_count <= FieldMask::room && seen.has_all(defaulted);
  }
};

struct Pattern {
  std::string text;
  std::unique_ptr<re2::RE2> expression;
};

struct ValidationRule;  // schema/rules.h

class SchemaTables {
 public:
  SchemaTables();
  ~SchemaTables();
  SchemaTables(const SchemaTables&) = delete;
  SchemaTables& operator=(const SchemaTables&) = delete;

  // Indices come from the compiler of schemas, never from an object: the walks, whose innermost
  // loops these are, read without a check of bounds.
  const NodeRecord& node(std::uint32_t index) const { return nodes.data()[index]; }

  const FieldRecord& field(const NodeRecord& node, int ordinal) const {
    return fields.data()[node.fields + static_cast<std::uint32_t>(ordinal)];
  }

  // The ordinal of the field within the node, or -1.
  int find_field(const NodeRecord& node, std::string_view name) const {
    if (node.field_count == 0 || name.empty()) return -1;
    std::uint32_t slot = hash_name(name, node.hash_seed) >> node.hash_shift;
    const std::uint32_t mask = (std::uint32_t{1} << (32 - node.hash_shift)) - 1;
    while (true) {
      const int ordinal = slots.data()[node.slots + slot] - 1;
      if (ordinal < 0 || is_same_text(field(node, ordinal).name, name)) return ordinal;
      slot = (slot + 1) & mask;
    }
  }

  View default_of(const NodeRecord& node) const {
    return node.default_value == none_index ? View() : View(&defaults[node.default_value]);
  }

  static std::uint32_t hash_name(std::string_view name, std::uint32_t seed) {
    const auto byte = [&](std::size_t at) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(name.data()[at]));
    };
    const std::size_t size = name.size();
    return (static_cast<std::uint32_t>(size) + (byte(0) << 7) + (byte(size - 1) << 14) +
            (byte(size / 2) << 21)) *
           seed;
  }

  // Interns the text for the life of the tables.
  std::string_view name(std::string_view text);

  std::vector<NodeRecord> nodes;
  std::vector<FieldRecord> fields;
  std::vector<std::uint16_t> slots;
  std::vector<Constraints> constraints;
  std::vector<Pattern> patterns;
  std::vector<std::string_view> keys;
  std::vector<DefaultRule> default_rules;
  std::vector<Check> checks;
  std::vector<ValidationRule> rules;
  // The defaults of nodes, and `{field: default}` for each field that has one. Both lie in one
  // arena, so that an object with many defaults keeps one alive.
  Value default_store;
  std::vector<Node> defaults;
  std::vector<Node::Member> default_members;

 private:
  std::deque<std::string> names_;
};

}  // namespace muster::objects
