// SPDX-License-Identifier: Apache-2.0
#include "core/model/event.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

#include "objects/json.h"

namespace muster::core {

using objects::Value;

namespace {

constexpr std::array<std::string_view, 4> type_names{"upsert", "remove", "tick", "config"};

}  // namespace

// Written member by member: a record has one for every event, and a tree of them would be a copy.
void append_json(const Event& event, std::string& out) {
  fmt::format_to(std::back_inserter(out),
                 R"({{"revision":{},"type":"{}","group":"{}","kind":"{}","now":{},"object":)",
                 event.revision, type_names[static_cast<std::size_t>(event.type)],
                 event.resource.group, event.resource.kind, event.now.nanoseconds);
  if (event.object) {
    objects::append_json(event.object, out);
  } else {
    out += "null";
  }
  out += '}';
}

Result<Event> event_of(const Value& value) {
  Event event;
  const std::int64_t revision = value["revision"].integer_or(-1);
  if (revision < 0) return Error::invalid("must be a revision", "revision");
  event.revision = static_cast<std::uint64_t>(revision);
  const std::string_view type = value["type"].string_or("");
  std::size_t index = 0;
  while (index < type_names.size() && type_names[index] != type) ++index;
  if (index == type_names.size()) {
    return Error::invalid(fmt::format("\"{}\" is no type of event", type), "type");
  }
  event.type = static_cast<EventType>(index);
  event.now = Instant{value["now"].integer_or(0)};
  if (value["object"].is_object()) event.object = value.part(value["object"]);
  if (event.type == EventType::tick || event.type == EventType::config) return event;
  const objects::Resource* resource =
      objects::find_resource(value["group"].string_or(""), value["kind"].string_or(""));
  if (resource == nullptr) return Error::invalid("is no kind that Muster speaks of", "kind");
  event.resource = *resource;
  return event;
}

}  // namespace muster::core
