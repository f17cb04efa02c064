// SPDX-License-Identifier: Apache-2.0
#include "server/selectable_fields.h"

#include "objects/json.h"

namespace muster::server {

using objects::Kind;
using objects::KindVersion;
using objects::View;

namespace {

View follow(View at, std::string_view path) {
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    at = at[path.substr(0, dot)];
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return at;
}

std::string text_of(View value) {
  if (value.is_absent() || value.is_null()) return {};
  if (const auto text = value.string()) return std::string(*text);
  return objects::to_json(value);
}

// An event's source is its component, or who reported it.
std::string event_source(View event) {
  const std::string_view component = event["source"]["component"].string_or("");
  return std::string(component.empty() ? event["reportingComponent"].string_or("") : component);
}

}  // namespace

SelectableFields::SelectableFields(const Kind& kind) {
  take(kind.storage_version().definition["selectableFields"]);
}

SelectableFields::SelectableFields(const Kind& kind, const KindVersion& version) {
  const KindVersion& used = kind.stored_as == nullptr ? kind.storage_version() : version;
  take(used.definition["selectableFields"]);
}

void SelectableFields::take(View listed) {
  for (View field : listed.elements()) {
    std::string_view path = field["jsonPath"].string_or("");
    if (path.starts_with('.')) path.remove_prefix(1);
    fields_.push_back({std::string(path), std::string(field["x-muster-cell"].string_or("")),
                       std::string(field["x-muster-stored-name"].string_or(""))});
  }
  for (const Field& field : fields_) names_.push_back(field.name);
  names_.push_back("metadata.name");
  names_.push_back("metadata.namespace");
}

std::string_view SelectableFields::stored_name(std::string_view name) const {
  for (const Field& field : fields_) {
    if (field.name == name && !field.stored.empty()) return field.stored;
  }
  return name;
}

std::vector<std::string> SelectableFields::read(View object) const {
  std::vector<std::string> values;
  values.reserve(fields_.size());
  for (const Field& field : fields_) {
    if (field.cell == "event-source-component") {
      values.push_back(event_source(object));
    } else if (field.cell == "job-succeeded-pods") {
      values.push_back(std::to_string(object["status"]["succeeded"].integer_or(0)));
    } else if (field.name == "spec.hostNetwork" || field.name == "spec.unschedulable") {
      values.emplace_back(follow(object, field.name).boolean_or(false) ? "true" : "false");
    } else {
      values.push_back(text_of(follow(object, field.name)));
    }
  }
  return values;
}

std::string_view SelectableFields::value(std::span<const std::string> read,
                                         std::string_view name) const {
  for (std::size_t i = 0; i < fields_.size() && i < read.size(); ++i) {
    if (fields_[i].name == name) return read[i];
  }
  return {};
}

}  // namespace muster::server
