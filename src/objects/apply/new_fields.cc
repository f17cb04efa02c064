// SPDX-License-Identifier: Apache-2.0
#include "objects/apply/new_fields.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "objects/apply/topology.h"
#include "objects/bytes16.h"
#include "objects/json.h"
#include "objects/same_text.h"
#include "objects/schema/tables.h"

namespace muster::objects {

namespace {

constexpr std::string_view identity_in_metadata[] = {
    "clusterName",     "creationTimestamp", "generation", "managedFields", "name", "namespace",
    "resourceVersion", "selfLink",          "uid"};

bool is_identity(std::string_view name) {
  return std::ranges::find(identity_in_metadata, name) != std::end(identity_in_metadata);
}

// Where in the object the writer is: identity is only looked for near the root.
enum class Level : std::uint8_t { root, metadata, below };

class NewFieldsWriter {
 public:
  NewFieldsWriter(const FieldFilter& filter, std::string& out) : filter_(filter), out_(out) {}

  // Writes `{…}` of the members that are owned. False when there is none: then nothing is written.
  Result<bool> members(View object, SchemaNode node, bool in_zero, Level level, bool itself);

 private:
  Result<bool> place(View value, SchemaNode node, bool in_zero, Level level);
  Result<bool> elements(View list, SchemaNode node, bool itself);
  Result<bool> named_elements(View list, SchemaNode node, bool itself);
  Result<void> element(View value, SchemaNode items, bool repeated);

  bool skips(std::string_view name, Level level) const {
    if (level == Level::below) return false;
    if (level == Level::metadata) return is_identity(name);
    return name == "apiVersion" || name == "kind" || filter_.excludes(name);
  }

  const FieldFilter& filter_;
  std::string& out_;
  std::vector<MemberView> members_;  // those that are open, as a stack
};

// A text that is its own JSON, and that sorts among others as its JSON does: nothing in it comes
// before the quote that ends it.
bool is_plain(std::string_view text) {
  static constexpr auto plain = [] {
    std::array<bool, 256> table{};
    for (unsigned byte = '"' + 1; byte < 0x7f; ++byte) {
      table.at(byte) = !is_escape_candidate(static_cast<unsigned char>(byte));
    }
    return table;
  }();
  return std::ranges::all_of(text, [](char c) { return plain[static_cast<unsigned char>(c)]; });
}

bool comes_before(const MemberView& a, const MemberView& b) {
  return is_text_before(a.key, b.key);
}

// The one key by which elements of a list are told apart, where all of them say it in plain text;
// empty where they do not.
std::string_view plain_key(SchemaNode node, View list) {
  if (node.list_type() != ListType::map) return {};
  const auto keys = node.list_map_keys();
  if (keys.size() != 1 || !is_plain(keys.front())) return {};
  const std::string_view key = keys.front();
  for (const View each : list.elements()) {
    const auto name = each[key].string();
    if (!name || !is_plain(*name)) return {};
  }
  return key;
}

// Whether both own the same fields: their members have the same names, and nothing in them is
// looked into.
bool is_alike(View a, View b) {
  if (!a.is_object() || !b.is_object() || a.size() != b.size()) return false;
  auto other = b.members().begin();
  for (const MemberView member : a.members()) {
    const MemberView same = *other;
    ++other;
    if (member.key != same.key) return false;
    for (const View value : {member.value, same.value}) {
      if (value.is_object() || value.is_array() || value.is_null()) return false;
    }
  }
  return true;
}

bool is_always_written(SchemaNode node, std::string_view name) {
  if (node.is_none()) return false;
  const NodeRecord& record = node.tables()->node(node.index());
  const int ordinal = node.tables()->find_field(record, name);
  return ordinal >= 0 && node.tables()->field(record, ordinal).always;
}

// What a field that is always written holds when nobody has set it.
bool is_zero(View value) {
  if (value.is_string()) return value.string_or("").empty();
  if (value.is_integer()) return value.integer_or(0) == 0;
  if (value.is_boolean()) return !value.boolean_or(false);
  return value.is_null() || (value.is_object() && value.empty());
}

Result<bool> NewFieldsWriter::members(View object, SchemaNode node, bool in_zero, Level level,
                                      bool itself) {
  const std::size_t first = members_.size();
  for (const MemberView member : object.members()) {
    if (!skips(member.key, level)) members_.push_back(member);
  }
  const std::size_t last = members_.size();
  std::sort(members_.begin() + static_cast<std::ptrdiff_t>(first), members_.end(), comes_before);
  const std::size_t start = out_.size();
  out_ += itself ? R"({".":{})" : "{";
  bool any = itself;
  for (std::size_t i = first; i < last; ++i) {
    const MemberView member = members_[i];
    const std::size_t before = out_.size();
    if (any) out_ += ',';
    out_ += R"("f:)";
    if (is_plain(member.key)) {
      out_ += member.key;
      out_ += '"';
    } else {
      out_.resize(out_.size() - 3);
      PathElement::field(member.key).append_json(out_);
    }
    out_ += ':';
    const bool in_metadata = level == Level::root && member.key == "metadata";
    const bool known = in_zero && is_always_written(node, member.key);
    const bool owned = TRY(place(member.value, node.member(member.key), known || in_metadata,
                                 in_metadata ? Level::metadata : Level::below));
    if (!owned) out_.resize(before);
    any = any || owned;
  }
  members_.resize(first);
  out_ += '}';
  if (!any) out_.resize(start);
  return any;
}

Result<void> NewFieldsWriter::element(View value, SchemaNode items, bool repeated) {
  if (repeated) {
    out_ += "{}";
  } else {
    TRY(place(value, items, false, Level::below));
  }
  return {};
}

// Most lists: containers, variables, volumes, conditions. Their path elements are written as they
// are read, without making them first.
Result<bool> NewFieldsWriter::named_elements(View list, SchemaNode node, bool itself) {
  const std::string_view key = node.list_map_keys().front();
  const std::size_t first = members_.size();
  for (const View each : list.elements()) members_.push_back({each[key].string_or(""), each});
  const std::size_t last = members_.size();
  // The order among equals does not matter: their first one stands for all.
  std::sort(members_.begin() + static_cast<std::ptrdiff_t>(first), members_.end(), comes_before);
  const SchemaNode items = node.items();
  // What was written for the element before: elements of a list tend to have the same members.
  std::size_t text_begin = 0;
  std::size_t text_size = 0;
  View alike;
  out_ += itself ? R"({".":{})" : "{";
  for (std::size_t i = first; i < last; ++i) {
    const MemberView member = members_[i];
    if (i > first && member.key == members_[i - 1].key) continue;
    if (out_.back() != '{') out_ += ',';
    out_ += R"("k:{\")";
    out_ += key;
    out_ += R"(\":\")";
    out_ += member.key;
    out_ += R"(\"}":)";
    const bool repeated = i + 1 < last && member.key == members_[i + 1].key;
    if (!repeated && text_size > 0 && is_alike(member.value, alike)) {
      out_.append(out_, text_begin, text_size);
      continue;
    }
    text_begin = out_.size();
    TRY(element(member.value, items, repeated));
    text_size = repeated ? 0 : out_.size() - text_begin;
    alike = member.value;
  }
  members_.resize(first);
  out_ += '}';
  return true;
}

Result<bool> NewFieldsWriter::elements(View list, SchemaNode node, bool itself) {
  if (!plain_key(node, list).empty()) return named_elements(list, node, itself);
  std::vector<std::pair<PathElement, View>> sorted;
  for (const View each : list.elements()) sorted.emplace_back(TRY(element_of(node, each)), each);
  std::ranges::stable_sort(sorted, {}, &std::pair<PathElement, View>::first);
  const SchemaNode items = node.items();
  out_ += itself ? R"({".":{})" : "{";
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const auto& [path, value] = sorted[i];
    if (i > 0 && path == sorted[i - 1].first) continue;
    if (out_.back() != '{') out_ += ',';
    path.append_json(out_);
    out_ += ':';
    const bool repeated = i + 1 < sorted.size() && path == sorted[i + 1].first;
    TRY(element(value, items, repeated));
  }
  out_ += '}';
  return true;
}

