// SPDX-License-Identifier: Apache-2.0
#include "server/openapi.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "objects/json.h"
#include "objects/kinds.h"
#include "objects/yaml.h"
#include "server/descriptions.h"
#include "server/discovery.h"
#include "server/json_text.h"
#include "server/openapi_v2.h"

namespace muster::server {

using objects::Kind;
using objects::KindRegistry;
using objects::KindVersion;
using objects::MemberView;
using objects::Scope;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view reference_prefix = "#/components/schemas/";

// What the peer publishes as required where that is not what it refuses to miss.
constexpr std::string_view published_required = "x-muster-published-required";

std::string component_name(const Kind& kind, std::string_view version) {
  return fmt::format("{}.{}.{}", kind.group.empty() ? "core" : kind.group, version, kind.kind);
}

// `kueue.x-k8s.io` as Java would name it: `io.x-k8s.kueue`.
std::string reversed(std::string_view domain) {
  std::string out;
  while (!domain.empty()) {
    const std::size_t dot = domain.rfind('.');
    if (!out.empty()) out += '.';
    out += dot == std::string_view::npos ? domain : domain.substr(dot + 1);
    domain = dot == std::string_view::npos ? std::string_view() : domain.substr(0, dot);
  }
  return out;
}

std::string published_group(std::string_view group) {
  const std::string_view first = group.substr(0, group.find('.'));
  if (group == "meta") return "io.k8s.apimachinery.pkg.apis.meta";
  if (first == "apiextensions") return "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions";
  if (first == "apiregistration") return "io.k8s.kube-aggregator.pkg.apis.apiregistration";
  const bool is_own = first == group || (group.ends_with(".k8s.io") && first != "embedded");
  return is_own ? fmt::format("io.k8s.api.{}", first) : reversed(group);
}

// The name under which clients know a type: `core.v1.Pod` is `io.k8s.api.core.v1.Pod`.
std::string published_name(std::string_view name) {
  if (name == "resource.Quantity") return "io.k8s.apimachinery.pkg.api.resource.Quantity";
  if (name == "runtime.RawExtension") return "io.k8s.apimachinery.pkg.runtime.RawExtension";
  const std::size_t kind = name.rfind('.');
  const std::size_t version = kind == std::string_view::npos ? kind : name.rfind('.', kind - 1);
  if (version == std::string_view::npos || name.starts_with("embedded.")) return std::string(name);
  return published_group(name.substr(0, version)) + std::string(name.substr(version));
}

std::string document_name(std::string_view group, std::string_view version) {
  return group.empty() ? fmt::format("api/{}", version) : fmt::format("apis/{}/{}", group, version);
}

// Formats that only this program knows; a reader of OpenAPI has no use for them.
bool is_public_format(std::string_view format) {
  constexpr std::string_view known[] = {"int32", "int64",     "float",   "double",
                                        "byte",  "date-time", "password"};
  for (const std::string_view each : known) {
    if (each == format) return true;
  }
  return false;
}

// Writes the schemas of api/ as components, and collects the shared types that they name.
class SchemaWriter {
 public:
  SchemaWriter(JsonText& out, std::set<std::string>& named) : out_(out), named_(named) {}

  void write(View schema) {
    out_.begin_object();
    write_members(schema);
    out_.end_object();
  }

  // A type that others refer to by this name.
  void write_named(View schema, std::string_view name) {
    sorts_choices_ = !name.starts_with("embedded.");
    out_.begin_object();
    write_description(schema, description_of(name));
    write_members(schema, false, name);
    out_.end_object();
  }

  void write_root(View schema, const Kind& kind, const KindVersion& version) {
    const std::string name = component_name(kind, version.name);
    sorts_choices_ = kind.style == objects::SchemaStyle::native;
    out_.begin_object();
    write_description(schema, description_of(name));
    write_members(schema, is_tenant(kind), is_tenant(kind) ? std::string_view() : name);
    if (is_tenant(kind) && !schema["properties"]) {
      out_.key("properties").begin_object();
      write_resource_fields(View());
      out_.end_object();
    }
    out_.key("x-kubernetes-group-version-kind").begin_array();
    write_group_version_kind(out_, kind, version.name);
    out_.end_array().end_object();
  }

  static void write_group_version_kind(JsonText& out, const Kind& kind, std::string_view version) {
    out.begin_object().key("group").text(kind.group).key("kind").text(kind.kind);
    out.key("version").text(version).end_object();
  }

 private:
  static bool is_tenant(const Kind& kind) { return !kind.is_built_in; }

  void write_description(View schema, std::string_view text) {
    if (schema["description"] || text.empty()) return;
    out_.key("description").text(text);
  }

