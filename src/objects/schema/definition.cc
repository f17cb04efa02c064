// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "objects/limits.h"
#include "objects/schema/compile.h"
#include "objects/schema/formats.h"
#include "objects/schema/structural.h"

namespace muster::objects {

namespace {

std::string joined(const std::vector<std::string>& sentences) {
  return fmt::format("{}", fmt::join(sentences, ","));
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

class DefinitionCheck {
 public:
  explicit DefinitionCheck(const Value& definition) : definition_(definition) {}

  FieldErrors run() {
    const View spec = definition_["spec"];
    check_group(spec);
    const View scope = spec["scope"];
    if (!scope) {
      errors_.add(FieldError::required("spec.scope"));
    } else if (scope.string() != "Cluster" && scope.string() != "Namespaced") {
      const std::string supported[] = {"Cluster", "Namespaced"};
      errors_.add(FieldError::not_supported("spec.scope", scope, supported));
    }
    check_versions(spec["versions"]);
    check_names(spec["names"]);
    return std::move(errors_);
  }

 private:
  void check_group(View spec) {
    const std::string_view group = spec["group"].string_or("");
    const std::string_view plural = spec["names"]["plural"].string_or("");
    const View name = definition_["metadata"]["name"];
    if (name.string_or("") != fmt::format("{}.{}", plural, group)) {
      errors_.add(FieldError::invalid("metadata.name", Value::string(name.string_or("")),
                                      "must be spec.names.plural+\".\"+spec.group"));
    }
    if (group.empty()) {
      errors_.add(FieldError::required("spec.group"));
      return;
    }
    const auto sentences = dns_subdomain_violations(group);
    if (!sentences.empty()) {
      errors_.add(FieldError::invalid("spec.group", spec["group"], joined(sentences)));
    } else if (group.find('.') == std::string_view::npos) {
      errors_.add(FieldError::invalid("spec.group", spec["group"],
                                      "should be a domain with at least one dot"));
    }
  }

  void check_versions(View versions) {
    std::size_t storage = 0;
    bool unique = true;
    if (versions.size() > schema_versions_max) {
      errors_.add(FieldError::too_many("spec.versions", versions.size(), schema_versions_max));
      return;
    }
    for (std::size_t i = 0; i < versions.size(); ++i) {
      const View version = versions[i];
      const std::string path = fmt::format("spec.versions[{}]", i);
      const std::string_view name = version["name"].string_or("");
      if (const auto sentences = dns1035_label_violations(name); !sentences.empty()) {
        errors_.add(FieldError::invalid(path + ".name", Value::string(name), joined(sentences)));
      }
      for (std::size_t j = 0; j < i; ++j) {
        unique = unique && versions[j]["name"].string_or("") != name;
      }
      storage += version["storage"].boolean_or(false) ? std::size_t{1} : std::size_t{0};
      const View schema = version["schema"]["openAPIV3Schema"];
      if (!schema) {
        errors_.add(FieldError::required(path + ".schema.openAPIV3Schema"));
        continue;
      }
      const std::string at = schema_path(versions, i);
      if (i > 0 && at == schema_path(versions, 0)) continue;
      const PathFrame root;
      check_structural(schema, root.field(at), errors_);
    }
    const Value shown = versions ? Value::copy_of(versions) : Value::null();
    if (!unique) {
      errors_.add(FieldError::invalid("spec.versions", shown, "must contain unique version names"));
    }
    if (storage != 1) {
      errors_.add(FieldError::invalid("spec.versions", shown,
                                      "must have exactly one version marked as storage version"));
    }
  }

  void check_names(View names) {
    const std::string kind(names["kind"].string_or(""));
    const std::string singular(names["singular"].string_or(lower(kind)));
    const std::string list_kind(names["listKind"].string_or(kind.empty() ? "" : kind + "List"));
    const std::string plural(names["plural"].string_or(""));
    check_label("plural", plural, "");
    check_label("singular", singular, "");
    constexpr std::string_view mixed = "may have mixed case, but should otherwise match: ";
    check_label("kind", kind, mixed);
    check_label("listKind", list_kind, mixed);
    if (!kind.empty() && kind == list_kind) {
      errors_.add(FieldError::invalid("spec.names.listKind", Value::string(list_kind),
                                      "kind and listKind may not be the same"));
    }
    for (const std::string_view list : {"shortNames", "categories"}) {
      std::size_t index = 0;
      for (View name : names[list].elements()) {
        const auto sentences = dns1035_label_violations(name.string_or(""));
        if (!sentences.empty()) {
          errors_.add(FieldError::invalid(fmt::format("spec.names.{}[{}]", list, index), name,
                                          joined(sentences)));
        }
        ++index;
      }
    }
  }

  void check_label(std::string_view field, const std::string& name, std::string_view prefix) {
    const std::string path = fmt::format("spec.names.{}", field);
    if (name.empty()) {
      errors_.add(FieldError::required(path));
      return;
    }
    const auto sentences = dns1035_label_violations(prefix.empty() ? name : lower(name));
    if (sentences.empty()) return;
    errors_.add(
        FieldError::invalid(path, Value::string(name), std::string(prefix) + joined(sentences)));
  }

  const Value& definition_;
  FieldErrors errors_;
};

}  // namespace

FieldErrors check_definition(const Value& definition) {
  return DefinitionCheck(definition).run();
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
