// The text of a record: one entry a line, sixteen hex digits of a checksum, a space, the JSON.
//
//   append_line(RecordEntry::of(event), lines);
//   read_lines(bytes, entries);    // a damaged line ends them with a gap
//
// Assumes: nothing; values are immutable, so any thread may write them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/event.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::control {

struct RecordEntry {
  enum class Type : std::uint8_t {
    start,    // a state begins, empty
    gap,      // entries are missing here: what follows cannot be replayed until the next start
    event,    // went into the state
    cycle,    // plan() decided this, and it was assumed
    refused,  // the write for this object was refused, its assumption undone
  };

  Type type = Type::event;
  core::Event event = {};           // event
  objects::Value plan = {};         // cycle
  objects::Resource resource = {};  // refused
  objects::ObjectKey key = {};      // refused
  std::string uid = {};             // refused

  static RecordEntry of(core::Event event);
  static RecordEntry of_cycle(objects::Value plan);
  static RecordEntry of_refusal(const objects::Resource& resource, objects::ObjectKey key,
                                std::string uid = {});
};

// What it holds in memory, about.
std::size_t memory_of(const RecordEntry& entry);

void append_line(const RecordEntry& entry, std::string& lines);

void read_lines(std::string_view bytes, std::vector<RecordEntry>& entries);

}  // namespace muster::control
