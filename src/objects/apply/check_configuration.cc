// SPDX-License-Identifier: Apache-2.0
#include "objects/apply/check_configuration.h"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "objects/apply/topology.h"
#include "objects/field_error.h"
#include "objects/patch/go_text.h"

namespace muster::objects {

namespace {

constexpr std::size_t complaints_max = 100;

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

// Each type has a sentence of its own, with another verb of Go for the value.
void ConfigurationCheck::check_scalar(View value, SchemaNode node, const std::string& path) {
  const SchemaType type = node.type();
  const bool is_quantity = node.format() == "quantity";
  const bool takes_any = type == SchemaType::int_or_string || is_quantity;
  // Of a number or a text the published schema of Kubernetes' own kinds says nothing.
  if (takes_any && !is_quantity && node.style() == SchemaStyle::native) return;
  const bool takes_numbers = type == SchemaType::integer || type == SchemaType::number;
  if (takes_any) {
    if (!value.is_object() && !value.is_array()) return;
    complain(path, fmt::format("expected any scalar, got &{{{}}}", go_text(value)));
  } else if (type == SchemaType::string && !value.is_string()) {
    complain(path, fmt::format("expected string, got &value.valueUnstructured{{Value:{}}}",
                               go_syntax(value)));
  } else if (type == SchemaType::boolean && !value.is_boolean()) {
    complain(path, fmt::format("expected boolean, got &{{{}}}", go_text(value)));
  } else if (takes_numbers && !value.is_number()) {
    complain(path, fmt::format("expected numeric (int or float), got {}", go_type(value)));
  }
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
