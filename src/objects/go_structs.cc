// SPDX-License-Identifier: Apache-2.0
#include "objects/go_structs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "base/check.h"
#include "base/quantity.h"
#include "base/timestamp.h"
#include "objects/builder.h"
#include "objects/field_error.h"
#include "objects/structs/structs.h"

namespace muster::objects {

namespace {

enum class Shape : std::uint8_t {
  pointer,
  list,
  map,
  structure,
  string,  // word too
  boolean,
  int32,
  int64,
  quantity,
  time,
  int_or_string,
  any,
};

struct TypeRecord {
  Shape shape = Shape::any;
  std::uint32_t inner = 0;  // the type pointed at or held; of a struct: its first field
  std::uint32_t count = 0;  // fields of a struct
};

struct FieldRecord {
  std::string_view name;
  std::uint32_t type = 0;
  bool always = false;
};

constexpr std::pair<std::string_view, Shape> scalar_shapes[] = {
    {"string", Shape::string}, {"word", Shape::string},
    {"bool", Shape::boolean},  {"int32", Shape::int32},
    {"int64", Shape::int64},   {"quantity", Shape::quantity},
    {"time", Shape::time},     {"int-or-string", Shape::int_or_string},
    {"any", Shape::any},
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \n";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

// What comes before the mark, which is taken off the text with it.
std::string_view take(std::string_view& text, char mark) {
  const std::size_t at = std::min(text.find(mark), text.size());
  const std::string_view taken = trimmed(text.substr(0, at));
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

class Structs {
 public:
  Structs() {
    for (const std::string_view text : {structs_of_core, structs_of_core_volumes, structs_of_meta,
                                        structs_of_kueue_v1beta1, structs_of_kueue_v1beta2}) {
      read_package(text);
    }
  }

  std::uint32_t named(std::string_view name) const {
    const auto found = names_.find(name);
    CHECK(found != names_.end(), "a struct that objects/structs has");
    return found->second;
  }

  const TypeRecord& type(std::uint32_t index) const { return types_[index]; }
  const FieldRecord& field(const TypeRecord& structure, std::uint32_t at) const {
    return fields_[structure.inner + at];
  }

 private:
  void read_package(std::string_view text) {
    const std::string package(take(text, '\n'));
    while (!trimmed(text).empty()) {
      std::string_view members = take(text, ';');
      const std::string_view name = take(members, ':');
      std::vector<FieldRecord> fields;
      while (!trimmed(members).empty()) {
        std::string_view entry = take(members, ',');
        const std::size_t space = std::min(entry.find_first_of(" \n"), entry.size());
        std::string_view field = entry.substr(0, space);
        const bool always = field.ends_with('!');
        if (always) field.remove_suffix(1);
        fields.push_back({field, read_type(trimmed(entry.substr(space)), package), always});
      }
      const std::uint32_t index = structure(package + "." + std::string(name));
      types_[index].inner = static_cast<std::uint32_t>(fields_.size());
      types_[index].count = static_cast<std::uint32_t>(fields.size());
      fields_.insert(fields_.end(), fields.begin(), fields.end());
    }
  }

  std::uint32_t read_type(std::string_view text, const std::string& package) {
    if (text.starts_with('*')) return add(Shape::pointer, read_type(text.substr(1), package));
    if (text.starts_with("[]")) return add(Shape::list, read_type(text.substr(2), package));
    if (text.starts_with("{}")) return add(Shape::map, read_type(text.substr(2), package));
    for (const auto& [name, shape] : scalar_shapes) {
      if (text == name) return add(shape, 0);
    }
    const bool is_full = text.find('.') != std::string_view::npos;
    return structure(is_full ? std::string(text) : package + "." + std::string(text));
  }

  std::uint32_t add(Shape shape, std::uint32_t inner) {
    types_.push_back({shape, inner, 0});
    return static_cast<std::uint32_t>(types_.size() - 1);
  }

  // Structs are mentioned before they are read.
  std::uint32_t structure(const std::string& name) {
    const auto found = names_.find(name);
    if (found != names_.end()) return found->second;
    const std::uint32_t index = add(Shape::structure, 0);
    names_.emplace(name, index);
    return index;
  }

  std::map<std::string, std::uint32_t, std::less<>> names_;
  std::vector<TypeRecord> types_;
  std::vector<FieldRecord> fields_;
};

const Structs& structs() {
  static const Structs all;
  return all;
}

bool is_nil(View value) {
  return value.is_absent() || value.is_null();
}

std::optional<std::int64_t> whole_number(View value) {
  if (const auto integer = value.integer()) return integer;
  if (!value.is_real()) return std::nullopt;
  const double real = value.node().real;
  if (std::trunc(real) != real || std::fabs(real) >= 9.2e18) return std::nullopt;
  return static_cast<std::int64_t>(real);
}

bool is_int32(std::int64_t number) {
  return number >= std::numeric_limits<std::int32_t>::min() &&
         number <= std::numeric_limits<std::int32_t>::max();
}

std::optional<Quantity> quantity_of(View value) {
  if (is_nil(value)) return Quantity();
  if (!value.is_string() && !value.is_number()) return std::nullopt;
  auto parsed = Quantity::parse_field(value.is_string() ? std::string(value.string_or(""))
                                                        : go_json(value, MemberOrder::as_is));
  if (!parsed) return std::nullopt;
  return std::move(*parsed);
}

// Nothing for Go's zero time, which is what an absent one is.
std::optional<Timestamp> time_of(View value) {
  const auto parsed = parse_time(value.string_or(""));
  if (!parsed || parsed->is_go_zero()) return std::nullopt;
  return *parsed;
}

bool takes(std::uint32_t index, View value, WholeReals reals) {
  const TypeRecord& type = structs().type(index);
  if (is_nil(value)) return true;
  const auto all = [&](auto range, auto inner_of) {
    for (const auto entry : range) {
      if (!takes(type.inner, inner_of(entry), reals)) return false;
    }
    return true;
  };
  switch (type.shape) {
    case Shape::pointer:
      return takes(type.inner, value, reals);
    case Shape::list:
      return value.is_array() && all(value.elements(), [](View element) { return element; });
    case Shape::map:
      return value.is_object() && all(value.members(), [](MemberView m) { return m.value; });
    case Shape::structure:
      if (!value.is_object()) return false;
      for (std::uint32_t i = 0; i < type.count; ++i) {
        const FieldRecord& field = structs().field(type, i);
        if (!takes(field.type, value[field.name], reals)) return false;
      }
      return true;
    case Shape::string:
      return value.is_string();
    case Shape::boolean:
      return value.is_boolean();
    case Shape::int32:
    case Shape::int64: {
      if (value.is_real() && reals == WholeReals::refused) return false;
      const auto number = whole_number(value);
      return number && (type.shape == Shape::int64 || is_int32(*number));
    }
    case Shape::quantity:
      return quantity_of(value).has_value();
    case Shape::time:
      return value.is_string() && parse_time(value.string_or("")).has_value();
    case Shape::int_or_string: {
      if (value.is_string()) return true;
      const auto number = whole_number(value);
      return number && is_int32(*number);
    }
    case Shape::any:
      return true;
  }
  return false;
}

// Zero in the sense of omitempty and omitzero, as the dump of the structs has already chosen.
bool is_zero(std::uint32_t index, View value) {
  if (is_nil(value)) return true;
  const TypeRecord& type = structs().type(index);
  switch (type.shape) {
    case Shape::list:
    case Shape::map:
      return value.empty();
    case Shape::structure:
      for (std::uint32_t i = 0; i < type.count; ++i) {
        const FieldRecord& field = structs().field(type, i);
        if (!is_zero(field.type, value[field.name])) return false;
      }
      return true;
    case Shape::string:
      return value.string_or("").empty();
    case Shape::boolean:
      return !value.boolean_or(false);
    case Shape::int32:
    case Shape::int64:
      return whole_number(value).value_or(0) == 0;
    case Shape::time:
      return !time_of(value).has_value();
    case Shape::pointer:
    case Shape::quantity:
    case Shape::int_or_string:
    case Shape::any:
      return false;
  }
  return false;
}

enum class Form : std::uint8_t { decoded, encoded };

// Writes values of a type into a builder that retains them.
class FormWriter {
 public:
  FormWriter(Builder& builder, Form form) : builder_(builder), form_(form) {}

  Node write(std::uint32_t index, View value) {
    const TypeRecord& type = structs().type(index);
    switch (type.shape) {
      case Shape::pointer:
        return is_nil(value) ? Builder::null() : write(type.inner, value);
      case Shape::list:
        return write_list(type, value);
      case Shape::map:
        return write_map(type, value);
      case Shape::structure:
        return write_struct(type, value);
      case Shape::string:
        return value.is_string() ? value.node() : Builder::literal("");
      case Shape::boolean:
        return Builder::boolean(value.boolean_or(false));
      case Shape::int32:
      case Shape::int64:
        return Builder::integer(whole_number(value).value_or(0));
      case Shape::quantity:
        return builder_.text(quantity_of(value).value_or(Quantity()).to_string());
      case Shape::time: {
        const auto time = time_of(value);
        return time ? builder_.text(format_time(*time)) : Builder::null();
      }
      case Shape::int_or_string:
        if (value.is_string()) return value.node();
        return Builder::integer(whole_number(value).value_or(0));
      case Shape::any:
        return is_nil(value) ? Builder::null() : value.node();
    }
    return Builder::null();
  }

 private:
  Node write_list(const TypeRecord& type, View value) {
    if (is_nil(value)) return Builder::null();
    std::vector<Node> elements;
    elements.reserve(value.size());
    for (const View element : value.elements()) elements.push_back(write(type.inner, element));
    return builder_.array(elements);
  }

  Node write_map(const TypeRecord& type, View value) {
    if (is_nil(value)) return Builder::null();
    std::vector<MemberView> sorted;
    sorted.reserve(value.size());
    for (const MemberView member : value.members()) sorted.push_back(member);
    std::sort(sorted.begin(), sorted.end(),
              [](const MemberView& a, const MemberView& b) { return a.key < b.key; });
    std::vector<Node::Member> members;
    members.reserve(sorted.size());
    for (const MemberView& member : sorted) {
      members.push_back({builder_.text(member.key), write(type.inner, member.value)});
    }
    return builder_.object(members);
  }

  Node write_struct(const TypeRecord& type, View value) {
    std::vector<Node::Member> members;
    for (std::uint32_t i = 0; i < type.count; ++i) {
      const FieldRecord& field = structs().field(type, i);
      const View member = value[field.name];
      if (is_left_out(field, member)) continue;
      members.push_back({Builder::literal(field.name), write(field.type, member)});
    }
    return builder_.object(members);
  }

  bool is_left_out(const FieldRecord& field, View member) const {
    if (form_ == Form::decoded) return is_nil(member);
    return !field.always && is_zero(field.type, member);
  }

  Builder& builder_;
  Form form_;
};

Value write_form(GoType type, const Value& value, Form form) {
  Builder builder;
  builder.retain(value);
  const Node root = FormWriter(builder, form).write(type.index, value);
  return std::move(builder).finish(root);
}

bool equal(std::uint32_t index, View a, View b);

bool maps_equal(const TypeRecord& type, View a, View b) {
  if (a.size() != b.size()) return false;
  for (const MemberView member : a.members()) {
    const View other = b[member.key];
    if (!other || !equal(type.inner, member.value, other)) return false;
  }
  return true;
}

bool lists_equal(const TypeRecord& type, View a, View b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!equal(type.inner, a[i], b[i])) return false;
  }
  return true;
}

bool equal(std::uint32_t index, View a, View b) {
  const TypeRecord& type = structs().type(index);
  switch (type.shape) {
    case Shape::pointer:
      if (is_nil(a) || is_nil(b)) return is_nil(a) && is_nil(b);
      return equal(type.inner, a, b);
    case Shape::list:
      return lists_equal(type, a, b);
    case Shape::map:
      return maps_equal(type, a, b);
    case Shape::structure:
      for (std::uint32_t i = 0; i < type.count; ++i) {
        const FieldRecord& field = structs().field(type, i);
        if (!equal(field.type, a[field.name], b[field.name])) return false;
      }
      return true;
    case Shape::string:
      return a.string_or("") == b.string_or("");
    case Shape::boolean:
      return a.boolean_or(false) == b.boolean_or(false);
    case Shape::int32:
    case Shape::int64:
      return whole_number(a).value_or(0) == whole_number(b).value_or(0);
    case Shape::quantity:
      return quantity_of(a) == quantity_of(b);
    case Shape::time:
      return time_of(a) == time_of(b);
    case Shape::int_or_string:
      if (a.is_string() != b.is_string()) return false;
      if (a.is_string()) return a == b;
      return whole_number(a).value_or(0) == whole_number(b).value_or(0);
    case Shape::any:
      return is_nil(a) ? is_nil(b) : a == b;
  }
  return false;
}

}  // namespace

GoType go_type(std::string_view name) {
  return {structs().named(name)};
}

bool decodes(GoType type, View value, WholeReals reals) {
  return takes(type.index, value, reals);
}

Value decoded_form(GoType type, const Value& value) {
  return write_form(type, value, Form::decoded);
}

Value encoded_form(GoType type, const Value& value) {
  return write_form(type, value, Form::encoded);
}

std::string to_go_json(GoType type, const Value& value) {
  return go_json(encoded_form(type, value), MemberOrder::as_is);
}

bool go_equal(GoType type, View a, View b) {
  return a == b || equal(type.index, a, b);
}

}  // namespace muster::objects
