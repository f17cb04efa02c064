// SPDX-License-Identifier: Apache-2.0
#include "server/table.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "objects/builder.h"
#include "objects/rewrite.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::SchemaStyle;
using objects::Value;
using objects::View;

namespace {

std::string_view api_version(bool is_beta) {
  return is_beta ? "meta.k8s.io/v1beta1" : "meta.k8s.io/v1";
}

Node::Member member(std::string_view literal_key, const Node& value) {
  return {Builder::literal(literal_key), value};
}

// The peer keeps the generation of a DaemonSet's template elsewhere and shows it as an annotation,
// but not here.
Node shown_metadata(View object, Builder& builder) {
  constexpr std::string_view hidden = "deprecated.daemonset.template.generation";
  const View metadata = object["metadata"];
  const View annotations = metadata["annotations"];
  if (!annotations[hidden]) return metadata ? metadata.node() : builder.object({});
  objects::Rewrite kept(annotations);
  kept.drop(hidden);
  objects::Rewrite shown(metadata);
  shown.set("annotations", annotations.size() > 1 ? kept.finish(builder) : Node());
  return shown.finish(builder);
}

Node metadata_object(View object, Builder& builder, bool is_beta) {
  const Node::Member members[] = {member("kind", Builder::literal("PartialObjectMetadata")),
                                  member("apiVersion", Builder::literal(api_version(is_beta))),
                                  member("metadata", shown_metadata(object, builder))};
  return builder.object(members);
}

// Of a list or of one object: what a client needs to go on from here.
Node list_metadata(View metadata, Builder& builder) {
  std::vector<Node::Member> members;
  for (const std::string_view key : {"resourceVersion", "continue", "remainingItemCount"}) {
    if (const View value = metadata[key]) members.push_back(member(key, value.node()));
  }
  return builder.object(members);
}

Node finished_row_conditions(View pod, Builder& builder) {
  const std::string_view phase = pod["status"]["phase"].string_or("");
  const bool succeeded = phase == "Succeeded";
  if (!succeeded && phase != "Failed") return {};
  const Node::Member members[] = {
      member("type", Builder::literal("Completed")), member("status", Builder::literal("True")),
      member("reason", Builder::literal(succeeded ? "Succeeded" : "Failed")),
      member("message", Builder::literal(succeeded ? "The pod has completed successfully."
                                                   : "The pod failed."))};
  const Node condition = builder.object(members);
  return builder.array({&condition, 1});
}

// What a Go struct would have where the object has nothing.
Node zero_of(std::string_view type) {
  if (type == "integer") return Builder::integer(0);
  if (type == "boolean") return Builder::boolean(false);
  return Builder::literal("");
}

Node integer_cell(View value) {
  if (const auto integer = value.integer()) return Builder::integer(*integer);
  const auto real = value.real();
  constexpr double end = 9'223'372'036'854'775'808.0;
  if (!real || *real < -end || *real >= end) return Builder::null();
  return Builder::integer(static_cast<std::int64_t>(*real));
}

// A value of a column of a CRD. One whose type is another is shown as nothing.
Node typed_cell(std::string_view type, View value, Builder& builder, Instant now) {
  if (type == "integer") return integer_cell(value);
  if (type == "number" && value.is_number()) return value.node();
  if (type == "boolean" && value.is_boolean()) return value.node();
  if (type == "date" && value.is_string()) {
    const std::string age = age_text(value, now);
    return builder.text(age == "<unknown>" ? "<invalid>" : age);
  }
  return Builder::null();
}

}  // namespace

std::optional<IncludeObject> parse_include_object(std::string_view text) {
  if (text.empty() || text == "Metadata") return IncludeObject::metadata;
  if (text == "None") return IncludeObject::none;
  if (text == "Object") return IncludeObject::object;
  return std::nullopt;
}

TablePrinter::TablePrinter(const objects::Kind& kind, const objects::KindVersion& version)
    : is_native_(kind.style == SchemaStyle::native),
      is_pod_(is_native_ && kind.group.empty() && kind.plural == "pods") {
  const View defined = version.definition["additionalPrinterColumns"];
  const auto by_path = [](std::string_view path) -> std::optional<objects::JsonPath> {
    auto parsed = objects::JsonPath::parse_column(path);
    if (!parsed) return std::nullopt;
    return std::move(parsed).take();
  };
  if (!is_native_) {
    columns_.push_back(
        {.name = "Name", .type = "string", .format = "name", .path = by_path(".metadata.name")});
  }
  for (View each : defined.elements()) {
    const std::string_view path = each["jsonPath"].string_or("");
    std::string description(each["description"].string_or(""));
    if (description.empty() && !is_native_) {
      description = fmt::format("Custom resource definition column (in JSONPath format): {}", path);
    }
    columns_.push_back({.name = std::string(each["name"].string_or("")),
                        .type = std::string(each["type"].string_or("")),
                        .format = std::string(each["format"].string_or("")),
                        .description = std::move(description),
                        .priority = each["priority"].integer_or(0),
                        .cell = find_cell(each["x-muster-cell"].string_or("")),
                        .path = by_path(path)});
  }
  if (!is_native_ && defined.empty()) {
    columns_.push_back(
        {.name = "Age", .type = "date", .path = by_path(".metadata.creationTimestamp")});
  }
}

