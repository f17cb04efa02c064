// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "objects/limits.h"
#include "objects/metadata.h"
#include "objects/schema/compile.h"
#include "objects/schema/definition_parts.h"
#include "objects/schema/definition_text.h"
#include "objects/schema/formats.h"
#include "objects/schema/structural.h"

namespace muster::objects {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// In the order in which kube-apiserver asks, which is the order of its errors.
class DefinitionCheck {
 public:
  DefinitionCheck(const Value& definition, View old)
      : spec_(definition["spec"]),
        versions_(spec_["versions"]),
        shared_(shared_parts(versions_)),
        definition_(definition),
        old_(old) {}

  FieldErrors run() {
    if (versions_.size() > schema_versions_max) {
      errors_.add(FieldError::too_many("spec.versions", versions_.size(), schema_versions_max));
      return std::move(errors_);
    }
    check_name();
    check_group();
    check_scope();
    check_versions();
    check_names();
    check_shared_parts();
    check_conversion(spec_["conversion"], "spec.conversion", errors_);
    if (old_) check_what_stays();
    if (spec_["preserveUnknownFields"].boolean_or(false)) {
      errors_.add(FieldError::invalid("spec.preserveUnknownFields", spec_["preserveUnknownFields"],
                                      "cannot set to true, set "
                                      "x-kubernetes-preserve-unknown-fields to true in "
                                      "spec.versions[*].schema instead"));
    }
    return std::move(errors_);
  }

 private:
  void check_name() {
    if (old_) return;
    const std::string wanted =
        fmt::format("{}.{}", spec_["names"]["plural"].string_or(""), spec_["group"].string_or(""));
    const std::string_view name = name_of(definition_);
    if (name == wanted) return;
    errors_.add(FieldError::invalid("metadata.name", Value::string(name),
                                    "must be spec.names.plural+\".\"+spec.group"));
  }

  void check_group() {
    const View group = spec_["group"];
    const std::string_view text = group.string_or("");
    if (text.empty()) {
      errors_.add(FieldError::required("spec.group"));
      return;
    }
    const auto sentences = dns_subdomain_violations(text);
    if (!sentences.empty()) {
      errors_.add(FieldError::invalid("spec.group", group, joined_sentences(sentences)));
    } else if (text.find('.') == std::string_view::npos) {
      errors_.add(
          FieldError::invalid("spec.group", group, "should be a domain with at least one dot"));
    }
  }

  void check_scope() {
    const View scope = spec_["scope"];
    const std::string_view text = scope.string_or("");
    if (text.empty()) {
      errors_.add(FieldError::required("spec.scope"));
    } else if (text != "Cluster" && text != "Namespaced") {
      const std::string supported[] = {"Cluster", "Namespaced"};
      errors_.add(FieldError::not_supported("spec.scope", scope, supported));
    }
  }

  void check_versions() {
    for (std::size_t i = 0; i < versions_.size(); ++i) {
      if (versions_[i]["schema"]["openAPIV3Schema"]) continue;
      errors_.add(FieldError::required(version_path(i) + ".schema.openAPIV3Schema"));
    }
    std::size_t storage = 0;
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < versions_.size(); ++i) {
      const View version = versions_[i];
      storage += version["storage"].boolean_or(false) ? std::size_t{1} : std::size_t{0};
      names.insert(version["name"].string_or(""));
      check_version(version, version_path(i));
    }
    const auto refuse = [&](std::string detail) {
      errors_.add(FieldError{FieldError::Type::invalid, "spec.versions",
                             go_versions(versions_, shared_), std::move(detail)});
    };
    if (names.size() != versions_.size()) refuse("must contain unique version names");
    if (storage != 1) refuse("must have exactly one version marked as storage version");
    if (versions_.empty()) return;
    // The first version is kept a second time, under the name it had before there were several.
    check_version_name(versions_[std::size_t{0}], "spec.version");
  }

  static std::string version_path(std::size_t index) {
    return fmt::format("spec.versions[{}]", index);
  }

  void check_version_name(View version, std::string path) {
    const std::string_view name = version["name"].string_or("");
    const auto sentences = dns1035_label_violations(name);
    if (sentences.empty()) return;
    errors_.add(
        FieldError::invalid(std::move(path), Value::string(name), joined_sentences(sentences)));
  }

  void check_version(View version, const std::string& path) {
    check_version_name(version, path + ".name");
    check_deprecation(version, path, errors_);
    const View schema = version["schema"]["openAPIV3Schema"];
    if (!shared_.schema) check_schema(schema, version, path + ".schema.openAPIV3Schema");
    if (!shared_.subresources) {
      check_subresources(version["subresources"], path + ".subresources", errors_);
    }
    if (!shared_.columns) {
      check_columns(version["additionalPrinterColumns"], path + ".additionalPrinterColumns",
                    errors_);
    }
    if (!shared_.selectable_fields) {
      check_selectable_fields(version["selectableFields"], schema, path + ".selectableFields",
                              errors_);
    }
  }

