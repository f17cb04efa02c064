// Schema: what a kind's objects look like, compiled from structural OpenAPI v3 plus x- keys into
// flat tables. Files of api/ and run-time CRDs give the same form; it drives decoding, defaults,
// validation and pruning (objects/admit.h), patches and server-side apply.
//
//   SchemaNode containers = schema.root().field("spec").field("containers");
//   containers.patch_merge_key();          // "name"
//   containers.items().field("ports").list_map_keys();   // {"containerPort", "protocol"}
//
// Assumes: a SchemaNode is a cheap handle, valid as long as some Schema of the same tables lives.
// Asking a node that is none is allowed and yields none. Recursive types make the graph cyclic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::objects {

class SchemaTables;

enum class SchemaType : std::uint8_t {
  any,  // no type: anything, or the value checks of a branch of anyOf
  object,
  array,
  string,
  integer,
  number,
  boolean,
  int_or_string,
};

// Lists: replaced as a whole, merged by value, or merged by the keys of their elements.
enum class ListType : std::uint8_t { atomic, set, map };

// Objects: merged field by field, or replaced as a whole.
enum class MapType : std::uint8_t { granular, atomic };

// Whose rules a kind follows: those of a type compiled into kube-apiserver, or those of a CRD.
enum class SchemaStyle : std::uint8_t { native, custom };

// How strategic merge patch treats a list or an object.
struct PatchStrategy {
  bool merge = false;
  bool replace = false;
  bool retain_keys = false;
};

struct SchemaField;

class SchemaNode {
 public:
  SchemaNode() = default;  // none
  SchemaNode(const SchemaTables* tables, std::uint32_t index) : tables_(tables), index_(index) {}

  bool is_none() const { return tables_ == nullptr; }
  explicit operator bool() const { return !is_none(); }
  friend bool operator==(SchemaNode, SchemaNode) = default;

  SchemaType type() const;
  SchemaStyle style() const;
  bool nullable() const;
  bool preserves_unknown_fields() const;
  bool is_embedded_resource() const;
  bool is_immutable() const;

  // The format's name, such as "int32" or "quantity"; empty where there is none.
  std::string_view format() const;

  // The shared type it was compiled from, such as "core.v1.Container"; empty for inline schemas.
  std::string_view type_name() const;

  // A declared property; none where there is no such one.
  SchemaNode field(std::string_view name) const;
  // What every other key holds; none where other keys are unknown.
  SchemaNode additional_properties() const;
  // The declared property or, for any other key, the additional properties.
  SchemaNode member(std::string_view name) const;
  // What every element holds.
  SchemaNode items() const;

  // The declared properties, in the order of the tables (not of the document).
  std::size_t field_count() const;
  SchemaField field_at(std::size_t index) const;

  // The default, absent where there is none; nested defaults are already in it.
  View default_value() const;

  // Topology for patches and server-side apply.
  ListType list_type() const;
  std::span<const std::string_view> list_map_keys() const;
  MapType map_type() const;
  std::string_view patch_merge_key() const;
  PatchStrategy patch_strategy() const;

  const SchemaTables* tables() const { return tables_; }
  std::uint32_t index() const { return index_; }

 private:
  const SchemaTables* tables_ = nullptr;
  std::uint32_t index_ = 0;
};

struct SchemaField {
  std::string_view name;
  SchemaNode node;
  std::uint32_t proto_number = 0;   // 0: not in the protobuf form
  std::uint32_t proto_message = 0;  // the inlined message that has the number; 0: none
  bool required = false;
  bool pointer = false;  // the zero value is kept when set
};

class Schema {
 public:
  Schema() = default;  // none
  Schema(std::shared_ptr<const SchemaTables> tables, std::uint32_t root)
      : tables_(std::move(tables)), root_(root) {}

  explicit operator bool() const { return tables_ != nullptr; }
  SchemaNode root() const {
    return tables_ == nullptr ? SchemaNode() : SchemaNode(tables_.get(), root_);
  }
  const std::shared_ptr<const SchemaTables>& tables() const { return tables_; }

 private:
  std::shared_ptr<const SchemaTables> tables_;
  std::uint32_t root_ = 0;
};

}  // namespace muster::objects
