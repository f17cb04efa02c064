// SPDX-License-Identifier: Apache-2.0
#include "simulator/virtual_disk.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"

namespace muster::simulator {

namespace {

Error failure(std::string_view doing, std::string_view path, std::string_view words) {
  return Error::internal(fmt::format("{} {}: {}", doing, path, words));
}

}  // namespace

class VirtualFile final : public File {
 public:
  VirtualFile(VirtualDisk& disk, NodeId node, std::string path, bool writes)
      : disk_(disk), epoch_(disk.epoch_), node_(node), path_(std::move(path)), writes_(writes) {
    disk_.tree_.pin(node_);
  }
  ~VirtualFile() override {
    if (epoch_ == disk_.epoch_) disk_.tree_.unpin(node_);
  }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) override {
    TRY(require_life("read"));
    TRY(disk_.require_power(path_));
    constexpr auto end = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (offset > end || into.size() > end - offset) {
      return failure("read", path_, "File too large");
    }
    if (disk_.failing_reads_.erase(++disk_.reads_) > 0) {
      return failure("read", path_, "Input/output error");
    }
    disk_.spend(disk_.speed_.per_operation);
    disk_.spend_bytes(into.size());
    return disk_.tree_.file(node_).read(offset, into);
  }

  Result<> write_at(std::uint64_t offset, std::span<const std::byte> bytes) override {
    TRY(require_life("write"));
    TRY(require_writing("write", "Bad file descriptor"));
    return disk_.write(node_, path_, offset, bytes);
  }

  Result<> sync() override {
    TRY(require_life("sync"));
    return disk_.sync(node_, path_);
  }

  Result<> truncate(std::uint64_t size) override {
    TRY(require_life("truncate"));
    TRY(require_writing("truncate", "Invalid argument"));
    if (size > VirtualDisk::file_bytes_max) return failure("truncate", path_, "File too large");
    const bool lasts = TRY(disk_.begin(DiskOperation::Kind::truncate, path_));
    disk_.tree_.file(node_).truncate(size);
    return disk_.finish(lasts, path_);
  }

  Result<std::uint64_t> size() override {
    TRY(require_life("stat"));
    TRY(disk_.require_power(path_));
    return disk_.tree_.file(node_).size();
  }

 private:
  Result<> require_life(std::string_view doing) const {
    if (epoch_ != disk_.epoch_) return failure(doing, path_, "opened before the crash");
    return {};
  }
  Result<> require_writing(std::string_view doing, std::string_view words) const {
    if (!writes_) return failure(doing, path_, words);
    return {};
  }

  VirtualDisk& disk_;
  const std::uint64_t epoch_;
  const NodeId node_;
  const std::string path_;
  const bool writes_;
};

class VirtualFileLock final : public FileLock {
 public:
  VirtualFileLock(VirtualDisk& disk, NodeId node) : disk_(disk), epoch_(disk.epoch_), node_(node) {
    disk_.locked_.insert(node_);
    disk_.tree_.pin(node_);
  }
  ~VirtualFileLock() override {
    if (epoch_ != disk_.epoch_) return;
    disk_.locked_.erase(node_);
    disk_.tree_.unpin(node_);
  }

 private:
  VirtualDisk& disk_;
  const std::uint64_t epoch_;
  const NodeId node_;
};

VirtualDisk::VirtualDisk(VirtualTime& time, std::uint64_t seed)
    : time_(time), random_(seed), lanes_{Lane(time), Lane(time), Lane(time)} {}

void VirtualDisk::submit(DiskLane lane_name, Task job, Executor& then_on, Task then) {
  Lane& lane = lanes_[static_cast<std::size_t>(lane_name)];
  lane.jobs.push_back({std::move(job), &then_on, std::move(then)});
  if (!lane.busy) start_next(lane);
}

void VirtualDisk::start_next(Lane& lane) {
  lane.busy = !lane.jobs.empty();
  if (lane.busy) lane.executor.post([this, &lane] { run_front(lane); });
}

void VirtualDisk::run_front(Lane& lane) {
  Job job = std::move(lane.jobs.front());
  lane.jobs.pop_front();
  job_span_ = Span{};
  job.work();
  job.work = nullptr;
  if (speed_.jitter_max.nanoseconds > 0) {
    const auto bound = static_cast<std::uint64_t>(speed_.jitter_max.nanoseconds) + 1;
    spend({static_cast<std::int64_t>(random_.below(bound))});
  }
  const MonotonicInstant end = time_.now() + *job_span_;
  job_span_.reset();
  lane.executor.post_at(end, [this, &lane, job = std::move(job)]() mutable {
    job.then_on->post(std::move(job.then));
    start_next(lane);
  });
}

Result<NodeId> VirtualDisk::open_node(const std::string& path, OpenMode mode) {
  const bool creates = mode == OpenMode::create || mode == OpenMode::create_new;
  const bool must_create = mode == OpenMode::create_new;
  if (must_create || (creates && !tree_.exists(path))) {
    const bool lasts = TRY(begin(Kind::create, path));
    const NodeId node = TRY(tree_.create(path));
    TRY(finish(lasts, path));
    return node;
  }
  return tree_.find_file(path);
}

Result<std::unique_ptr<File>> VirtualDisk::open(const std::string& path, OpenMode mode) {
  TRY(require_power(path));
  const NodeId node = TRY(open_node(path, mode));
  return std::make_unique<VirtualFile>(*this, node, path, mode != OpenMode::read);
}

