// SPDX-License-Identifier: Apache-2.0
#include "control/record_text.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "control/record_pod.h"
#include "objects/json.h"

namespace muster::control {

using core::Event;
using objects::ObjectKey;
using objects::Resource;
using objects::Value;
using objects::View;

namespace {

constexpr std::size_t checksum_digits = 16;

// After FNV-1a, but of words: finds torn and rotten lines, guards against nobody.
std::uint64_t checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  while (!text.empty()) {
    std::array<char, sizeof hash> bytes = {};
    const std::size_t count = text.copy(bytes.data(), bytes.size());
    hash = std::rotl((hash ^ std::bit_cast<std::uint64_t>(bytes)) * 0x9e3779b97f4a7c15U, 29);
    text.remove_prefix(count);
  }
  return hash;
}

Value text(std::string_view value) {
  return Value::string(value);
}

void append_event(const Event& event, std::string& out) {
  if (!(event.resource == objects::resources::pods)) return core::append_json(event, out);
  Event shorter = event;
  shorter.object = recorded_pod(event.object);
  core::append_json(shorter, out);
}

void append_entry(const RecordEntry& entry, std::string& out) {
  switch (entry.type) {
    case RecordEntry::Type::start:
      out += R"({"start":true})";
      return;
    case RecordEntry::Type::gap:
      out += R"({"gap":true})";
      return;
    case RecordEntry::Type::event:
      out += R"({"event":)";
      append_event(entry.event, out);
      out += '}';
      return;
    case RecordEntry::Type::cycle:
      out += R"({"cycle":)";
      objects::append_json(entry.plan, out);
      out += '}';
      return;
    case RecordEntry::Type::refused:
      break;
  }
  const Value refused = Value::object({{"group", text(entry.resource.group)},
                                       {"kind", text(entry.resource.kind)},
                                       {"namespace", text(entry.key.name_space)},
                                       {"name", text(entry.key.name)},
                                       {"uid", text(entry.uid)}});
  objects::append_json(Value::object({{"refused", refused}}), out);
}

Result<RecordEntry> entry_of(std::string_view line) {
  if (line.size() <= checksum_digits || line[checksum_digits] != ' ') {
    return Error::internal("not a line of a record");
  }
  const std::string_view json = line.substr(checksum_digits + 1);
  if (line.substr(0, checksum_digits) != fmt::format("{:016x}", checksum(json))) {
    return Error::internal("a damaged line");
  }
  const Value value = TRY(objects::parse_json(json));
  RecordEntry entry;
  if (value["start"]) {
    entry.type = RecordEntry::Type::start;
  } else if (value["gap"]) {
    entry.type = RecordEntry::Type::gap;
  } else if (value["event"]) {
    entry = RecordEntry::of(TRY(core::event_of(Value::copy_of(value["event"]))));
  } else if (value["cycle"]) {
    entry = RecordEntry::of_cycle(Value::copy_of(value["cycle"]));
  } else {
    const View refused = value["refused"];
    const Resource* resource =
        objects::find_resource(refused["group"].string_or(""), refused["kind"].string_or(""));
    if (resource == nullptr) return Error::internal("an entry of an unknown kind");
    entry = RecordEntry::of_refusal(*resource,
                                    {std::string(refused["namespace"].string_or("")),
                                     std::string(refused["name"].string_or(""))},
                                    std::string(refused["uid"].string_or("")));
  }
  return entry;
}

}  // namespace

RecordEntry RecordEntry::of(Event event) {
  RecordEntry entry;
  entry.event = std::move(event);
  return entry;
}

RecordEntry RecordEntry::of_cycle(Value plan) {
  RecordEntry entry;
  entry.type = Type::cycle;
  entry.plan = std::move(plan);
  return entry;
}

RecordEntry RecordEntry::of_refusal(const Resource& resource, ObjectKey key, std::string uid) {
  RecordEntry entry;
  entry.type = Type::refused;
  entry.resource = resource;
  entry.key = std::move(key);
  entry.uid = std::move(uid);
  return entry;
}

std::size_t memory_of(const RecordEntry& entry) {
  return sizeof(entry) + entry.event.object.memory() + entry.plan.memory();
}

void append_line(const RecordEntry& entry, std::string& lines) {
  const std::size_t before = lines.size();
  const std::size_t begin = before + checksum_digits + 1;
  lines.resize(begin, ' ');
  append_entry(entry, lines);
  const std::uint64_t sum = checksum(std::string_view(lines).substr(begin));
  fmt::format_to_n(lines.data() + before, checksum_digits, "{:016x}", sum);
  lines += '\n';
}

void read_lines(std::string_view bytes, std::vector<RecordEntry>& entries) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return;  // torn: a crash came while it was written
    auto entry = entry_of(bytes.substr(0, end));
    if (!entry) {
      entries.push_back({.type = RecordEntry::Type::gap});
      return;
    }
    entries.push_back(std::move(*entry));
    bytes.remove_prefix(end + 1);
  }
}

}  // namespace muster::control
