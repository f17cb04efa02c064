// SPDX-License-Identifier: Apache-2.0
// The keywords of structural schemas, in the words of apiextensions.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "objects/schema/duplicates.h"
#include "objects/schema/rules.h"
#include "objects/schema/validator.h"

namespace muster::objects {

namespace {

std::string_view json_type(View value) {
  return value.is_real() ? "number" : type_name(value.type());
}

std::string_view schema_type(SchemaType type) {
  switch (type) {
    case SchemaType::any:
      return "";
    case SchemaType::object:
      return "object";
    case SchemaType::array:
      return "array";
    case SchemaType::string:
      return "string";
    case SchemaType::integer:
      return "integer";
    case SchemaType::number:
      return "number";
    case SchemaType::boolean:
      return "boolean";
    case SchemaType::int_or_string:
      return "integer,string";
  }
  return "";
}

bool is_whole(View value) {
  const double real = value.real().value_or(0.5);
  return std::trunc(real) == real && std::fabs(real) < 9.2e18;
}

std::int64_t characters(std::string_view text) {
  std::int64_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

}  // namespace

bool has_type(SchemaType type, View value) {
  switch (type) {
    case SchemaType::any:
      return true;
    case SchemaType::object:
      return value.is_object();
    case SchemaType::array:
      return value.is_array();
    case SchemaType::string:
      return value.is_string();
    case SchemaType::integer:
      return value.is_integer() || (value.is_real() && is_whole(value));
    case SchemaType::number:
      return value.is_number();
    case SchemaType::boolean:
      return value.is_boolean();
    case SchemaType::int_or_string:
      return value.is_integer() || value.is_string() || (value.is_real() && is_whole(value));
  }
  return false;
}

void Validator::check_custom(const NodeRecord& node, View value, View old_value,
                             const PathFrame& path) {
  if (value.is_null() && (node.nullable || node.type == SchemaType::any)) return;
  const Constraints* constraints =
      node.constraints == none_index ? nullptr : &tables_.constraints[node.constraints];
  const bool typed = has_type(node.type, value);
  if (!typed) refuse_type(node, value, path);
  if (constraints != nullptr) check_branches(node, *constraints, value, path);
  if (constraints != nullptr && !is_choice(*constraints, value)) {
    refuse_choice(*constraints, value, path.to_dotted_string());
  }
  if (!typed) return;
  if (value.is_string()) {
    check_custom_text(node, constraints, value, path);
  } else if (value.is_number()) {
    check_custom_number(node, constraints, value, path);
  } else if (constraints != nullptr) {
    check_custom_sizes(*constraints, value, path);
  }
  if (value.is_object()) {
    check_fields(node, value, old_value, path);
    if (node.metadata_checks != none_index) {
      check(node.metadata_checks, value["metadata"], {}, path.field("metadata"));
    }
  } else if (value.is_array()) {
    check_items(node, value, old_value, path);
    if (node.has_list_type) check_list_keys(node, value, path);
  }
}

// The server shows the type that it found where other errors show the value. Where the schema has
// a format, values that are neither text nor list are judged by it, and a list passes for a text.
void Validator::refuse_type(const NodeRecord& node, View value, const PathFrame& path) {
  if (value.is_array() && node.type == SchemaType::string && node.format != Format::none) return;
  std::string_view expected = schema_type(node.type);
  std::string_view found = json_type(value);
  if (node.format != Format::none && !value.is_string() && !value.is_array() && !value.is_null()) {
    expected = format_name(node.format);
    found = value.is_real() ? "float64" : value.is_integer() ? "int64" : "";
  }
  std::string at = path.to_dotted_string();
  std::string detail =
      fmt::format("{} in body must be of type {}: {}", at, expected, go_quoted(found));
  errors_.add(FieldError::type_invalid(std::move(at), Value::string(found), std::move(detail)));
  if (node.type == SchemaType::integer && value.is_real()) refuse_range(node, path);
}

// A number that the type cannot hold is told without its path.
void Validator::refuse_range(const NodeRecord& node, const PathFrame& path) {
  const std::string with = node.format == Format::none
                               ? "(default format)"
                               : fmt::format("with format {}", format_name(node.format));
  errors_.add(FieldError::invalid({}, Value::string(""),
                                  fmt::format("Checked value must be of type integer {} in {}",
                                              with, path.to_dotted_string())));
}

bool is_choice(const Constraints& constraints, View value) {
  return constraints.choices.empty() ||
         std::any_of(constraints.choices.begin(), constraints.choices.end(),
                     [value](const Value& choice) { return choice.view() == value; });
}

void Validator::refuse_choice(const Constraints& constraints, View value, std::string path) {
  std::vector<std::string> supported;
  for (const Value& choice : constraints.choices) {
    const auto text = choice.view().string();
    supported.push_back(text ? std::string(*text) : go_printed(choice));
  }
  errors_.add(FieldError::not_supported(std::move(path), value, supported));
}

void Validator::check_custom_text(const NodeRecord& node, const Constraints* constraints,
                                  View value, const PathFrame& path) {
  const std::string_view text = value.string_or("");
  const auto refuse = [&](std::string detail) {
    std::string at = path.to_dotted_string();
    detail = fmt::format("{} in body {}", at, detail);
    errors_.add(FieldError::invalid(std::move(at), value, std::move(detail)));
  };
  if (constraints != nullptr) {
    if (constraints->length_max >= 0 && characters(text) > constraints->length_max) {
      errors_.add(FieldError::too_long(path.to_dotted_string(),
                                       static_cast<std::size_t>(constraints->length_max)));
    } else if (constraints->length_min >= 0 && characters(text) < constraints->length_min) {
      refuse(fmt::format("should be at least {} chars long", constraints->length_min));
    } else if (constraints->pattern != none_index) {
      const Pattern& pattern = tables_.patterns[constraints->pattern];
      if (!re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()),
                                  *pattern.expression)) {
        refuse(fmt::format("should match '{}'", pattern.text));
      }
    }
  }
  if (node.format > Format::float64 && !has_format(node.format, text)) {
    std::string at = path.to_dotted_string();
    std::string detail = fmt::format("{} in body must be of type {}: {}", at,
                                     format_name(node.format), go_quoted(text));
    errors_.add(FieldError::type_invalid(std::move(at), value, std::move(detail)));
  }
}

