// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "objects/builder.h"
#include "objects/json.h"
#include "objects/limits.h"
#include "objects/schema/checks.h"
#include "objects/schema/default_rules.h"
#include "objects/schema/rules.h"
#include "objects/schema/update_rules.h"

namespace muster::objects {

namespace {

// Keys that belong to the field and not to the type it refers to.
bool is_field_key(std::string_view key) {
  return key == "$ref" || key == "description" || key == "x-muster-pointer" ||
         key == "x-muster-proto" || key == "x-muster-proto-type" || key == "x-muster-always" ||
         key == "x-muster-name-format";
}

constexpr std::string_view object_meta_type = "meta.v1.ObjectMeta";

bool overrides_type(View schema) {
  for (MemberView member : schema.members()) {
    if (!is_field_key(member.key)) return true;
  }
  return false;
}

// The referenced type with the keys that stand beside $ref put over its own.
Value overridden(const Value& type, View schema) {
  Builder builder;
  builder.retain(type);
  std::vector<Node::Member> members;
  for (MemberView member : type.view().members()) {
    if (schema[member.key]) continue;
    members.push_back({builder.text(member.key), member.value.node()});
  }
  for (MemberView member : schema.members()) {
    if (is_field_key(member.key)) continue;
    members.push_back({builder.text(member.key), builder.copy(member.value)});
  }
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

// Fields whose protobuf number counts inside of a message that JSON does not show.
void mark_inlined(View schema, SchemaTables& tables, std::vector<FieldRecord>& fields) {
  for (const View message : schema["x-muster-proto-inline"].elements()) {
    const std::string_view inlined = tables.name(message["name"].string_or(""));
    for (const View name : message["fields"].elements()) {
      for (FieldRecord& field : fields) {
        if (field.name != name.string_or("")) continue;
        field.proto_message = static_cast<std::uint32_t>(message["number"].integer_or(0));
        field.inlined = inlined;
      }
    }
  }
}

Result<SchemaType> type_of(View schema, const PathFrame& path) {
  if (schema["x-kubernetes-int-or-string"].boolean_or(false)) return SchemaType::int_or_string;
  const View type = schema["type"];
  if (!type) return SchemaType::any;
  struct Named {
    std::string_view name;
    SchemaType type;
  };
  static constexpr Named types[] = {
      {"object", SchemaType::object}, {"array", SchemaType::array},
      {"string", SchemaType::string}, {"integer", SchemaType::integer},
      {"number", SchemaType::number}, {"boolean", SchemaType::boolean},
  };
  for (const Named& entry : types) {
    if (type.string_or("") == entry.name) return entry.type;
  }
  return Error::invalid("is not a type", path.field("type").to_string());
}

}  // namespace

SchemaCompiler::SchemaCompiler() : tables_(std::make_shared<SchemaTables>()) {}

Result<> SchemaCompiler::add_types(const Value& document) {
  const View types = document["types"];
  if (!types.is_object()) return Error::invalid("must be an object", "types");
  for (MemberView type : types.members()) {
    if (!type.value.is_object()) return Error::invalid("must be an object", std::string(type.key));
    const auto [_, added] = types_.try_emplace(std::string(type.key), document.part(type.value));
    if (!added) return Error::invalid("is defined twice", std::string(type.key));
  }
  return {};
}

Result<std::uint32_t> SchemaCompiler::add(const Value& schema, const Root& root) {
  nodes_max_ = tables_->nodes.size() + schema_nodes_max;
  const std::uint32_t node = TRY(allocate());
  const PathFrame path;
  TRY(fill(node, schema, {root.style, root.trust, 0, path}, {}));
  tables_->nodes[node].go_type = tables_->name(root.kind);
  TRY(drain());
  return node;
}

Result<std::uint32_t> SchemaCompiler::allocate() {
  if (tables_->nodes.size() >= nodes_max_) {
    return Error::too_large(fmt::format("the schema has more than {} nodes", schema_nodes_max));
  }
  tables_->nodes.emplace_back();
  return static_cast<std::uint32_t>(tables_->nodes.size() - 1);
}

Result<> SchemaCompiler::drain() {
  while (!pending_.empty()) {
    const Pending next = std::move(pending_.back());
    pending_.pop_back();
    const PathFrame root;
    const PathFrame path = root.field(next.type_name);
    TRY(fill(next.node, next.schema, {next.style, next.trust, 0, path}, next.type_name));
  }
  return {};
}

Result<std::uint32_t> SchemaCompiler::reference(View schema, const Place& place) {
  const std::string_view name = schema["$ref"].string_or("");
  const auto type = types_.find(name);
  if (type == types_.end()) {
    return Error::invalid(fmt::format("there is no type {}", go_quoted(name)),
                          place.path.field("$ref").to_string());
  }
  // Metadata is decoded by the server's own type for every kind.
  const SchemaStyle style = name == object_meta_type ? SchemaStyle::native : place.style;
  std::string key = fmt::format("{} {}", name, static_cast<int>(style));
  const bool overrides = overrides_type(schema);
  if (overrides) key += to_json(schema);
  if (const auto found = compiled_.find(key); found != compiled_.end()) return found->second;
  const std::uint32_t node = TRY(allocate());
  compiled_.emplace(std::move(key), node);
  Value body = overrides ? overridden(type->second, schema) : type->second;
  pending_.push_back({node, std::move(body), style, place.trust, type->first});
  return node;
}

Result<std::uint32_t> SchemaCompiler::child(View schema, const Place& place,
                                            const PathFrame& path) {
  if (!schema.is_object()) return Error::invalid("must be an object", path.to_string());
  if (place.depth >= schema_depth_max) {
    return Error::too_large(fmt::format("is nested deeper than {} levels", schema_depth_max),
                            path.to_string());
  }
  const Place inside{place.style, place.trust, place.depth + 1, path};
  if (schema["$ref"]) {
    if (place.trust == SchemaTrust::tenant) {
      return Error::invalid("$ref is not supported", path.field("$ref").to_string());
    }
    return reference(schema, inside);
  }
  const std::uint32_t node = TRY(allocate());
  TRY(fill(node, schema, inside, {}));
  return node;
}

Result<> SchemaCompiler::fill(std::uint32_t index, View schema, const Place& place,
                              std::string_view type_name) {
  NodeRecord node;
  if (!type_name.empty()) node.type_name = tables_->name(type_name);
  TRY(read_shape(node, schema, place));
  TRY(read_children(node, schema, place));
  TRY(read_topology(node, schema, place));
  TRY(read_constraints(node, schema, place));
  TRY(read_rules(node, schema, place));
  tables_->nodes[index] = node;
  read_default(index, schema, place);
  return {};
}

Result<> SchemaCompiler::read_shape(NodeRecord& node, View schema, const Place& place) {
  node.type = TRY(type_of(schema, place.path));
  node.style = place.style;
  node.nullable = schema["nullable"].boolean_or(false);
  node.preserves_unknown = schema["x-kubernetes-preserve-unknown-fields"].boolean_or(false);
  node.embedded_resource = schema["x-kubernetes-embedded-resource"].boolean_or(false);
  node.format = format_of(schema["format"].string_or(""));
  if (place.trust == SchemaTrust::ours) TRY(read_own_keys(node, schema, place));
  return {};
}

// The x-muster-… keys of a node (api/README.md).
Result<> SchemaCompiler::read_own_keys(NodeRecord& node, View schema, const Place& place) {
  node.immutable = schema["x-muster-immutable"].boolean_or(false);
  node.key_format = format_of(schema["x-muster-key-format"].string_or(""));
  if (const auto format = schema["x-muster-format"].string()) node.format = format_of(*format);
  if (const auto go_type = schema["x-muster-go-type"].string()) {
    node.go_type = tables_->name(*go_type);
  }
  if (const auto rule = schema["x-muster-update-rule"].string()) {
    node.update_rule = update_rule_of(*rule);
    if (node.update_rule == UpdateRule::none) {
      return Error::invalid("is not an update rule", place.path.to_string());
    }
  }
  if (const View unique = schema["x-muster-unique"]) {
    node.has_unique = true;
    node.unique_keys = static_cast<std::uint32_t>(tables_->keys.size());
    node.unique_count = static_cast<std::uint32_t>(unique.size());
    for (View key : unique.elements()) {
      tables_->keys.push_back(tables_->name(key.string_or("")));
    }
  }
  node.default_rules = static_cast<std::uint32_t>(tables_->default_rules.size());
  const View rules = schema["x-muster-default-rule"];
  const auto add_rule = [&](View name) -> Result<> {
    const DefaultRule rule = default_rule_of(name.string_or(""));
    if (rule == DefaultRule::none) {
      return Error::invalid(fmt::format("{} is not a default rule", go_printed(name)),
                            place.path.to_string());
    }
    tables_->default_rules.push_back(rule);
    ++node.default_rule_count;
    return {};
  };
  if (rules.is_string()) TRY(add_rule(rules));
  for (View name : rules.elements()) TRY(add_rule(name));
  return read_checks(node, schema["x-muster-check"], place);
}

Result<> SchemaCompiler::read_checks(NodeRecord& node, View names, const Place& place) {
  node.checks = static_cast<std::uint32_t>(tables_->checks.size());
  const auto add_check = [&](View name) -> Result<> {
    const Check check = find_check(name.string_or(""));
    if (check == nullptr) {
      return Error::invalid(fmt::format("{} is not a check", go_printed(name)),
                            place.path.to_string());
    }
    tables_->checks.push_back(check);
    ++node.check_count;
    return {};
  };
  if (names.is_string()) TRY(add_check(names));
  for (View name : names.elements()) TRY(add_check(name));
  return {};
}

Result<> SchemaCompiler::read_children(NodeRecord& node, View schema, const Place& place) {
  TRY(read_fields(node, schema, place));
  const View additional = schema["additionalProperties"];
  if (additional.is_object()) {
    const PathFrame path = place.path.field("additionalProperties");
    node.additional = TRY(child(additional, place, path));
  } else if (additional.boolean_or(false)) {
    node.preserves_unknown = true;
  }
  if (const View items = schema["items"]) {
    const PathFrame path = place.path.field("items");
    node.items = TRY(child(items, place, path));
  }
  return {};
}

Result<> SchemaCompiler::read_fields(NodeRecord& node, View schema, const Place& place) {
  const View properties = schema["properties"];
  const View required = schema["required"];
  const PathFrame parent = place.path.field("properties");
  if (properties && !properties.is_object()) {
    return Error::invalid("must be an object", parent.to_string());
  }
  if (properties.size() + required.size() + 3 > schema_fields_per_node_max) {
    return Error::too_large(fmt::format("must have at most {} fields", schema_fields_per_node_max),
                            parent.to_string());
  }
  const bool is_resource =
      place.trust == SchemaTrust::tenant && (place.depth == 0 || node.embedded_resource);
  std::vector<FieldRecord> fields;
  for (MemberView property : properties.members()) {
    if (property.key.empty()) continue;
    const PathFrame path = parent.map_key(property.key);
    const std::uint32_t index = TRY(child(property.value, place, path));
    if (is_resource && property.key == "metadata") {
      node.metadata_checks = index;
      continue;
    }
    FieldRecord field{.name = tables_->name(property.key), .node = index};
    if (place.trust == SchemaTrust::ours) {
      field.proto_number =
          static_cast<std::uint32_t>(property.value["x-muster-proto"].integer_or(0));
      field.pointer = property.value["x-muster-pointer"].boolean_or(false);
      // A CRD that refers to a type of Kubernetes gets its shape, not what Go makes of it.
      field.always =
          place.style == SchemaStyle::native && property.value["x-muster-always"].boolean_or(false);
      if (const auto format = property.value["x-muster-name-format"].string()) {
        node.name_format = format_of(*format);
      }
    }
    fields.push_back(field);
  }
  if (place.trust == SchemaTrust::ours) mark_inlined(schema, *tables_, fields);
  if (is_resource) TRY(add_resource_fields(fields));
  // A required name that is no property can still be demanded: it gets a field without a schema.
  const bool is_checked =
      place.style == SchemaStyle::native && schema["x-muster-required-by-check"].boolean_or(false);
  for (View entry : required.elements()) {
    const std::string_view name = is_checked ? "" : entry.string_or("");
    const auto known = std::find_if(fields.begin(), fields.end(),
                                    [&](const FieldRecord& field) { return field.name == name; });
    if (known != fields.end()) {
      known->required = true;
    } else if (!name.empty()) {
      fields.push_back({.name = tables_->name(name), .required = true});
    }
  }
  node.fields = static_cast<std::uint32_t>(tables_->fields.size());
  node.field_count = static_cast<std::uint16_t>(fields.size());
  tables_->fields.insert(tables_->fields.end(), fields.begin(), fields.end());
  return {};
}

// What every resource has, whether its schema says so or not.
Result<> SchemaCompiler::add_resource_fields(std::vector<FieldRecord>& fields) {
  for (const std::string_view name : {"apiVersion", "kind"}) {
    const bool known = std::any_of(fields.begin(), fields.end(),
                                   [&](const FieldRecord& field) { return field.name == name; });
    if (known) continue;
    const std::uint32_t index = TRY(allocate());
    tables_->nodes[index].type = SchemaType::string;
    fields.push_back({.name = name, .node = index});
  }
  FieldRecord metadata{.name = "metadata"};
  if (types_.contains(object_meta_type)) {
    const Value reference_to = Value::object({{"$ref", Value::string(object_meta_type)}});
    metadata.node = TRY(reference(reference_to, {SchemaStyle::native, SchemaTrust::ours, 0, {}}));
  } else {
    metadata.node = TRY(allocate());
    tables_->nodes[metadata.node].type = SchemaType::object;
    tables_->nodes[metadata.node].preserves_unknown = true;
  }
  fields.push_back(metadata);
  return {};
}

Result<> SchemaCompiler::read_topology(NodeRecord& node, View schema, const Place& place) {
  const std::string_view list_type = schema["x-kubernetes-list-type"].string_or("");
  node.has_list_type = !list_type.empty();
  node.list_type = list_type == "map"   ? ListType::map
                   : list_type == "set" ? ListType::set
                                        : ListType::atomic;
  if (schema["x-kubernetes-map-type"].string_or("") == "atomic") node.map_type = MapType::atomic;
  const View keys = schema["x-kubernetes-list-map-keys"];
  node.keys = static_cast<std::uint32_t>(tables_->keys.size());
  for (View key : keys.elements()) {
    if (!key.is_string()) {
      return Error::invalid("must be strings",
                            place.path.field("x-kubernetes-list-map-keys").to_string());
    }
    tables_->keys.push_back(tables_->name(key.string_or("")));
  }
  node.key_count = static_cast<std::uint32_t>(keys.size());
  node.merge_key = tables_->name(schema["x-kubernetes-patch-merge-key"].string_or(""));
  const std::string_view strategy = schema["x-kubernetes-patch-strategy"].string_or("");
  const auto has = [&](std::string_view word) {
    return strategy.find(word) != std::string_view::npos;
  };
  node.patch_strategy = {
      .merge = has("merge"), .replace = has("replace"), .retain_keys = has("retainKeys")};
  return {};
}

void SchemaCompiler::read_default(std::uint32_t node, View schema, const Place& place) {
  const View value = schema["default"];
  if (!value || value.is_null()) return;
  defaults_.push_back({node, Value::copy_of(value), place.path.field("default").to_string()});
}

}  // namespace muster::objects
