// SPDX-License-Identifier: Apache-2.0
#include "objects/apply/topology.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "objects/json.h"

namespace muster::objects {

namespace {

Result<PathElement> by_keys(SchemaNode list, View element) {
  if (!element.is_object()) {
    return Error::bad_request(element.is_null()
                                  ? "associative list with keys may not have a null element"
                                  : "associative list with keys may not have non-map elements");
  }
  const auto declared = list.list_map_keys();
  std::vector<std::string_view> names(declared.begin(), declared.end());
  std::ranges::sort(names);
  PathElement out{PathElement::Kind::key, "{"};
  for (const std::string_view name : names) {
    View value = element[name];
    if (!value) value = list.items().field(name).default_value();
    const bool is_native = list.style() == SchemaStyle::native;
    if (!value && !is_native) continue;
    if (out.text.size() > 1) out.text += ',';
    append_quoted(name, out.text);
    out.text += ':';
    if (value) {
      append_json(value, out.text);
    } else {  // Go's structs have every key
      out.text += list.items().field(name).type() == SchemaType::integer ? "0" : R"("")";
    }
  }
  if (out.text.size() == 1) {
    std::string keys;
    for (const std::string_view name : declared) {
      if (!keys.empty()) keys += ' ';
      append_quoted(name, keys);
    }
    return Error::bad_request(
        "associative list with keys has an element that omits all key fields [" + keys +
        "] (and doesn't have default values for any key fields)");
  }
  out.text += '}';
  return out;
}

}  // namespace

Shape shape_of(SchemaNode node, View value) {
  const bool described = node && node.type() != SchemaType::any;
  if (!described) {
    const bool granular = value.is_object() && (!node || node.style() == SchemaStyle::custom);
    return granular ? Shape::object : Shape::whole;
  }
  // JSON that Kubernetes' own kinds carry along without looking into it.
  const bool opaque = node.style() == SchemaStyle::native && node.preserves_unknown_fields() &&
                      node.field_count() == 0;
  if (opaque) return Shape::whole;
  if (node.type() == SchemaType::object) {
    const bool fits = value.is_object() || is_hollow(value);
    return fits && node.map_type() == MapType::granular ? Shape::object : Shape::whole;
  }
  if (node.type() == SchemaType::array) {
    const bool fits = value.is_array() || is_hollow(value);
    return fits && node.list_type() != ListType::atomic ? Shape::list : Shape::whole;
  }
  return Shape::whole;
}

Result<PathElement> element_of(SchemaNode list, View element) {
  if (list.list_type() == ListType::map) return by_keys(list, element);
  if (element.is_object()) {
    return Error::bad_request("associative list without keys has an element that's a map type");
  }
  if (element.is_array()) {
    return Error::bad_request("not supported: associative list with lists as elements");
  }
  if (element.is_null()) {
    return Error::bad_request(
        "associative list without keys has an element that's an explicit null");
  }
  return PathElement{PathElement::Kind::value, to_json(element)};
}

}  // namespace muster::objects
