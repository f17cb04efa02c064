// SPDX-License-Identifier: Apache-2.0
#include "control/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace muster::control {

using core::Event;

namespace {

constexpr std::string_view file_prefix = "record-";
constexpr std::string_view file_suffix = ".jsonl";

std::string path_of(const std::string& folder, std::uint64_t number) {
  return fmt::format("{}/{}{:08}{}", folder, file_prefix, number, file_suffix);
}

std::optional<std::uint64_t> segment_number(std::string_view name) {
  if (!name.starts_with(file_prefix) || !name.ends_with(file_suffix)) return std::nullopt;
  name.remove_prefix(file_prefix.size());
  name.remove_suffix(file_suffix.size());
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (failure != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

Result<std::string> read_file(Disk& disk, const std::string& path) {
  const auto file = TRY(disk.open(path, OpenMode::read));
  std::string bytes(TRY(file->size()), '\0');
  const std::size_t count = TRY(file->read_at(0, std::as_writable_bytes(std::span(bytes))));
  bytes.resize(count);
  return bytes;
}

}  // namespace

// The files. Touched only by jobs of the background lane, which run one after the other.
class RecordFile::Segments {
 public:
  Segments(Disk& disk, RecordOptions options) : disk_(disk), options_(std::move(options)) {}

  Result<> write(std::string_view lines, bool begins_segment) {
    if (begins_segment) TRY(begin());
    TRY(file_->write_at(sizes_[number_], std::as_bytes(std::span(lines))));
    sizes_[number_] += lines.size();
    return drop_oldest();
  }

 private:
  Result<> begin() {
    if (number_ == 0) TRY(find_old_ones());
    file_.reset();
    ++number_;
    sizes_[number_] = 0;
    file_ = TRY(disk_.open(path_of(options_.folder, number_), OpenMode::create));
    return file_->truncate(0);
  }

  Result<> find_old_ones() {
    TRY(disk_.make_folder(options_.folder));
    for (const std::string& name : TRY(disk_.list(options_.folder))) {
      const auto number = segment_number(name);
      if (!number) continue;
      const auto file = TRY(disk_.open(options_.folder + "/" + name, OpenMode::read));
      sizes_[*number] = TRY(file->size());
      number_ = std::max(number_, *number);
    }
    return {};
  }

  Result<> drop_oldest() {
    std::uint64_t total = 0;
    for (const auto& [number, size] : sizes_) total += size;
    while (total > options_.bytes_max && sizes_.size() > 1) {
      const auto oldest = sizes_.begin();
      TRY(disk_.remove(path_of(options_.folder, oldest->first)));
      total -= oldest->second;
      sizes_.erase(oldest);
    }
    return {};
  }

  Disk& disk_;
  RecordOptions options_;
  std::map<std::uint64_t, std::uint64_t> sizes_;  // by number
  std::uint64_t number_ = 0;                      // of the file that is written
  std::unique_ptr<File> file_;
};

// Entries on their way to the disk. The first of them begin a segment where there is a snapshot.
struct RecordFile::Chunk {
  bool begins_segment = false;
  std::size_t snapshot = 0;  // so many of the entries, behind the first
  std::vector<RecordEntry> entries = {};
};

// What the lane does with a chunk, and what it tells of it.
struct RecordFile::Job {
  Chunk chunk;
  std::uint64_t segment = 0;
  std::uint64_t snapshot_bytes_max = 0;
  std::uint64_t bytes = 0;           // written
  std::uint64_t snapshot_bytes = 0;  // of those
  bool snapshot_fits = true;
  bool failed = false;

  void run(Segments& segments);
  std::string text();
};

// The entries go here, where their memory costs the house thread nothing.
std::string RecordFile::Job::text() {
  std::string lines;
  const std::size_t snapshot_end = chunk.snapshot == 0 ? 0 : chunk.snapshot + 1;
  for (std::size_t i = 0; i < chunk.entries.size(); ++i) {
    if (i < snapshot_end && !snapshot_fits) continue;
    append_line(chunk.entries[i], lines);
    if (i >= snapshot_end) continue;
    snapshot_fits = lines.size() <= snapshot_bytes_max;
    if (snapshot_fits) {
      snapshot_bytes = lines.size();
    } else {
      lines.clear();
      append_line({.type = RecordEntry::Type::start}, lines);
      append_line({.type = RecordEntry::Type::gap}, lines);
    }
  }
  chunk.entries.clear();
  return lines;
}

void RecordFile::Job::run(Segments& segments) {
  const std::string lines = text();
  bytes = lines.size();
  failed = !segments.write(lines, chunk.begins_segment).has_value();
}

RecordFile::RecordFile(Disk& disk, Executor& house, RecordOptions options)
    : disk_(disk),
      house_(house),
      options_(std::move(options)),
      segment_bytes_full_(options_.bytes_max / 4),
      segments_(std::make_shared<Segments>(disk, options_)) {
  begin_segment({});
}

RecordFile::~RecordFile() = default;

void RecordFile::append(const RecordEntry& entry) {
  if (is_broken_ || waiting_bytes_ > record_waiting_bytes_max) {
    ++lost_;
    has_gap_ = true;
    return;
  }
  if (std::exchange(has_gap_, false)) add({.type = RecordEntry::Type::gap});
  add(entry);
  flush();
}

bool RecordFile::is_idle() const {
  return !is_writing_ && waiting_.empty();
}

bool RecordFile::is_segment_full() const {
  return segment_bytes_ >= segment_bytes_full_;
}

void RecordFile::begin_segment(const std::vector<Event>& snapshot) {
  ++segment_;
  segment_bytes_ = 0;
  segment_bytes_full_ = options_.bytes_max / 4;
  const bool is_hopeless = snapshot.size() >= snapshot_entries_max_;
  waiting_.push_back(
      {.begins_segment = true, .snapshot = is_hopeless ? std::size_t{0} : snapshot.size()});
  add({.type = RecordEntry::Type::start});
  if (is_hopeless) {
    add({.type = RecordEntry::Type::gap});
  } else {
    for (const Event& event : snapshot) add(RecordEntry::of(event));
  }
  flush();
}

void RecordFile::add(const RecordEntry& entry) {
  if (waiting_.empty()) waiting_.emplace_back();
  waiting_.back().entries.push_back(entry);
  waiting_bytes_ += memory_of(entry);
}

void RecordFile::flush() {
  if (is_writing_ || is_broken_ || waiting_.empty()) return;
  is_writing_ = true;
  auto job = std::make_shared<Job>();
  job->chunk = std::move(waiting_.front());
  waiting_.pop_front();
  for (const RecordEntry& entry : job->chunk.entries) waiting_bytes_ -= memory_of(entry);
  // Segments that were begun since are chunks of their own.
  job->segment = segment_ - static_cast<std::uint64_t>(std::ranges::count_if(
                                waiting_, [](const Chunk& each) { return each.begins_segment; }));
  job->snapshot_bytes_max = options_.bytes_max / 2;
  disk_.submit(
      DiskLane::background, [job, segments = segments_] { job->run(*segments); }, house_,
      lifeline_.guard([this, job] { on_written(*job); }));
}

void RecordFile::on_written(const Job& job) {
  is_writing_ = false;
  is_broken_ = job.failed;
  if (!job.snapshot_fits) snapshot_entries_max_ = job.chunk.snapshot;
  if (job.segment == segment_) {
    segment_bytes_ += job.bytes;
    if (job.chunk.begins_segment) {
      segment_bytes_full_ = std::max(options_.bytes_max / 4, 2 * job.snapshot_bytes);
    }
  }
  flush();
}

Result<std::vector<RecordEntry>> read_record(Disk& disk, const std::string& folder) {
  std::vector<RecordEntry> entries;
  if (!TRY(disk.exists(folder))) return entries;
  for (const std::string& name : TRY(disk.list(folder))) {  // sorted: numbers have eight digits
    if (!segment_number(name)) continue;
    const std::string bytes = TRY(read_file(disk, fmt::format("{}/{}", folder, name)));
    read_lines(bytes, entries);
  }
  return entries;
}

}  // namespace muster::control
