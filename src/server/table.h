// TablePrinter: objects of one kind as a meta.k8s.io Table, which is how `kubectl get` shows them.
// Columns are those of the kind's definition: a JSONPath, or for built-in kinds a computed cell
// (server/cells.h). The columns of a CRD have the name in front, and without columns the age.
//
//   TablePrinter printer(kind, *kind.version("v1"));
//   Value table = printer.list(list, {.now = clock.wall()});
//   Value row = printer.object(pod, {.columns = false, .now = …});   // a later event of a watch
//
// Assumes: objects are of the kind's version. `now` is what ages are measured against. A bookmark
// is an object like any other. The table shares the memory of the objects.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "objects/json_path.h"
#include "objects/kind_registry.h"
#include "objects/value.h"
#include "server/cells.h"
#include "server/negotiation.h"

namespace muster::server {

// What stands beside the cells of a row.
enum class IncludeObject : std::uint8_t { none, metadata, object };

// `None`, `Metadata`, `Object`, or nothing for another text; the empty text is Metadata.
std::optional<IncludeObject> parse_include_object(std::string_view text);

struct TableOptions {
  Shape shape = Shape::table_v1;
  IncludeObject include = IncludeObject::metadata;
  bool columns = true;  // of a watch: only in the first event
  Instant now = {};
};

class TablePrinter {
 public:
  TablePrinter(const objects::Kind& kind, const objects::KindVersion& version);

  // Of a list: its metadata and one row per item.
  objects::Value list(const objects::Value& list, const TableOptions& options) const;

  // Of one object: one row.
  objects::Value object(const objects::Value& object, const TableOptions& options) const;

 private:
  struct Column {
    std::string name;
    std::string type;
    std::string format = {};
    std::string description = {};
    std::int64_t priority = 0;
    Cell cell = nullptr;                         // null: by the path
    std::optional<objects::JsonPath> path = {};  // none: nothing is ever found
  };

  objects::Node columns_node(objects::Builder& builder) const;
  objects::Node row(objects::View object, objects::Builder& builder,
                    const TableOptions& options) const;
  objects::Node cell(const Column& column, objects::View object, objects::Builder& builder,
                     Instant now) const;
  objects::Value table(objects::View metadata, std::vector<objects::Node> rows,
                       objects::Builder builder, const TableOptions& options) const;

  std::vector<Column> columns_;
  bool is_native_ = false;
  bool is_pod_ = false;
};

// The object reduced to its metadata: kind PartialObjectMetadata; of a list each item.
objects::Value partial_metadata(const objects::Value& object, Shape shape);
objects::Value partial_metadata_list(const objects::Value& list, Shape shape);

}  // namespace muster::server
