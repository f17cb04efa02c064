// ObjectText: objects in the forms of `-o`: yaml, json, name, jsonpath=…, custom-columns=….
//
//   const ObjectText form = TRY(ObjectText::parse("jsonpath={.metadata.name}"));
//   output.out(TRY(form.text(object, kind)));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/resource_names.h"
#include "objects/json_path.h"
#include "objects/value.h"

namespace muster::cli {

class ObjectText {
 public:
  enum class Form : std::uint8_t { table, wide, yaml, json, name, json_path, custom_columns };

  static Result<ObjectText> parse(std::string_view form);

  bool is_table() const { return form_ == Form::table || form_ == Form::wide; }
  bool is_wide() const { return form_ == Form::wide; }

  // One object, or several; the latter are a List for yaml, json and jsonpath.
  Result<std::string> text(const std::vector<std::pair<ServedKind, objects::Value>>& objects,
                           bool is_list) const;

 private:
  Result<std::string> columns_text(
      const std::vector<std::pair<ServedKind, objects::Value>>& objects) const;

  Form form_ = Form::table;
  std::optional<objects::JsonPath> path_ = {};
  std::vector<std::pair<std::string, objects::JsonPath>> columns_ = {};
};

// Without metadata.managedFields, which kubectl shows on request only.
objects::Value without_managed_fields(const objects::Value& object);

}  // namespace muster::cli
