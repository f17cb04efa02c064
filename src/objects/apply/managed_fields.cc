// SPDX-License-Identifier: Apache-2.0
#include "objects/apply/managed_fields.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "objects/json.h"

namespace muster::objects {

namespace {

constexpr std::string_view ancient_manager = "ancient-changes";

std::string_view name_of(Operation operation) {
  return operation == Operation::apply ? "Apply" : "Update";
}

// With its fields unread.
Result<ManagedEntry> parse_entry(View entry) {
  ManagedEntry out;
  const std::string_view operation = entry["operation"].string_or("");
  if (operation != "Apply" && operation != "Update") {
    return Error::bad_request("operation must be `Apply` or `Update`");
  }
  out.owner = {.manager = std::string(entry["manager"].string_or("")),
               .operation = operation == "Apply" ? Operation::apply : Operation::update,
               .api_version = std::string(entry["apiVersion"].string_or("")),
               .subresource = std::string(entry["subresource"].string_or(""))};
  if (out.owner.api_version.empty()) return Error::bad_request("apiVersion must not be empty");
  if (entry["fieldsType"].string_or("") != "FieldsV1") {
    return Error::bad_request("fieldsType must be FieldsV1");
  }
  out.time = entry["time"].string_or("");
  const View fields = entry["fieldsV1"];
  if (fields.is_object() ? !fields.empty() : fields && !fields.is_null()) out.written = fields;
  return out;
}

bool meets(View fields_v1, const FieldSet& paths, std::string& key) {
  for (const FieldSet::Entry& entry : paths.entries()) {
    key.clear();
    entry.element.append_serialized(key);
    const View below = fields_v1[key];
    if (!below) continue;
    if (entry.member && (below.empty() || below["."])) return true;
    if (meets(below, entry.below, key)) return true;
  }
  return false;
}

// As they are written: the order is the operation, then the second, then names.
auto written_order(const ManagedEntry& entry) {
  return std::tuple(
      entry.owner.operation, std::string_view(entry.time), std::string_view(entry.owner.manager),
      std::string_view(entry.owner.api_version), std::string_view(entry.owner.subresource));
}

}  // namespace

void append_entry(const FieldOwner& owner, std::string_view time, std::string_view fields_v1,
                  std::string& out) {
  const auto member = [&](std::string_view name, std::string_view text) {
    if (text.empty()) return;
    if (out.back() != '{') out += ',';
    out += name;
    append_quoted(text, out);
  };
  out += '{';
  member(R"("manager":)", owner.manager);
  member(R"("operation":)", name_of(owner.operation));
  member(R"("apiVersion":)", owner.api_version);
  member(R"("time":)", time);
  out += R"(,"fieldsType":"FieldsV1","fieldsV1":)";
  out += fields_v1;
  member(R"("subresource":)", owner.subresource);
  out += '}';
}

bool ManagedEntry::owns_any_of(const FieldSet& paths) const {
  std::string key;
  return written ? meets(written, paths, key) : !intersection(fields, paths).empty();
}

void ManagedEntry::read() {
  if (!written) return;
  auto set = FieldSet::parse(written);
  if (set) fields = std::move(set).take();
  written = {};
}

Result<ManagedFields> ManagedFields::parse(View array) {
  ManagedFields out;
  for (const View each : array.elements()) {
    ManagedEntry entry = TRY(parse_entry(each));
    if (entry.written) entry.fields = TRY(FieldSet::parse(entry.written));
    entry.written = {};
    if (ManagedEntry* known = out.find(entry.owner)) {
      *known = std::move(entry);
    } else {
      out.entries_.push_back(std::move(entry));
    }
  }
  return out;
}

Result<ManagedFields> ManagedFields::parse(std::string_view text) {
  if (text.empty()) return ManagedFields();
  return parse(TRY(parse_json(text, {.bytes_max = text.size()})));
}

ManagedFields ManagedFields::stored(std::string_view text) {
  ManagedFields out;
  if (text.empty()) return out;
  auto document = parse_json(text, {.bytes_max = text.size()});
  if (!document) return out;
  out.document_ = std::move(document).take();
  for (const View each : out.document_.view().elements()) {
    auto entry = parse_entry(each);
    if (!entry) return {};
    out.entries_.push_back(std::move(entry).take());
  }
  return out;
}

ManagedEntry* ManagedFields::find(const FieldOwner& owner) {
  const auto found = std::ranges::find_if(
      entries_, [&](const ManagedEntry& entry) { return entry.owner.is(owner); });
  return found == entries_.end() ? nullptr : &*found;
}

void ManagedFields::drop_empty() {
  std::erase_if(entries_, [](const ManagedEntry& entry) { return entry.empty(); });
}

void ManagedFields::cap() {
  std::vector<std::size_t> updaters;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].owner.operation == Operation::update) updaters.push_back(i);
  }
  if (updaters.size() <= updaters_max) return;
  for (ManagedEntry& entry : entries_) entry.read();
  std::ranges::sort(updaters, [&](std::size_t a, std::size_t b) {
    return written_order(entries_[a]) < written_order(entries_[b]);
  });
  std::map<std::string, std::size_t> first_of_version;
  std::size_t left = updaters.size();
  for (const std::size_t at : updaters) {
    if (left <= updaters_max) break;
    ManagedEntry& oldest = entries_[at];
    const auto [first, is_first] = first_of_version.try_emplace(oldest.owner.api_version, at);
    if (is_first) continue;
    const FieldOwner ancient{.manager = std::string(ancient_manager),
                             .api_version = oldest.owner.api_version};
    ManagedEntry* bucket = find(ancient);
    if (bucket == &oldest) continue;
    if (bucket == nullptr) {
      bucket = &entries_[first->second];
      bucket->owner = ancient;
    }
    bucket->fields.add_all(oldest.fields);
    bucket->time = oldest.time;
    oldest.fields = {};
    --left;
  }
  drop_empty();
}

std::string ManagedFields::to_json() const {
  if (entries_.empty()) return {};
  std::vector<const ManagedEntry*> sorted;
  for (const ManagedEntry& entry : entries_) sorted.push_back(&entry);
  std::ranges::sort(sorted, [](const ManagedEntry* a, const ManagedEntry* b) {
    return written_order(*a) < written_order(*b);
  });
  std::string out = "[";
  std::string fields;
  for (const ManagedEntry* entry : sorted) {
    if (out.size() > 1) out += ',';
    fields.clear();
    if (entry->written) {
      append_json(entry->written, fields);
    } else {
      entry->fields.append_json(fields);
    }
    append_entry(entry->owner, entry->time, fields, out);
  }
  return out + "]";
}

bool is_same_ownership(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto left = ManagedFields::parse(a);
  auto right = ManagedFields::parse(b);
  if (!left || !right || left->entries().size() != right->entries().size()) return false;
  return std::ranges::all_of(left->entries(), [&](const ManagedEntry& entry) {
    const ManagedEntry* other = right->find(entry.owner);
    return other != nullptr && other->fields == entry.fields &&
           other->owner.api_version == entry.owner.api_version;
  });
}

bool is_reset(View managed_fields) {
  if (!managed_fields.is_array()) return false;
  if (managed_fields.empty()) return true;
  return managed_fields.size() == 1 && managed_fields[0].is_object() && managed_fields[0].empty();
}

}  // namespace muster::objects