void Validator::check_custom_number(const NodeRecord& node, const Constraints* constraints,
                                    View value, const PathFrame& path) {
  const double number = value.real().value_or(0);
  if (node.type == SchemaType::integer && node.format == Format::int32 &&
      (number < std::numeric_limits<std::int32_t>::min() ||
       number > std::numeric_limits<std::int32_t>::max())) {
    refuse_range(node, path);
  }
  if (constraints == nullptr) return;
  const auto refuse = [&](std::string_view relation, double limit) {
    std::string at = path.to_dotted_string();
    std::string detail =
        fmt::format("{} in body should be {} {}", at, relation,
                    value.is_real() ? go_printed(Value::real(limit)) : bound_text(limit));
    errors_.add(FieldError::invalid(std::move(at), value, std::move(detail)));
  };
  if (constraints->multiple_of && *constraints->multiple_of > 0) {
    const double quotient = number / *constraints->multiple_of;
    if (std::trunc(quotient) != quotient) refuse("a multiple of", *constraints->multiple_of);
  }
  if (constraints->minimum) {
    const double limit = *constraints->minimum;
    if (constraints->exclusive_minimum ? number <= limit : number < limit) {
      refuse(constraints->exclusive_minimum ? "greater than" : "greater than or equal to", limit);
    }
  }
  if (constraints->maximum) {
    const double limit = *constraints->maximum;
    if (constraints->exclusive_maximum ? number >= limit : number > limit) {
      refuse(constraints->exclusive_maximum ? "less than" : "less than or equal to", limit);
    }
  }
}

void Validator::check_custom_sizes(const Constraints& constraints, View value,
                                   const PathFrame& path) {
  const auto size = static_cast<std::int64_t>(value.size());
  const bool is_list = value.is_array();
  const std::int64_t least = is_list ? constraints.items_min : constraints.properties_min;
  const std::int64_t most = is_list ? constraints.items_max : constraints.properties_max;
  if (!is_list && !value.is_object()) return;
  if (least >= 0 && size < least) {
    std::string at = path.to_dotted_string();
    std::string detail = fmt::format("{} in body should have at least {} {}", at, least,
                                     is_list ? "items" : "properties");
    errors_.add(FieldError::invalid(std::move(at), Value::integer(size), std::move(detail)));
  }
  if (most >= 0 && size > most) {
    errors_.add(FieldError::too_many(path.to_dotted_string(), static_cast<std::size_t>(size),
                                     static_cast<std::size_t>(most)));
  }
  if (is_list && constraints.unique_items) {
    const auto same = [&](std::size_t a, std::size_t b) { return value[a] == value[b]; };
    bool found = false;
    find_duplicates(
        value.size(), [&](std::size_t i) { return hash(value[i]); }, same,
        [&](std::size_t) { found = true; });
    if (found) {
      std::string at = path.to_dotted_string();
      std::string detail = fmt::format("{} in body shouldn't contain duplicates", at);
      errors_.add(FieldError::invalid(std::move(at), Value::string(""), std::move(detail)));
    }
  }
}

void Validator::check_list_keys(const NodeRecord& node, View value, const PathFrame& path) {
  if (node.list_type == ListType::set) {
    find_duplicates(
        value.size(), [&](std::size_t i) { return hash(value[i]); },
        [&](std::size_t a, std::size_t b) { return value[a] == value[b]; },
        [&](std::size_t i) {
          errors_.add(FieldError::duplicate(path.element(i).to_string(), value[i]));
        });
  }
  if (node.list_type != ListType::map) return;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i].is_object() || value[i].is_null()) continue;
    errors_.add(FieldError::invalid(path.element(i).to_string(), value[i],
                                    "must be an object for an array of list-type map"));
    return;
  }
  const auto key_at = [&](std::uint32_t i) { return tables_.keys[node.keys + i]; };
  find_duplicates(
      value.size(),
      [&](std::size_t i) {
        std::uint64_t sum = 0;
        for (std::uint32_t k = 0; k < node.key_count; ++k)
          sum = sum * 31 + hash(value[i][key_at(k)]);
        return sum;
      },
      [&](std::size_t a, std::size_t b) {
        for (std::uint32_t k = 0; k < node.key_count; ++k) {
          if (!(value[a][key_at(k)] == value[b][key_at(k)])) return false;
        }
        return true;
      },
      [&](std::size_t i) {
        errors_.add(FieldError::duplicate(path.element(i).to_string(),
                                          keys_of(tables_, node.keys, node.key_count, value[i])));
      });
}

}  // namespace muster::objects
