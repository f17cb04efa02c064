// SPDX-License-Identifier: Apache-2.0
#include "objects/kind_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/check.h"
#include "objects/builder.h"
#include "objects/kinds.h"
#include "objects/same_text.h"
#include "objects/schema/compile.h"
#include "objects/schema/definition.h"
#include "objects/yaml.h"

namespace muster::objects {

namespace {

std::string resource_key(std::string_view group, std::string_view plural) {
  std::string key;
  key.reserve(group.size() + 1 + plural.size());
  key.append(group).append(1, '/').append(plural);
  return key;
}

std::size_t resource_hash(std::string_view group, std::string_view plural) {
  const std::hash<std::string_view> hash;
  return hash(group) * 31 + hash(plural);
}

std::vector<std::string> texts(View list) {
  std::vector<std::string> all;
  for (View entry : list.elements()) all.emplace_back(entry.string_or(""));
  return all;
}

// Whether there is nothing but expressions that do not compile. Those the peer tells only where
// the defaults are fine.
bool are_of_expressions(const FieldErrors& errors) {
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!errors[i].detail.starts_with("compilation failed")) return false;
  }
  return true;
}

Node without_rules(Builder& builder, View view) {
  if (view.is_array()) {
    std::vector<Node> elements;
    for (const View each : view.elements()) elements.push_back(without_rules(builder, each));
    return builder.array(elements);
  }
  if (!view.is_object()) return view.node();
  std::vector<Node::Member> members;
  for (const MemberView member : view.members()) {
    if (member.key == "x-kubernetes-validations") continue;
    members.push_back({builder.text(member.key), without_rules(builder, member.value)});
  }
  return builder.object(members);
}

Value without_rules(const Value& definition) {
  Builder builder;
  builder.retain(definition);
  const Node root = without_rules(builder, definition);
  return std::move(builder).finish(root);
}

FieldErrors of_defaults(const FieldErrors& errors) {
  FieldErrors out;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (errors[i].path.find(".default") != std::string::npos) out.add(errors[i]);
  }
  return out;
}

// Everything but the schemas.
Kind read_kind(const Value& definition, View names) {
  const View spec = definition["spec"];
  Kind kind;
  kind.group = spec["group"].string_or("");
  kind.kind = names["kind"].string_or("");
  kind.list_kind = names["listKind"].string_or(kind.kind + "List");
  kind.plural = names["plural"].string_or("");
  kind.singular = names["singular"].string_or("");
  if (kind.singular.empty()) {
    kind.singular = kind.kind;
    for (char& c : kind.singular) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
  }
  kind.short_names = texts(names["shortNames"]);
  kind.categories = texts(names["categories"]);
  kind.scope = spec["scope"].string_or("") == "Cluster" ? Scope::cluster : Scope::namespaced;
  if (const View verbs = spec["x-muster-verbs"]) {
    kind.is_stored = false;
    kind.own_verbs = texts(verbs);
  }
  for (View version : spec["versions"].elements()) {
    KindVersion read;
    read.name = version["name"].string_or("");
    read.served = version["served"].boolean_or(false);
    read.storage = version["storage"].boolean_or(false);
    read.has_status = !version["subresources"]["status"].is_absent();
    read.definition = definition.part(version);
    kind.versions.push_back(std::move(read));
  }
  kind.definition = definition;
  return kind;
}

}  // namespace

const KindVersion* Kind::version(std::string_view name) const {
  for (const KindVersion& entry : versions) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

const KindVersion& Kind::storage_version() const {
  if (stored_as != nullptr) return stored_as->storage_version();
  for (const KindVersion& entry : versions) {
    if (entry.storage) return entry;
  }
  CHECK(false, "every kind has a storage version");
}

std::string Kind::qualified_name() const {
  return group.empty() ? kind : fmt::format("{}.{}", kind, group);
}

Result<KindRegistry> KindRegistry::built_in() {
  KindRegistry registry;
  SchemaCompiler compiler;
  std::vector<Value> definitions;
  for (const EmbeddedFile& file : api_files()) {
    Value document = TRY(parse_yaml_document(file.text));
    if (document["kind"].string() == "Types") {
      TRY(compiler.add_types(document));
      // Of the shared types a tenant's kind has only its metadata.
      if (document["types"]["meta.v1.ObjectMeta"]) registry.types_.push_back(std::move(document));
    } else {
      definitions.push_back(std::move(document));
    }
  }
  std::vector<Kind> kinds;
  std::vector<std::vector<std::uint32_t>> roots;
  for (const Value& definition : definitions) {
    Kind kind = read_kind(definition, definition["spec"]["names"]);
    kind.is_built_in = true;
    kind.style = definition["spec"]["x-muster-builtin"].boolean_or(false) ? SchemaStyle::native
                                                                          : SchemaStyle::custom;
    std::vector<std::uint32_t> nodes;
    for (const KindVersion& version : kind.versions) {
      const Value& whole = version.definition;
      nodes.push_back(TRY(compiler.add(whole.part(whole["schema"]["openAPIV3Schema"]),
                                       {.style = kind.style, .kind = kind.kind})));
    }
    kinds.push_back(std::move(kind));
    roots.push_back(std::move(nodes));
  }
  const auto tables = TRY(std::move(compiler).finish());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    for (std::size_t v = 0; v < kinds[i].versions.size(); ++v) {
      kinds[i].versions[v].schema = Schema(tables, roots[i][v]);
    }
  }
  TRY(registry.take(std::move(kinds)));
  return registry;
}