Node TablePrinter::columns_node(Builder& builder) const {
  std::vector<Node> all;
  all.reserve(columns_.size());
  for (const Column& column : columns_) {
    const Node::Member members[] = {member("name", builder.text(column.name)),
                                    member("type", builder.text(column.type)),
                                    member("format", builder.text(column.format)),
                                    member("description", builder.text(column.description)),
                                    member("priority", Builder::integer(column.priority))};
    all.push_back(builder.object(members));
  }
  return builder.array(all);
}

Node TablePrinter::cell(const Column& column, View object, Builder& builder, Instant now) const {
  if (column.cell != nullptr) return column.cell(object, {.builder = builder, .now = now});
  const Node missing = is_native_ ? zero_of(column.type) : Builder::null();
  if (!column.path) return missing;
  const auto found = column.path->find(object);
  if (!found || found->empty()) return missing;
  const View value = found->front();
  if (is_native_) return builder.copy(value);
  if (column.type != "string") return typed_cell(column.type, value, builder, now);
  if (value.is_string()) return builder.text(value.string_or(""));
  // The first result alone, printed as JSONPath prints.
  static const auto itself = objects::JsonPath::parse_column("@").must();
  const auto printed = itself.print(value);
  return printed ? builder.text(*printed) : Builder::null();
}

Node TablePrinter::row(View object, Builder& builder, const TableOptions& options) const {
  std::vector<Node> cells;
  cells.reserve(columns_.size());
  for (const Column& column : columns_) {
    cells.push_back(cell(column, object, builder, options.now));
  }
  std::vector<Node::Member> members = {member("cells", builder.array(cells))};
  if (is_pod_) {
    const Node conditions = finished_row_conditions(object, builder);
    if (conditions.type == objects::Type::array) {
      members.push_back(member("conditions", conditions));
    }
  }
  switch (options.include) {
    case IncludeObject::none:
      members.push_back(member("object", Builder::null()));
      break;
    case IncludeObject::metadata:
      members.push_back(member(
          "object", metadata_object(object, builder, options.shape == Shape::table_v1beta1)));
      break;
    case IncludeObject::object:
      members.push_back(member("object", object.node()));
      break;
  }
  return builder.object(members);
}

Value TablePrinter::table(View metadata, std::vector<Node> rows, Builder builder,
                          const TableOptions& options) const {
  const bool is_beta = options.shape == Shape::table_v1beta1;
  const Node::Member members[] = {
      member("kind", Builder::literal("Table")),
      member("apiVersion", Builder::literal(api_version(is_beta))),
      member("metadata", list_metadata(metadata, builder)),
      member("columnDefinitions", options.columns ? columns_node(builder) : Builder::null()),
      member("rows", builder.array(rows))};
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

Value TablePrinter::list(const Value& list, const TableOptions& options) const {
  Builder builder;
  builder.retain(list);
  std::vector<Node> rows;
  rows.reserve(list["items"].size());
  for (View item : list["items"].elements()) rows.push_back(row(item, builder, options));
  return table(list["metadata"], std::move(rows), std::move(builder), options);
}

Value TablePrinter::object(const Value& object, const TableOptions& options) const {
  Builder builder;
  builder.retain(object);
  std::vector<Node> rows = {row(object, builder, options)};
  const View version = object["metadata"]["resourceVersion"];
  Value metadata;
  if (version) {
    metadata = Value::object({{"resourceVersion", Value::string(version.string_or(""))}});
    builder.retain(metadata);
  }
  return table(metadata, std::move(rows), std::move(builder), options);
}

Value partial_metadata(const Value& object, Shape shape) {
  Builder builder;
  builder.retain(object);
  const Node root = metadata_object(object, builder, shape == Shape::partial_metadata_v1beta1);
  return std::move(builder).finish(root);
}

Value partial_metadata_list(const Value& list, Shape shape) {
  const bool is_beta = shape == Shape::partial_metadata_v1beta1;
  Builder builder;
  builder.retain(list);
  std::vector<Node> items;
  items.reserve(list["items"].size());
  for (View item : list["items"].elements()) {
    items.push_back(metadata_object(item, builder, is_beta));
  }
  const Node::Member members[] = {
      member("kind", Builder::literal("PartialObjectMetadataList")),
      member("apiVersion", Builder::literal(api_version(is_beta))),
      member("metadata", list["metadata"] ? list["metadata"].node() : builder.object({})),
      // Go's list of none is null here, and nowhere else.
      member("items", items.empty() ? Builder::null() : builder.array(items))};
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

}  // namespace muster::server