  void write_members(View schema, bool with_metadata = false, std::string_view type = {}) {
    if (const auto name = schema["$ref"].string()) {
      write_reference(*name);
      if (const View description = schema["description"]) {
        out_.key("description").value(description);
      }
      if (const View fallback = schema["default"]) out_.key("default").value(fallback);
      return;
    }
    for (const MemberView member : schema.members()) {
      if (member.key == "properties") {
        write_properties(member.value, with_metadata, type);
      } else if (member.key == "items" ||
                 (member.key == "additionalProperties" && member.value.is_object())) {
        out_.key(member.key);
        write(member.value);
      } else if (member.key == published_required) {
        if (!member.value.empty()) out_.key("required").value(member.value);
      } else if (member.key == "required" && schema[published_required]) {
        continue;
      } else if (member.key == "enum" && sorts_choices_) {
        write_sorted(member.value);
      } else if (is_kept(member)) {
        out_.key(member.key).value(member.value);
      }
    }
  }

  // The peer's own kinds list what a field may be by the alphabet.
  void write_sorted(View choices) {
    std::vector<std::string_view> sorted;
    for (const View choice : choices.elements()) sorted.push_back(choice.string_or(""));
    std::sort(sorted.begin(), sorted.end());
    out_.key("enum").begin_array();
    for (const std::string_view choice : sorted) out_.text(choice);
    out_.end_array();
  }

  // Rules and our own keys are for the server alone.
  static bool is_kept(const MemberView& member) {
    if (member.key.starts_with("x-muster-") || member.key == "x-kubernetes-validations") {
      return false;
    }
    return member.key != "format" || is_public_format(member.value.string_or(""));
  }

  // In `allOf`, because keys beside a reference are not read.
  void write_reference(std::string_view name) {
    named_.emplace(name);
    out_.key("allOf").begin_array().begin_object();
    out_.key("$ref").text(fmt::format("{}{}", reference_prefix, published_name(name)));
    out_.end_object().end_array();
  }

  void write_properties(View properties, bool with_metadata, std::string_view type) {
    out_.key("properties").begin_object();
    for (const MemberView property : properties.members()) {
      if (with_metadata && property.key == "metadata") continue;
      out_.key(property.key).begin_object();
      if (!type.empty()) write_description(property.value, description_of(type, property.key));
      write_members(property.value);
      out_.end_object();
    }
    if (with_metadata) write_resource_fields(properties);
    out_.end_object();
  }

  // What every object has, whether or not its definition says so.
  void write_resource_fields(View properties) {
    for (const std::string_view field : {"apiVersion", "kind"}) {
      if (properties[field]) continue;
      out_.key(field).begin_object().key("description").text(description_of(field));
      out_.key("type").text("string").end_object();
    }
    out_.key("metadata").begin_object();
    out_.key("description").text(description_of("metadata"));
    write_reference("meta.v1.ObjectMeta");
    out_.end_object();
  }

