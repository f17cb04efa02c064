// SPDX-License-Identifier: Apache-2.0
#include "control/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "objects/json.h"

namespace muster::control {

using core::Event;
using objects::ObjectKey;
using objects::Resource;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view file_prefix = "record-";
constexpr std::string_view file_suffix = ".jsonl";
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

Value text(std::string_view value) {
  return Value::string(value);
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
      core::append_json(entry.event, out);
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

Result<std::string> read_file(Disk& disk, const std::string& path) {
  const auto file = TRY(disk.open(path, OpenMode::read));
  std::string bytes(TRY(file->size()), '\0');
  const std::size_t count = TRY(file->read_at(0, std::as_writable_bytes(std::span(bytes))));
  bytes.resize(count);
  return bytes;
}

void read_segment(std::string_view bytes, std::vector<RecordEntry>& entries) {
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

bool RecordFile::is_segment_full() const {
  return segment_bytes_ >= segment_bytes_full_;
}

void RecordFile::begin_segment(const std::vector<Event>& snapshot) {
  waiting_.push_back({.begins_segment = true, .lines = {}});
  segment_bytes_ = 0;
  add({.type = RecordEntry::Type::start});
  const bool is_hopeless = snapshot.size() >= snapshot_entries_max_;
  for (const Event& event : snapshot) {
    if (!is_hopeless) add(RecordEntry::of(event));
    if (is_hopeless || segment_bytes_ > options_.bytes_max / 2) {
      snapshot_entries_max_ = snapshot.size();
      waiting_bytes_ -= waiting_.back().lines.size();
      waiting_.back().lines.clear();
      segment_bytes_ = 0;
      add({.type = RecordEntry::Type::gap});
      break;
    }
  }
  segment_bytes_full_ = std::max(options_.bytes_max / 4, 2 * segment_bytes_);
  flush();
}

void RecordFile::add(const RecordEntry& entry) {
  if (waiting_.empty()) waiting_.emplace_back();
  std::string& lines = waiting_.back().lines;
  const std::size_t before = lines.size();
  const std::size_t begin = before + checksum_digits + 1;
  lines.resize(begin, ' ');
  append_entry(entry, lines);
  const std::uint64_t sum = checksum(std::string_view(lines).substr(begin));
  fmt::format_to_n(lines.data() + before, checksum_digits, "{:016x}", sum);
  lines += '\n';
  segment_bytes_ += lines.size() - before;
  waiting_bytes_ += lines.size() - before;
}

void RecordFile::flush() {
  if (is_writing_ || is_broken_ || waiting_.empty()) return;
  struct Job {
    Chunk chunk;
    bool failed = false;
  };
  is_writing_ = true;
  auto job = std::make_shared<Job>();
  job->chunk = std::move(waiting_.front());
  waiting_.pop_front();
  waiting_bytes_ -= job->chunk.lines.size();
  disk_.submit(
      DiskLane::background,
      [job, segments = segments_] {
        job->failed = !segments->write(job->chunk.lines, job->chunk.begins_segment).has_value();
      },
      house_, lifeline_.guard([this, job] {
        is_writing_ = false;
        is_broken_ = job->failed;
        flush();
      }));
}

Result<std::vector<RecordEntry>> read_record(Disk& disk, const std::string& folder) {
  std::vector<RecordEntry> entries;
  if (!TRY(disk.exists(folder))) return entries;
  for (const std::string& name : TRY(disk.list(folder))) {  // sorted: numbers have eight digits
    if (!segment_number(name)) continue;
    const std::string bytes = TRY(read_file(disk, fmt::format("{}/{}", folder, name)));
    read_segment(bytes, entries);
  }
  return entries;
}

}  // namespace muster::control