Result<bool> NewFieldsWriter::place(View value, SchemaNode node, bool in_zero, Level level) {
  const Shape shape = shape_of(node, value);
  if (shape == Shape::whole || is_hollow(value)) {
    if (in_zero && is_zero(value)) return false;
    out_ += "{}";
    return true;
  }
  if (shape == Shape::list) return elements(value, node, !in_zero);
  return members(value, node, in_zero, level, !in_zero);
}

}  // namespace

FieldSet FieldFilter::applied_to(const FieldSet& set) const {
  FieldSet excluded;
  for (const std::string_view name : root_excluded) {
    if (name.empty()) continue;
    const PathElement path[] = {PathElement::field(name)};
    excluded.insert(path);
  }
  return difference_below(set, excluded);
}

FieldSet without_identity(const FieldSet& set) {
  FieldSet identity;
  for (const std::string_view name : {"apiVersion", "kind", "metadata"}) {
    const PathElement path[] = {PathElement::field(name)};
    identity.insert(path);
  }
  for (const std::string_view name : identity_in_metadata) {
    const PathElement path[] = {PathElement::field("metadata"), PathElement::field(name)};
    identity.insert(path);
  }
  return difference(set, identity);
}

Result<bool> append_new_fields(View object, SchemaNode root, const FieldFilter& filter,
                               std::string& out) {
  const bool native = root && root.style() == SchemaStyle::native;
  return NewFieldsWriter(filter, out).members(object, root, native, Level::root, false);
}

Result<FieldSet> new_fields(View object, SchemaNode root, const FieldFilter& filter) {
  std::string text;
  if (!TRY(append_new_fields(object, root, filter, text))) return FieldSet();
  return FieldSet::parse(TRY(parse_json(text, {.bytes_max = text.size()})));
}

}  // namespace muster::objects