  void check_shared_parts() {
    const View first = versions_[std::size_t{0}];
    const View schema = first["schema"]["openAPIV3Schema"];
    if (shared_.schema) check_schema(schema, first, "spec.validation.openAPIV3Schema");
    if (shared_.subresources) {
      check_subresources(first["subresources"], "spec.subresources", errors_);
    }
    if (shared_.columns) {
      check_columns(first["additionalPrinterColumns"], "spec.additionalPrinterColumns", errors_);
    }
    if (shared_.selectable_fields) {
      check_selectable_fields(first["selectableFields"], schema, "spec.selectableFields", errors_);
    }
  }

  void check_schema(View schema, View version, const std::string& path) {
    if (!schema) return;
    const bool has_status = static_cast<bool>(version["subresources"]["status"]);
    check_definition_schema(schema, path, has_status, errors_);
  }

  void check_names() {
    const View names = spec_["names"];
    const std::string kind(names["kind"].string_or(""));
    const std::string singular(names["singular"].string_or(lower(kind)));
    const std::string list_kind(names["listKind"].string_or(kind.empty() ? "" : kind + "List"));
    const std::string plural(names["plural"].string_or(""));
    const std::pair<std::string_view, const std::string*> needed[] = {
        {"plural", &plural}, {"singular", &singular}, {"kind", &kind}, {"listKind", &list_kind}};
    for (const auto& [field, name] : needed) {
      if (name->empty()) errors_.add(FieldError::required(fmt::format("spec.names.{}", field)));
    }
    constexpr std::string_view mixed = "may have mixed case, but should otherwise match: ";
    check_label("plural", plural, "");
    check_label("singular", singular, "");
    check_label("kind", kind, mixed);
    check_label("listKind", list_kind, mixed);
    check_labels("shortNames", names["shortNames"]);
    if (!kind.empty() && kind == list_kind) {
      errors_.add(FieldError::invalid("spec.names.listKind", Value::string(list_kind),
                                      "kind and listKind may not be the same"));
    }
    check_labels("categories", names["categories"]);
  }

  void check_labels(std::string_view field, View list) {
    std::size_t index = 0;
    for (View name : list.elements()) {
      const auto sentences = dns1035_label_violations(name.string_or(""));
      const std::string path = fmt::format("spec.names.{}[{}]", field, index++);
      if (sentences.empty()) continue;
      errors_.add(FieldError::invalid(path, name, joined_sentences(sentences)));
    }
  }

  void check_label(std::string_view field, const std::string& name, std::string_view prefix) {
    if (name.empty()) return;
    const auto sentences = dns1035_label_violations(prefix.empty() ? name : lower(name));
    if (sentences.empty()) return;
    errors_.add(FieldError::invalid(fmt::format("spec.names.{}", field), Value::string(name),
                                    std::string(prefix) + joined_sentences(sentences)));
  }

  // What the stored objects depend on.
  void check_what_stays() {
    const View old = old_["spec"];
    const auto same = [&](View now, View before, std::string path) {
      if (now == before) return;
      errors_.add(FieldError::invalid(std::move(path), now, "field is immutable"));
    };
    if (is_true(condition(old_, "Established"))) {
      same(spec_["scope"], old["scope"], "spec.scope");
      same(spec_["names"]["kind"], old["names"]["kind"], "spec.names.kind");
    }
    same(spec_["group"], old["group"], "spec.group");
    same(spec_["names"]["plural"], old["names"]["plural"], "spec.names.plural");
  }

  View spec_;
  View versions_;
  SharedParts shared_;
  const Value& definition_;
  View old_;
  FieldErrors errors_;
};

}  // namespace

FieldErrors check_definition(const Value& definition, View old_definition) {
  return DefinitionCheck(definition, old_definition).run();
}

std::string schema_path(View versions, std::size_t index) {
  const View first = versions[std::size_t{0}]["schema"];
  bool all_equal = true;
  for (View version : versions.elements()) all_equal = all_equal && version["schema"] == first;
  if (all_equal) return "spec.validation.openAPIV3Schema";
  return fmt::format("spec.versions[{}].schema.openAPIV3Schema", index);
}

Schema compile_definition(const Value& schema, std::string_view kind, std::span<const Value> types,
                          const std::string& path, FieldErrors& errors) {
  SchemaCompiler compiler;
  for (const Value& document : types) {
    if (const auto added = compiler.add_types(document); !added) {
      errors.add(FieldError::internal(path, added.error().to_string()));
      return {};
    }
  }
  const auto refuse = [&](const Error& error) {
    std::string at = error.field.empty() ? path : path + "." + error.field;
    errors.add(error.code == ErrorCode::too_large
                   ? FieldError::forbidden(std::move(at), error.message)
                   : FieldError{FieldError::Type::invalid, std::move(at), "\"\"", error.message});
  };
  const auto root = compiler.add(
      schema, {.style = SchemaStyle::custom, .trust = SchemaTrust::tenant, .kind = kind});
  if (!root) {
    refuse(root.error());
    return {};
  }
  auto finished = std::move(compiler).finish_checked(path, errors);
  if (!finished) {
    refuse(finished.error());
    return {};
  }
  return errors.empty() ? Schema(std::move(*finished), *root) : Schema();
}

}  // namespace muster::objects
