// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "objects/builder.h"
#include "objects/edit.h"
#include "objects/field_error.h"
#include "objects/limits.h"
#include "objects/metadata.h"
#include "server/admission.h"
#include "server/custom_definition.h"
#include "server/superseded.h"

namespace muster::server {

using objects::Builder;
using objects::FieldError;
using objects::MemberView;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

// As the peer knows them, without their dashes.
constexpr std::string_view known_text_formats[] = {
    "bsonobjectid", "uri",      "email",      "hostname",     "ipv4",       "ipv6",     "cidr",
    "mac",          "uuid",     "uuid3",      "uuid4",        "uuid5",      "isbn",     "isbn10",
    "isbn13",       "ssn",      "byte",       "date",         "duration",   "datetime", "hexcolor",
    "rgbcolor",     "password", "creditcard", "k8sshortname", "k8slongname"};

bool is_known_format(std::string_view type, std::string_view format) {
  if (type == "integer") return format == "int32" || format == "int64";
  if (type == "number") return format == "float" || format == "double";
  if (!type.empty() && type != "string") return false;
  std::string plain(format);
  std::erase(plain, '-');
  return std::find(std::begin(known_text_formats), std::end(known_text_formats), plain) !=
         std::end(known_text_formats);
}

void find_unknown_formats(View schema, std::size_t depth, std::vector<std::string>& found) {
  if (!schema.is_object() || depth > objects::schema_depth_max) return;
  const std::string_view format = schema["format"].string_or("");
  if (!format.empty() && !is_known_format(schema["type"].string_or(""), format)) {
    found.emplace_back(format);
  }
  find_unknown_formats(schema["items"], depth + 1, found);
  for (const std::string_view list : {"allOf", "anyOf", "oneOf"}) {
    for (View branch : schema[list].elements()) find_unknown_formats(branch, depth + 1, found);
  }
  find_unknown_formats(schema["not"], depth + 1, found);
  for (const MemberView property : schema["properties"].members()) {
    find_unknown_formats(property.value, depth + 1, found);
  }
  find_unknown_formats(schema["additionalProperties"], depth + 1, found);
}

std::vector<std::string> unknown_formats(View definition) {
  std::vector<std::string> found;
  for (View version : definition["spec"]["versions"].elements()) {
    find_unknown_formats(version["schema"]["openAPIV3Schema"], 0, found);
  }
  return found;
}

void warn_of_formats(Admission& admission) {
  const std::vector<std::string> before = unknown_formats(admission.old_object);
  for (const std::string& format : unknown_formats(admission.object)) {
    if (std::find(before.begin(), before.end(), format) != before.end()) continue;
    admission.warnings.push_back(fmt::format("unrecognized format {}", objects::go_quoted(format)));
  }
}

// status.storedVersions has every version that an object may be stored in. Of a kind of ours only
// the definition of now counts: two installers may bring it with different versions.
void remember_storage_version(Admission& admission, bool first_class) {
  const View listed = first_class ? View() : admission.object["status"]["storedVersions"];
  for (View version : admission.object["spec"]["versions"].elements()) {
    if (!version["storage"].boolean_or(false)) continue;
    for (View known : listed.elements()) {
      if (known == version["name"]) return;
    }
    Builder builder;
    std::vector<Node> names;
    for (View known : listed.elements()) names.push_back(builder.copy(known));
    names.push_back(builder.copy(version["name"]));
    const Node node = builder.array(names);
    auto next = objects::with(admission.object, {"status", "storedVersions"},
                              std::move(builder).finish(node));
    if (next) admission.object = std::move(next).take();
    return;
  }
}

void check_stored_versions(Admission& admission) {
  constexpr std::string_view path = "status.storedVersions";
  const View listed = admission.object["status"]["storedVersions"];
  if (listed.empty()) {
    admission.errors.add(FieldError::invalid(std::string(path), Value::null(),
                                             "must have at least one stored version"));
    return;
  }
  std::size_t index = 0;
  for (View stored : listed.elements()) {
    const std::string at = fmt::format("{}[{}]", path, index++);
    bool is_there = false;
    for (View version : admission.object["spec"]["versions"].elements()) {
      is_there = is_there || version["name"] == stored;
    }
    if (is_there) continue;
    const std::string_view name = stored.string_or("");
    admission.errors.add(FieldError::invalid(
        at, stored,
        fmt::format("missing from spec.versions; {0} was previously a storage version, and must "
                    "remain in spec.versions until a storage migration ensures no data remains "
                    "persisted in {0} and removes {0} from status.storedVersions",
                    name)));
  }
}

// One that was not approved before need not be now.
void check_approval(Admission& admission) {
  const Approval approval = approval_of(admission.object);
  if (approval.valid) return;
  if (!admission.is_create() && approval_of(admission.old_object).reason == approval.reason) return;
  const std::string path = "metadata.annotations[api-approved.kubernetes.io]";
  const View annotation = objects::annotations_of(admission.object)["api-approved.kubernetes.io"];
  admission.errors.add(approval.missing ? FieldError::required(path, approval.message)
                                        : FieldError::invalid(path, annotation, approval.message));
}

}  // namespace

Outcome<> admit_definition(Context& context, Admission& admission) {
  if (admission.target.is_status()) return {};
  const bool first_class = is_first_class(context.registry, admission.object);
  remember_storage_version(admission, first_class);
  admission.errors.add_all(context.registry.check(admission.object, admission.old_object));
  check_stored_versions(admission);
  check_approval(admission);
  if (!admission.errors.empty()) return {};
  warn_of_formats(admission);
  if (!first_class) {
    if (admission.object["spec"]["conversion"]["strategy"].string_or("") == "Webhook") {
      admission.warnings.emplace_back(
          "conversion webhooks are not called: versions of this kind differ in apiVersion alone");
    }
    return {};
  }
  admission.object = with_superseded_mark(admission.object, "Muster serves this kind itself");
  admission.warnings.push_back(
      fmt::format("Muster serves {} itself: this definition is kept and has no effect",
                  objects::name_of(admission.object)));
  return {};
}

}  // namespace muster::server
