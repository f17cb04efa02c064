// The parts of a CustomResourceDefinition beside its schemas: printer columns, subresources,
// selectable fields, conversion, warnings of deprecated versions. The paths and sentences are
// kube-apiserver's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::objects {

std::string joined_sentences(const std::vector<std::string>& sentences);

void check_columns(View columns, const std::string& path, FieldErrors& errors);
void check_subresources(View subresources, const std::string& path, FieldErrors& errors);
void check_selectable_fields(View fields, View schema, const std::string& path,
                             FieldErrors& errors);
void check_deprecation(View version, const std::string& path, FieldErrors& errors);
void check_conversion(View conversion, const std::string& path, FieldErrors& errors);

// Where a path of fields leads in a schema; absent with the reason where it leads nowhere.
struct SchemaPlace {
  View schema;
  std::string complaint;
  std::vector<std::string> steps;
};
SchemaPlace follow_field_path(View schema, std::string_view path, bool allow_brackets);

}  // namespace muster::objects
