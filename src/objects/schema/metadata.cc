// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "objects/limits.h"

namespace muster::objects {

namespace {

constexpr std::string_view standard_finalizers[] = {"kubernetes", "orphan", "foregroundDeletion",
                                                    "customresourcecleanup.apiextensions.k8s.io"};

void refuse_all(std::string_view path, std::string_view bad, std::vector<std::string> sentences,
                FieldErrors& errors) {
  for (std::string& sentence : sentences) {
    errors.add(FieldError::invalid(std::string(path), Value::string(bad), std::move(sentence)));
  }
}

void check_name(View metadata, const MetadataRules& rules, FieldErrors& errors) {
  const std::string_view prefix = metadata["generateName"].string_or("");
  if (!prefix.empty()) {
    // A generated name goes on after the dash, so the dash may end the prefix.
    std::string completed(prefix);
    if (completed.ends_with('-')) completed.back() = 'a';
    refuse_all("metadata.generateName", prefix, native_violations(rules.name_format, completed),
               errors);
  }
  const std::string_view name = metadata["name"].string_or("");
  if (name.empty()) {
    errors.add(FieldError::required("metadata.name", "name or generateName is required"));
  } else {
    refuse_all("metadata.name", name, native_violations(rules.name_format, name), errors);
  }
  const std::string_view space = metadata["namespace"].string_or("");
  if (rules.scope == Scope::cluster) {
    if (!space.empty()) {
      errors.add(FieldError::forbidden("metadata.namespace", "not allowed on this type"));
    }
  } else if (space.empty()) {
    errors.add(FieldError::required("metadata.namespace"));
  } else {
    refuse_all("metadata.namespace", space, dns_label_violations(space), errors);
  }
}

void check_labels(View metadata, FieldErrors& errors) {
  for (MemberView label : metadata["labels"].members()) {
    const std::string_view value = label.value.string_or("");
    refuse_all("metadata.labels", label.key, qualified_name_violations(label.key), errors);
    refuse_all("metadata.labels", value, label_value_violations(value), errors);
  }
  std::size_t bytes = 0;
  for (MemberView annotation : metadata["annotations"].members()) {
    std::string lower(annotation.key);
    for (char& c : lower) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    refuse_all("metadata.annotations", annotation.key, qualified_name_violations(lower), errors);
    bytes += annotation.key.size() + annotation.value.string_or("").size();
  }
  if (bytes > annotation_bytes_max) {
    errors.add(FieldError::too_long("metadata.annotations", annotation_bytes_max));
  }
}

// `[{"apiVersion":…,"kind":…,"name":…,"uid":…,"controller":true},…]`, in the order of Go's struct.
std::string printed_owners(View owners) {
  std::string out = "[";
  for (View owner : owners.elements()) {
    if (out.size() > 1) out += ',';
    out += '{';
    for (const std::string_view key :
         {"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"}) {
      const View value = owner[key];
      if (!value && (key == "controller" || key == "blockOwnerDeletion")) continue;
      if (out.back() != '{') out += ',';
      out += fmt::format("\"{}\":{}", key, value ? go_printed(value) : "\"\"");
    }
    out += '}';
  }
  out += ']';
  return out;
}

void check_owners(View owners, FieldErrors& errors) {
  constexpr std::string_view path = "metadata.ownerReferences";
  const auto refuse = [&](std::string_view field, View owner, std::string sentence) {
    errors.add(FieldError::invalid(fmt::format("{}.{}", path, field),
                                   Value::string(owner[field].string_or("")), std::move(sentence)));
  };
  std::optional<View> controller;
  for (View owner : owners.elements()) {
    const std::string_view api_version = owner["apiVersion"].string_or("");
    const std::size_t slash = api_version.find('/');
    std::string_view version =
        slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
    if (version.find('/') != std::string_view::npos) version = {};
    if (version.empty()) refuse("apiVersion", owner, "version must not be empty");
    for (const std::string_view field : {"kind", "name", "uid"}) {
      if (owner[field].string_or("").empty()) refuse(field, owner, "must not be empty");
    }
    if (api_version == "v1" && owner["kind"].string_or("") == "Event") {
      errors.add(FieldError::invalid(std::string(path), owner,
                                     "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (!owner["controller"].boolean_or(false)) continue;
    if (controller) {
      const auto named = [](View of) {
        return fmt::format("{}/{}", of["kind"].string_or(""), of["name"].string_or(""));
      };
      errors.add({FieldError::Type::invalid, std::string(path), printed_owners(owners),
                  fmt::format("Only one reference can have Controller set to true. Found \"true\" "
                              "in references for {} and {}",
                              named(*controller), named(owner))});
    }
    controller = owner;
  }
}

void check_finalizers(View finalizers, SchemaStyle style, FieldErrors& errors) {
  for (View finalizer : finalizers.elements()) {
    const std::string_view name = finalizer.string_or("");
    refuse_all("metadata.finalizers", name, qualified_name_violations(name), errors);
  }
  if (style != SchemaStyle::native) return;
  std::size_t index = 0;
  for (View finalizer : finalizers.elements()) {
    const std::string_view name = finalizer.string_or("");
    const bool standard = std::find(std::begin(standard_finalizers), std::end(standard_finalizers),
                                    name) != std::end(standard_finalizers);
    if (!standard && name.find('/') == std::string_view::npos) {
      errors.add(FieldError::invalid(
          fmt::format("metadata.finalizers[{}]", index), finalizer,
          "name is neither a standard finalizer name nor is it fully qualified"));
    }
    ++index;
  }
}

}  // namespace

void check_metadata(View metadata, const MetadataRules& rules, FieldErrors& errors) {
  check_name(metadata, rules, errors);
  if (metadata["generation"].integer_or(0) < 0) {
    errors.add(FieldError::invalid("metadata.generation", metadata["generation"],
                                   "must be greater than or equal to 0"));
  }
  check_labels(metadata, errors);
  check_owners(metadata["ownerReferences"], errors);
  check_finalizers(metadata["finalizers"], rules.style, errors);
}

void check_metadata_update(View metadata, View old_metadata, FieldErrors& errors) {
  for (const std::string_view field : {"name", "namespace", "uid", "creationTimestamp",
                                       "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    const View value = metadata[field];
    if (!value || value == old_metadata[field]) continue;
    errors.add(FieldError::invalid(fmt::format("metadata.{}", field), value, "field is immutable"));
  }
  const std::int64_t generation = metadata["generation"].integer_or(0);
  if (generation != 0 && generation < old_metadata["generation"].integer_or(0)) {
    errors.add(FieldError::invalid("metadata.generation", metadata["generation"],
                                   "must not be decremented"));
  }
  if (!old_metadata["deletionTimestamp"]) return;
  std::vector<std::string> added;
  for (View finalizer : metadata["finalizers"].elements()) {
    bool known = false;
    for (View old : old_metadata["finalizers"].elements()) known = known || old == finalizer;
    if (!known) added.push_back(go_printed(finalizer));
  }
  if (added.empty()) return;
  std::sort(added.begin(), added.end());
  errors.add(FieldError::forbidden(
      "metadata.finalizers",
      fmt::format("no new finalizers can be added if the object is being deleted, found new "
                  "finalizers []string{{{}}}",
                  fmt::join(added, ", "))));
}

}  // namespace muster::objects
