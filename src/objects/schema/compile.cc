// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "objects/builder.h"
#include "objects/json.h"
#include "objects/limits.h"
#include "objects/schema/rules.h"

namespace muster::objects {

namespace {

// Keys that belong to the field and not to the type it refers to.
bool is_field_key(std::string_view key) {
  return key == "$ref" || key == "description" || key == "x-muster-pointer" ||
         key == "x-muster-proto" || key == "x-muster-proto-type" || key == "x-muster-inline";
}

// Types that kube-apiserver compiles in. Their hand-written checks and defaults are not part of
// what a CRD generator publishes for them.
bool is_native_type(std::string_view name) {
  static constexpr std::string_view prefixes[] = {"core.", "batch.", "scheduling.", "node.",
                                                  "coordination."};
  return std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
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

DefaultRule default_rule_of(std::string_view name) {
  struct Named {
    std::string_view name;
    DefaultRule rule;
  };
  static constexpr Named rules[] = {
      {"image-pull-policy", DefaultRule::image_pull_policy},
      {"requests-from-limits", DefaultRule::requests_from_limits},
      {"job-parallelism", DefaultRule::job_parallelism},
      {"job-completions", DefaultRule::job_completions},
      {"job-backoff-limit", DefaultRule::job_backoff_limit},
      {"job-pod-replacement-policy", DefaultRule::job_pod_replacement_policy},
      {"service-port-target-port", DefaultRule::service_port_target_port},
  };
  for (const Named& entry : rules) {
    if (entry.name == name) return entry.rule;
  }
  return DefaultRule::none;
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
  const Reading reading = root.style == SchemaStyle::native ? Reading::native : Reading::written;
  const PathFrame path;
  TRY(fill(node, schema, {reading, root.trust, 0, path}, {}));
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
    TRY(fill(next.node, next.schema, {next.reading, next.trust, next.depth, path}, next.type_name));
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
  Reading reading = place.reading;
  if (reading == Reading::written && is_native_type(name)) reading = Reading::published;
  // Metadata is decoded by the server's own type for every kind.
  if (name == object_meta_type) reading = Reading::native;
  std::string key = fmt::format("{} {}", name, static_cast<int>(reading));
  const bool overrides = overrides_type(schema);
  if (overrides) key += to_json(schema);
  if (const auto found = compiled_.find(key); found != compiled_.end()) return found->second;
  const std::uint32_t node = TRY(allocate());
  compiled_.emplace(std::move(key), node);
  Value body = overrides ? overridden(type->second, schema) : type->second;
  pending_.push_back({node, std::move(body), reading, place.trust, type->first, 0});
  return node;
}

Result<std::uint32_t> SchemaCompiler::child(View schema, const Place& place,
                                            const PathFrame& path) {
  if (!schema.is_object()) return Error::invalid("must be an object", path.to_string());
  if (place.depth >= schema_depth_max) {
    return Error::too_large(fmt::format("is nested deeper than {} levels", schema_depth_max),
                            path.to_string());
  }
  const Place inside{place.reading, place.trust, place.depth + 1, path};
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
  node.type_name = type_name;
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
  node.style = place.reading == Reading::native ? SchemaStyle::native : SchemaStyle::custom;
  node.nullable = schema["nullable"].boolean_or(false);
  node.preserves_unknown = schema["x-kubernetes-preserve-unknown-fields"].boolean_or(false);
  node.embedded_resource = schema["x-kubernetes-embedded-resource"].boolean_or(false);
  node.format = format_of(schema["format"].string_or(""));
  if (place.trust == SchemaTrust::tenant) return {};
  if (place.reading == Reading::published && node.format > Format::quantity) {
    node.format = Format::none;
  }
  if (place.reading == Reading::published) return {};
  node.immutable = schema["x-muster-immutable"].boolean_or(false);
  if (const auto go_type = schema["x-muster-go-type"].string()) {
    node.go_type = tables_->name(*go_type);
  }
  if (const auto rule = schema["x-muster-default-rule"].string()) {
    node.default_rule = default_rule_of(*rule);
    if (node.default_rule == DefaultRule::none) {
      return Error::invalid("is not a default rule",
                            place.path.field("x-muster-default-rule").to_string());
    }
  }
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
  const View required = required_of(schema, place);
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
    }
    fields.push_back(field);
  }
  if (is_resource) TRY(add_resource_fields(fields));
  // A required name that is no property can still be demanded: it gets a field without a schema.
  for (View entry : required.elements()) {
    const std::string_view name = entry.string_or("");
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

View SchemaCompiler::required_of(View schema, const Place& place) {
  const View published = schema["x-muster-crd"]["required"];
  if (place.reading == Reading::published && published) return published;
  return schema["required"];
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
    metadata.node = TRY(reference(reference_to, {Reading::native, SchemaTrust::ours, 0, {}}));
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
  View value = schema["default"];
  if (place.reading == Reading::published) value = schema["x-muster-crd"]["default"];
  if (!value) return;
  defaults_.push_back({node, Value::copy_of(value), place.path.field("default").to_string()});
}

}  // namespace muster::objects
