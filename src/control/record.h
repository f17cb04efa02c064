// Record: what the scheduler saw and decided, in a ring of files with a size limit: replay, bug
// reports and "why did it start before mine" are these files. Appending costs the house thread the
// text alone; the disk's background lane writes it, without a sync: a crash of the machine may cost
// the tail, and a torn tail is no damage.
//
//   RecordFile record(disk, house, {.folder = "data/record"});
//   record.append(RecordEntry::of(event));
//   if (record.is_segment_full()) record.begin_segment(feed.snapshot());
//   auto entries = TRY(read_record(disk, "data/record"));     // oldest first
//
// A segment is record-<number>.jsonl: one entry a line, sixteen hex digits of a checksum, a space,
// the JSON. It begins with `start` and, as events, everything there is at that moment, so that each
// segment can be replayed alone. Where everything does not fit, a `gap` stands there, and as much
// is not tried again. The oldest segments go when all together exceed the limit.
//
// Assumes: append and begin_segment on the house thread. Where the disk is too slow, entries are
// lost and a `gap` stands where they were; a disk that fails ends the record until the next start.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/executor.h"
#include "client/lifeline.h"
#include "control/limits.h"
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

struct RecordOptions {
  std::string folder;
  std::uint64_t bytes_max = record_bytes_max;  // of all segments; one has a quarter of it
};

class RecordFile {
 public:
  RecordFile(Disk& disk, Executor& house, RecordOptions options);
  ~RecordFile();

  void append(const RecordEntry& entry);

  bool is_segment_full() const;

  // The snapshot is left out where it alone would fill the ring.
  void begin_segment(const std::vector<core::Event>& snapshot);

  bool is_idle() const { return !is_writing_ && waiting_.empty(); }
  bool is_broken() const { return is_broken_; }
  std::uint64_t lost() const { return lost_; }  // entries

 private:
  class Segments;
  struct Chunk {
    bool begins_segment = false;
    std::string lines;
  };

  void add(const RecordEntry& entry);
  void flush();

  Disk& disk_;
  Executor& house_;
  RecordOptions options_;
  std::deque<Chunk> waiting_;
  std::uint64_t waiting_bytes_ = 0;
  std::uint64_t segment_bytes_ = 0;
  std::uint64_t segment_bytes_full_;
  std::size_t snapshot_entries_max_ = SIZE_MAX;  // as many did not fit
  bool is_writing_ = false;
  bool is_broken_ = false;
  bool has_gap_ = false;
  std::uint64_t lost_ = 0;
  // Shared with the job on the disk's lane, which may outlive this.
  std::shared_ptr<Segments> segments_;
  client::Lifeline lifeline_;
};

// All entries of all segments, oldest first. Damaged lines end their segment with a gap. Reads
// files: in a job of the disk, or before the loops run.
Result<std::vector<RecordEntry>> read_record(Disk& disk, const std::string& folder);

}  // namespace muster::control
