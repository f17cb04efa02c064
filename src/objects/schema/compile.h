// SchemaCompiler: reads structural OpenAPI v3 documents into SchemaTables. Types that are named
// once may be referred to from many kinds and from each other; each is compiled once per style.
//
//   SchemaCompiler compiler;
//   TRY(compiler.add_types(document));                    // kind: Types
//   auto pod = compiler.add(schema, {.style = SchemaStyle::native, .kind = "Pod"});
//   auto tables = TRY(std::move(compiler).finish());      // Schema(tables, pod)
//
// Assumes: documents of tenants were checked by check_structural() before; what is malformed all
// the same is refused with its path, never trusted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/schema/tables.h"

namespace muster::objects {

enum class SchemaTrust : std::uint8_t {
  ours,    // a file of api/: may use $ref and x-muster-… keys
  tenant,  // a CRD that somebody applied
};

class SchemaCompiler {
 public:
  struct Root {
    SchemaStyle style = SchemaStyle::custom;
    SchemaTrust trust = SchemaTrust::ours;
    std::string_view kind = {};  // the Go type's name in errors
  };

  SchemaCompiler();

  // A document of kind Types: its types may be named by $ref from now on.
  Result<> add_types(const Value& document);

  // Compiles a kind's schema; the result is the index of its root node.
  Result<std::uint32_t> add(const Value& schema, const Root& root);

  // Prunes and completes the defaults, and hands over the tables.
  Result<std::shared_ptr<const SchemaTables>> finish() &&;

  // The same, and each default must be one that its own schema accepts: errors have this path in
  // front.
  Result<std::shared_ptr<const SchemaTables>> finish_checked(std::string_view path,
                                                             FieldErrors& errors) &&;

 private:
  struct Pending {
    std::uint32_t node;
    Value schema;
    SchemaStyle style;
    SchemaTrust trust;
    std::string_view type_name;
  };
  struct Default {
    std::uint32_t node;
    Value value;
    std::string path;
  };
  struct Place {
    SchemaStyle style;
    SchemaTrust trust;
    std::size_t depth;
    PathFrame path;
  };

  Result<std::uint32_t> child(View schema, const Place& place, const PathFrame& path);
  Result<std::uint32_t> reference(View schema, const Place& place);
  Result<std::uint32_t> allocate();
  Result<> drain();
  Result<> fill(std::uint32_t node, View schema, const Place& place, std::string_view type_name);
  Result<> read_shape(NodeRecord& node, View schema, const Place& place);
  Result<> read_own_keys(NodeRecord& node, View schema, const Place& place);
  Result<> read_checks(NodeRecord& node, View names, const Place& place);
  Result<> read_children(NodeRecord& node, View schema, const Place& place);
  Result<> read_fields(NodeRecord& node, View schema, const Place& place);
  Result<> read_topology(NodeRecord& node, View schema, const Place& place);
  Result<> read_constraints(NodeRecord& node, View schema, const Place& place);
  Result<> read_branches(Constraints& into, View schema, const Place& place);
  Result<std::uint32_t> read_pattern(std::string_view text, const Place& place);
  Result<> read_rules(NodeRecord& node, View schema, const Place& place);
  void read_default(std::uint32_t node, View schema, const Place& place);
  Result<> add_resource_fields(std::vector<FieldRecord>& fields);
  void order_fields();
  void mark_what_is_below();
  void store_defaults(const std::vector<std::uint32_t>& sources);
  Result<> complete_defaults();

  std::shared_ptr<SchemaTables> tables_;
  std::map<std::string, Value, std::less<>> types_;
  std::map<std::string, std::uint32_t> compiled_;  // by type, reading and overriding keys
  std::vector<Pending> pending_;
  std::size_t nodes_max_ = 0;
  std::vector<Default> defaults_;
};

}  // namespace muster::objects