// Those that are stored as another kind come after it.
Result<> KindRegistry::take(std::vector<Kind> kinds) {
  const auto other_of = [](const Kind& kind) {
    return kind.definition["spec"]["x-muster-stored-as"];
  };
  std::stable_partition(kinds.begin(), kinds.end(),
                        [&](const Kind& kind) { return !other_of(kind); });
  for (Kind& kind : kinds) {
    if (const View other = other_of(kind)) {
      kind.stored_as = find_resource(other["group"].string_or(""), other["plural"].string_or(""));
      if (kind.stored_as == nullptr) {
        return Error::invalid("names no kind", "spec.x-muster-stored-as");
      }
    }
    std::string key = resource_key(kind.group, kind.plural);
    put(std::move(key), std::move(kind));
  }
  return {};
}

bool KindRegistry::is_built_in(View definition) const {
  const View spec = definition["spec"];
  const auto known = by_resource_.find(
      resource_key(spec["group"].string_or(""), spec["names"]["plural"].string_or("")));
  return known != by_resource_.end() && known->second->is_built_in;
}

FieldErrors KindRegistry::compile(const Value& definition, Kind& kind) const {
  FieldErrors errors;
  for (std::size_t i = 0; i < kind.versions.size(); ++i) {
    const Value& version = kind.versions[i].definition;
    const Value schema = version.part(version["schema"]["openAPIV3Schema"]);
    const std::string path = schema_path(definition["spec"]["versions"], i);
    kind.versions[i].schema = compile_definition(schema, kind.kind, types_, path, errors);
  }
  return errors;
}

FieldErrors KindRegistry::check(const Value& definition, View old_definition) const {
  FieldErrors errors = check_definition(definition, old_definition);
  if (is_built_in(definition) || !are_of_expressions(errors)) return errors;
  const Value compilable = errors.empty() ? definition : without_rules(definition);
  Kind kind = read_kind(compilable, compilable["spec"]["names"]);
  FieldErrors compiled = compile(compilable, kind);
  if (errors.empty()) return compiled;
  const FieldErrors defaults = of_defaults(compiled);
  return defaults.empty() ? errors : defaults;
}

FieldErrors KindRegistry::add(const Value& definition) {
  FieldErrors errors = check_definition(definition);
  if (!errors.empty()) return errors;
  return add(definition, definition["spec"]["names"], 0);
}

FieldErrors KindRegistry::add(const Value& definition, View names, std::uint64_t since_revision) {
  FieldErrors errors;
  if (is_built_in(definition)) {
    errors.add(FieldError::forbidden("metadata.name", "this kind is built in"));
    return errors;
  }
  Kind kind = read_kind(definition, names);
  const auto stores = [](const KindVersion& version) { return version.storage; };
  if (std::count_if(kind.versions.begin(), kind.versions.end(), stores) != 1) {
    errors.add(FieldError::required("spec.versions", "must have one storage version"));
    return errors;
  }
  errors = compile(definition, kind);
  if (!errors.empty()) return errors;
  kind.since_revision = since_revision;
  std::string key = resource_key(kind.group, kind.plural);
  put(std::move(key), std::move(kind));
  ++generation_;
  return errors;
}

bool KindRegistry::remove(std::string_view group, std::string_view plural) {
  const auto found = by_resource_.find(resource_key(group, plural));
  if (found == by_resource_.end() || found->second->is_built_in) return false;
  forget(*found->second);
  by_resource_.erase(found);
  ++generation_;
  return true;
}

KindRegistry::Found KindRegistry::find(std::string_view group, std::string_view kind) const {
  for (const auto& [_, entry] : by_resource_) {
    if (entry->group == group && entry->kind == kind) return entry;
  }
  return nullptr;
}

KindRegistry::Found KindRegistry::find_resource(std::string_view group,
                                                std::string_view plural) const {
  const auto [first, last] = by_hash_.equal_range(resource_hash(group, plural));
  for (auto at = first; at != last; ++at) {
    const Kind& kind = *at->second;
    if (!is_same_text(kind.plural, plural) || !is_same_text(kind.group, group)) continue;
    return kind.is_stored || !kind.own_verbs.empty() ? at->second : nullptr;
  }
  return nullptr;
}

void KindRegistry::put(std::string key, Kind kind) {
  Found& place = by_resource_[std::move(key)];
  if (place != nullptr) forget(*place);
  place = std::make_shared<const Kind>(std::move(kind));
  by_hash_.emplace(resource_hash(place->group, place->plural), place);
}

void KindRegistry::forget(const Kind& kind) {
  const auto [first, last] = by_hash_.equal_range(resource_hash(kind.group, kind.plural));
  for (auto at = first; at != last; ++at) {
    if (at->second.get() != &kind) continue;
    by_hash_.erase(at);
    return;
  }
}

KindRegistry::Found KindRegistry::find_name(std::string_view name) const {
  const auto answers = [&](const Kind& kind) {
    if (!kind.is_stored) return false;
    return kind.plural == name || kind.singular == name ||
           std::find(kind.short_names.begin(), kind.short_names.end(), name) !=
               kind.short_names.end();
  };
  Found found;
  for (const auto& [_, kind] : by_resource_) {
    if (!answers(*kind)) continue;
    if (kind->is_built_in) return kind;
    if (!found) found = kind;
  }
  return found;
}

std::vector<KindRegistry::Found> KindRegistry::kinds() const {
  std::vector<Found> all;
  all.reserve(by_resource_.size());
  for (const auto& [_, kind] : by_resource_) all.push_back(kind);
  return all;
}

}  // namespace muster::objects
