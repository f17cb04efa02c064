// Record: what the scheduler saw and decided, in a ring of files with a size limit: replay, bug
// reports and "why did it start before mine" are these files. Appending costs the house thread
// nothing but a reference: the disk's background lane makes the text and writes it, without a sync:
// a crash of the machine may cost the tail, and a torn tail is no damage.
//
//   RecordFile record(disk, house, {.folder = "data/record"});
//   record.append(RecordEntry::of(event));
//   if (record.is_segment_full()) record.begin_segment(feed.snapshot());
//   auto entries = TRY(read_record(disk, "data/record"));     // oldest first
//
// A segment is record-<number>.jsonl, lines of record_text.h. It begins with `start` and, as
// events, everything there is at that moment, so that each segment can be replayed alone. Where
// everything does not fit, a `gap` stands there, and as much is not tried again. The oldest
// segments go when all together exceed the limit.
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
#include "control/record_text.h"
#include "core/model/event.h"

namespace muster::control {

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

  bool is_idle() const;
  bool is_broken() const { return is_broken_; }
  std::uint64_t lost() const { return lost_; }  // entries

 private:
  class Segments;
  struct Chunk;
  struct Job;

  void add(const RecordEntry& entry);
  void flush();
  void on_written(const Job& job);

  Disk& disk_;
  Executor& house_;
  RecordOptions options_;
  std::deque<Chunk> waiting_;
  std::uint64_t waiting_bytes_ = 0;  // of memory that the waiting entries hold
  std::uint64_t segment_ = 0;        // how many were begun
  std::uint64_t segment_bytes_ = 0;  // written
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