  JsonText& out_;
  std::set<std::string>& named_;
  bool sorts_choices_ = false;
};

void write_parameter(JsonText& out, std::string_view name, std::string_view type) {
  out.begin_object().key("name").text(name).key("in").text("query").key("schema");
  out.begin_object().key("type").text(type).end_object().end_object();
}

void write_operation(JsonText& out, std::string_view method, const Kind& kind,
                     std::string_view version) {
  const bool writes = method == "post" || method == "put" || method == "patch";
  out.key(method).begin_object().key("parameters").begin_array();
  if (writes) {
    write_parameter(out, "dryRun", "string");
    write_parameter(out, "fieldManager", "string");
    write_parameter(out, "fieldValidation", "string");
  }
  if (method == "patch") write_parameter(out, "force", "boolean");
  out.end_array().key("responses").begin_object().key("200").begin_object();
  out.key("description").text("OK").key("content").begin_object();
  out.key("application/json").begin_object().key("schema").begin_object();
  out.key("$ref").text(
      fmt::format("{}{}", reference_prefix, published_name(component_name(kind, version))));
  out.end_object().end_object().end_object().end_object().end_object();
  out.key("x-kubernetes-group-version-kind");
  SchemaWriter::write_group_version_kind(out, kind, version);
  out.end_object();
}

void write_paths(JsonText& out, const Kind& kind, const KindVersion& version) {
  const std::string root = fmt::format("/{}/", document_name(kind.group, version.name));
  if (verbs_of(kind).empty()) return;
  const std::string collection =
      kind.scope == Scope::namespaced
          ? fmt::format("{}namespaces/{{namespace}}/{}", root, kind.plural)
          : root + kind.plural;
  if (!kind.is_stored) {
    const bool is_read = kind.own_verbs.front() == "get";
    out.key(collection).begin_object();
    write_operation(out, is_read ? "get" : "post", kind, version.name);
    out.end_object();
    if (!is_read) return;
    out.key(collection + "/{name}").begin_object();
    write_operation(out, "get", kind, version.name);
    out.end_object();
    return;
  }
  if (kind.scope == Scope::namespaced) {
    out.key(root + kind.plural).begin_object();
    write_operation(out, "get", kind, version.name);
    out.end_object();
  }
  out.key(collection).begin_object();
  for (const std::string_view method : {"get", "post", "delete"}) {
    write_operation(out, method, kind, version.name);
  }
  out.end_object().key(collection + "/{name}").begin_object();
  for (const std::string_view method : {"get", "put", "patch", "delete"}) {
    write_operation(out, method, kind, version.name);
  }
  out.end_object();
  if (!version.has_status) return;
  out.key(collection + "/{name}/status").begin_object();
  for (const std::string_view method : {"get", "put", "patch"}) {
    write_operation(out, method, kind, version.name);
  }
  out.end_object();
}

std::vector<Value> read_types() {
  std::vector<Value> types;
  for (const objects::EmbeddedFile& file : objects::api_files()) {
    if (!file.path.starts_with("types/")) continue;
    types.push_back(objects::parse_yaml_document(file.text).must());
  }
  return types;
}

View find_type(const std::vector<Value>& documents, const std::string& name) {
  for (const Value& document : documents) {
    if (const View type = document["types"][name]) return type;
  }
  return {};
}

// Types name types: until no new one is named.
void write_types(JsonText& out, const std::vector<Value>& types, std::set<std::string> wanted) {
  std::set<std::string> written;
  while (!wanted.empty()) {
    const std::string name = *wanted.begin();
    wanted.erase(wanted.begin());
    if (!written.insert(name).second) continue;
    std::set<std::string> named;
    out.key(published_name(name));
    SchemaWriter(out, named).write_named(find_type(types, name), name);
    wanted.merge(named);
  }
}

std::string make_document(const std::vector<KindRegistry::Found>& kinds, std::string_view version,
                          const std::vector<Value>& types) {
  JsonText out;
  out.begin_object().key("openapi").text("3.0.0").key("info").begin_object();
  out.key("title").text("Muster").key("version").text(version).end_object();
  out.key("paths").begin_object();
  for (const KindRegistry::Found& kind : kinds) write_paths(out, *kind, *kind->version(version));
  out.end_object().key("components").begin_object().key("schemas").begin_object();
  std::set<std::string> named;
  std::set<std::string> written;  // two resources may be of one kind
  for (const KindRegistry::Found& kind : kinds) {
    const KindVersion& served = *kind->version(version);
    if (!written.insert(component_name(*kind, version)).second) continue;
    out.key(published_name(component_name(*kind, version)));
    SchemaWriter(out, named)
        .write_root(served.definition["schema"]["openAPIV3Schema"], *kind, served);
  }
  write_types(out, types, std::move(named));
  out.end_object().end_object().end_object();
  return std::move(out).take();
}

}  // namespace

OpenApi::OpenApi(const KindRegistry& registry) {
  std::string built_in;
  for (const objects::EmbeddedFile& file : objects::api_files()) built_in += file.text;
  const std::string built_in_hash = content_hash(built_in);
  for (const KindRegistry::Found& kind : registry.kinds()) {
    const std::string hash =
        kind->is_built_in ? built_in_hash : content_hash(objects::to_json(kind->definition));
    for (const KindVersion& version : kind->versions) {
      if (!version.served) continue;
      Entry& entry = entries_[document_name(kind->group, version.name)];
      entry.version = version.name;
      entry.hash = content_hash(fmt::format("{} {} {}", entry.hash, kind->plural, hash));
      entry.kinds.push_back(kind);
    }
  }
  JsonText out;
  out.begin_object().key("paths").begin_object();
  for (const auto& [name, entry] : entries_) {
    out.key(name).begin_object().key("serverRelativeURL");
    out.text(fmt::format("/openapi/v3/{}?hash={}", name, entry.hash)).end_object();
  }
  out.end_object().end_object();
  index_.text = std::move(out).take();
  index_.etag = fmt::format("\"{}\"", content_hash(index_.text));
}

const TaggedText* OpenApi::document(std::string_view name) {
  const auto found = entries_.find(name);
  if (found == entries_.end()) return nullptr;
  Entry& entry = found->second;
  if (entry.document.text.empty()) {
    if (types_.empty()) types_ = read_types();
    entry.document.text = make_document(entry.kinds, entry.version, types_);
    entry.document.etag = fmt::format("\"{}\"", entry.hash);
  }
  return &entry.document;
}

const TaggedText& OpenApi::swagger(bool as_protobuf) {
  TaggedText& wanted = as_protobuf ? swagger_protobuf_ : swagger_;
  if (!wanted.text.empty()) return wanted;
  if (types_.empty()) types_ = read_types();
  OpenApiV2 maker;
  for (const auto& [name, entry] : entries_) {
    const std::string text = make_document(entry.kinds, entry.version, types_);
    maker.add(objects::parse_json(text, {.bytes_max = text.size()}).must());
  }
  const Value document = std::move(maker).finish();
  wanted.text = as_protobuf ? to_gnostic(document) : objects::to_json(document);
  wanted.etag = index_.etag;  // the same kinds make the same document
  return wanted;
}

}  // namespace muster::server
