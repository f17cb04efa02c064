// SPDX-License-Identifier: Apache-2.0
#include "objects/apply/check_configuration.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "objects/apply/topology.h"
#include "objects/field_error.h"
#include "objects/json.h"

namespace muster::objects {

namespace {

constexpr std::size_t complaints_max = 100;

// A value as Go prints it inside of its wrapper.
std::string go_text(View value) {
  if (value.is_string()) return std::string(value.string_or(""));
  return to_json(value);
}

class ConfigurationCheck {
 public:
  void check(View value, SchemaNode node, const std::string& path);

  std::vector<std::string> complaints;

 private:
  void complain(const std::string& path, std::string_view why) {
    if (complaints.size() < complaints_max) complaints.push_back(fmt::format("{}: {}", path, why));
  }
  void check_members(View value, SchemaNode node, const std::string& path);
  void check_elements(View value, SchemaNode node, const std::string& path);
  void check_scalar(View value, SchemaNode node, const std::string& path);
};

void ConfigurationCheck::check_members(View value, SchemaNode node, const std::string& path) {
  if (!value.is_object()) {
    return complain(path, fmt::format("expected map, got &{{{}}}", go_text(value)));
  }
  for (const MemberView member : value.members()) {
    const std::string place = fmt::format("{}.{}", path, member.key);
    const SchemaNode below = node.member(member.key);
    if (!below && !node.preserves_unknown_fields()) {
      complain(place, "field not declared in schema");
    } else {
      check(member.value, below, place);
    }
  }
}

void ConfigurationCheck::check_elements(View value, SchemaNode node, const std::string& path) {
  if (!value.is_array()) {
    return complain(path, fmt::format("expected list, got &{{{}}}", go_text(value)));
  }
  const bool by_element = node.list_type() != ListType::atomic;
  std::map<PathElement, bool> seen;
  std::size_t position = 0;
  for (const View each : value.elements()) {
    std::string place = fmt::format("{}[{}]", path, position);
    if (by_element) {
      const auto element = element_of(node, each);
      if (!element) {
        complain(path, fmt::format("element {}: {}", position, element.error().message));
        ++position;
        continue;
      }
      std::string name;
      element->append_for_people(name);
      if (!seen.emplace(*element, true).second) {
        complain(path, fmt::format("duplicate entries for key {}", name));
      }
      place = path + name;
    }
    ++position;
    check(each, node.items(), place);
  }
}

void ConfigurationCheck::check_scalar(View value, SchemaNode node, const std::string& path) {
  const SchemaType type = node.type();
  std::string_view expected;
  const bool is_text = type == SchemaType::string;
  const bool takes_any = type == SchemaType::int_or_string || node.format() == "quantity";
  if (value.is_object() || value.is_array()) {
    expected = is_text ? "string" : type == SchemaType::boolean ? "boolean" : "numeric";
  } else if (takes_any) {
    return;
  } else if (is_text && !value.is_string()) {
    expected = "string";
  } else if (type == SchemaType::boolean && !value.is_boolean()) {
    expected = "boolean";
  } else if ((type == SchemaType::integer || type == SchemaType::number) && !value.is_number()) {
    expected = "numeric (int or float)";
  }
  if (expected.empty()) return;
  const std::string shown = value.is_string() ? go_quoted(value.string_or("")) : to_json(value);
  complain(path,
           fmt::format("expected {}, got &value.valueUnstructured{{Value:{}}}", expected, shown));
}

void ConfigurationCheck::check(View value, SchemaNode node, const std::string& path) {
  if (!node || value.is_null() || node.type() == SchemaType::any) return;
  if (node.type() == SchemaType::object) return check_members(value, node, path);
  if (node.type() == SchemaType::array) return check_elements(value, node, path);
  check_scalar(value, node, path);
}

}  // namespace

std::optional<std::string> why_configuration_is_unfit(View configuration, SchemaNode root) {
  ConfigurationCheck check;
  check.check(configuration, root, "");
  if (check.complaints.empty()) return std::nullopt;
  if (check.complaints.size() == 1) return check.complaints.front();
  std::string out = "errors:";
  for (const std::string& complaint : check.complaints) out += "\n  " + complaint;
  return out;
}

}  // namespace muster::objects