Result<bool> VirtualDisk::exists(const std::string& path) {
  TRY(require_power(path));
  return tree_.exists(path);
}

Result<> VirtualDisk::remove(const std::string& path) {
  const bool lasts = TRY(begin(Kind::remove, path));
  TRY(tree_.remove(path));
  return finish(lasts, path);
}

Result<> VirtualDisk::rename(const std::string& from, const std::string& to) {
  const bool lasts = TRY(begin(Kind::rename, from));
  TRY(tree_.rename(from, to));
  return finish(lasts, from);
}

Result<std::vector<std::string>> VirtualDisk::list(const std::string& folder) {
  TRY(require_power(folder));
  return tree_.list(folder);
}

Result<> VirtualDisk::make_folder(const std::string& path) {
  const bool lasts = TRY(begin(Kind::make_folder, path));
  if (lasts || random_.one_in(2)) TRY(tree_.make_folder(path));
  return finish(lasts, path);
}

Result<> VirtualDisk::sync_folder(const std::string& path) {
  const bool lasts = TRY(begin(Kind::sync_folder, path));
  spend(speed_.per_sync);
  if (failing_syncs_.erase(++syncs_) > 0) return failure("sync", path, "Input/output error");
  if (lasts) TRY(tree_.sync_folder(path));
  return finish(lasts, path);
}

Result<std::unique_ptr<FileLock>> VirtualDisk::lock(const std::string& path) {
  TRY(require_power(path));
  const NodeId node = TRY(open_node(path, OpenMode::create));
  if (locked_.contains(node)) {
    return Error{ErrorCode::conflict, fmt::format("lock {}: held by somebody else", path)};
  }
  return std::make_unique<VirtualFileLock>(*this, node);
}

void VirtualDisk::crash(CrashPolicy policy) {
  CHECK(!job_span_, "a job cannot outlive the crash it causes: use power_off()");
  for (Lane& lane : lanes_) {
    lane.executor.drop_all();
    lane.jobs.clear();
    lane.busy = false;
  }
  ++epoch_;
  locked_.clear();
  tree_.crash(policy.names, policy.contents, random_);
  powered_ = true;
  power_off_at_ = 0;
}

void VirtualDisk::flip_bit(const std::string& path, std::uint64_t offset, unsigned bit) {
  tree_.file(tree_.find_file(path).must()).flip_bit(offset, bit);
}

void VirtualDisk::damage(const std::string& path, std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t byte = offset + random_.below(length);
  flip_bit(path, byte, static_cast<unsigned>(random_.below(8)));
}

Result<bool> VirtualDisk::begin(Kind kind, std::string_view path) {
  TRY(require_power(path));
  const std::uint64_t number = ++operations_;
  if (hook_) hook_({number, kind, path});
  if (number == power_off_at_) power_off();
  spend(speed_.per_operation);
  return powered_;
}

Result<> VirtualDisk::finish(bool lasts, std::string_view path) const {
  if (!lasts) TRY(require_power(path));
  return {};
}

Result<> VirtualDisk::require_power(std::string_view path) const {
  if (!powered_) return failure("reach", path, "the disk has no power");
  return {};
}

void VirtualDisk::spend(Span span) {
  if (job_span_) *job_span_ = *job_span_ + span;
}

void VirtualDisk::spend_bytes(std::uint64_t bytes) {
  // In steps of a kibibyte, which keeps the product far from overflow.
  const auto kibibytes = static_cast<std::int64_t>(bytes / 1024);
  spend({kibibytes * (speed_.per_mebibyte.nanoseconds / 1024)});
}

// How many of the bytes fit: what lies inside the file always does.
std::uint64_t VirtualDisk::room_for(const FileImage& image, std::uint64_t offset,
                                    std::uint64_t length) const {
  if (!capacity_bytes_ || offset + length <= image.size()) return length;
  const std::uint64_t used = tree_.bytes();
  const std::uint64_t room = *capacity_bytes_ > used ? *capacity_bytes_ - used : 0;
  const std::uint64_t end_max = image.size() + room;
  return offset >= end_max ? 0 : std::min(length, end_max - offset);
}

Result<> VirtualDisk::write(NodeId node, const std::string& path, std::uint64_t offset,
                            std::span<const std::byte> bytes) {
  if (offset > file_bytes_max || bytes.size() > file_bytes_max - offset) {
    return failure("write", path, "File too large");
  }
  const bool lasts = TRY(begin(Kind::write, path));
  spend_bytes(bytes.size());
  FileImage& image = tree_.file(node);
  if (failing_writes_.erase(++writes_) > 0) {
    const std::uint64_t landed = bytes.size() / sector_bytes / 2 * sector_bytes;
    image.write(offset, bytes.first(landed));
    return failure("write", path, "Input/output error");
  }
  const std::uint64_t room = room_for(image, offset, bytes.size());
  image.write(offset, bytes.first(room));
  TRY(finish(lasts, path));
  if (room < bytes.size()) {
    return Error{ErrorCode::insufficient_storage,
                 fmt::format("write {}: No space left on device", path)};
  }
  return {};
}

Result<> VirtualDisk::sync(NodeId node, const std::string& path) {
  const bool lasts = TRY(begin(Kind::sync, path));
  spend(speed_.per_sync);
  if (failing_syncs_.erase(++syncs_) > 0) {
    tree_.file(node).fail_sync(random_);
    return failure("sync", path, "Input/output error");
  }
  if (lasts) tree_.file(node).sync();
  return finish(lasts, path);
}

}  // namespace muster::simulator
