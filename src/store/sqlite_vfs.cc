// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite_vfs.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "store/checksum.h"
#include "store/limits.h"
#include "store/sqlite_shared_file.h"

namespace muster::store {

struct SqliteVfs::State {
  explicit State(Disk& disk_in) : disk(disk_in) {}

  Disk& disk;
  std::string name;
  sqlite3_vfs vfs = {};

  mutable std::mutex mutex;
  std::map<std::string, std::weak_ptr<SharedFile>> shared_files;  // under mutex
  std::optional<Error> sync_failure;                              // under mutex
  std::string last_failure;                                       // under mutex
  std::atomic<bool> checks_pages = true;

  // Remembers the failure and turns it into SQLite's number.
  int failed(const Error& error, int code) {
    const std::lock_guard guard(mutex);
    last_failure = error.message;
    return error.code == ErrorCode::insufficient_storage ? SQLITE_FULL : code;
  }
  int sync_failed(const Error& error) {
    const std::lock_guard guard(mutex);
    last_failure = error.message;
    if (!sync_failure.has_value()) sync_failure = error;
    return SQLITE_IOERR_FSYNC;
  }
  std::shared_ptr<SharedFile> shared_file(const std::string& path) {
    const std::lock_guard guard(mutex);
    auto& known = shared_files[path];
    auto shared = known.lock();
    if (shared == nullptr) known = shared = std::make_shared<SharedFile>();
    return shared;
  }
};

namespace {

using State = SqliteVfs::State;

// A transaction larger than this is handed over in several pieces.
constexpr std::size_t gathered_bytes_max = 4 * mebibyte;

// The log grows by so much at once: a sync of a file whose size has changed waits for the disk once
// more, for that size. Behind the last commit there are zeros then, which are no commit.
constexpr std::size_t room_bytes = mebibyte / 2;

// The disk begins with so many bytes of the database as soon as they are written. A checkpoint is
// synced at its end: if all of it waited for that, a commit that is synced beside it would wait
// too.
constexpr std::size_t begun_bytes = mebibyte;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::array<std::byte, page_seal_bytes> seal_of(std::span<const std::byte> page,
                                               std::uint64_t number) {
  const std::string_view content(reinterpret_cast<const char*>(page.data()),
                                 page.size() - page_seal_bytes);
  const std::uint64_t seal = crc32c(content, static_cast<std::uint32_t>(number)) | number << 32U;
  std::array<std::byte, page_seal_bytes> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(seal >> (8 * i));
  }
  return bytes;
}

void seal(std::span<std::byte> page, std::uint64_t number) {
  const auto bytes = seal_of(page, number);
  std::copy(bytes.begin(), bytes.end(), page.end() - page_seal_bytes);
}

// A page that was never written is full of zeros; SQLite sees by itself if it needed one.
bool is_sealed(std::span<const std::byte> page, std::uint64_t number) {
  const auto bytes = seal_of(page, number);
  if (std::equal(bytes.begin(), bytes.end(), page.end() - page_seal_bytes)) return true;
  return std::all_of(page.begin(), page.end(), [](std::byte b) { return b == std::byte{0}; });
}

// One open file of SQLite.
class Handle {
 public:
  Handle(State& state, std::unique_ptr<File> file, std::string path, int flags, bool is_new)
      : state_(state),
        file_(std::move(file)),
        path_(std::move(path)),
        gathers_((flags & SQLITE_OPEN_WAL) != 0),
        has_pages_((flags & SQLITE_OPEN_MAIN_DB) != 0),
        folder_unsynced_(is_new),
        shared_(state.shared_file(path_)) {}

  ~Handle() {
    shared_->leave_memory(holds_, false);
    shared_->unlock(holds_, SQLITE_LOCK_NONE);
  }

  int read(void* into, int amount, sqlite3_int64 offset) {
    if (const int code = hand_over(); code != SQLITE_OK) return code;
    const std::span bytes(static_cast<std::byte*>(into), static_cast<std::size_t>(amount));
    const auto got = file_->read_at(static_cast<std::uint64_t>(offset), bytes);
    if (!got) return state_.failed(got.error(), SQLITE_IOERR_READ);
    if (*got == bytes.size()) return check_page(bytes, static_cast<std::uint64_t>(offset));
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(*got), bytes.end(), std::byte{0});
    return SQLITE_IOERR_SHORT_READ;
  }

  int write(const void* from, int amount, sqlite3_int64 offset) {
    const std::span bytes(static_cast<const std::byte*>(from), static_cast<std::size_t>(amount));
    const auto at = static_cast<std::uint64_t>(offset);
    if (!gathers_) return write_page(bytes, at);
    if (!gathered_.empty() && at != gathered_at_ + gathered_.size()) {
      if (const int code = hand_over(); code != SQLITE_OK) return code;
    }
    if (gathered_.empty()) gathered_at_ = at;
    gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
    return gathered_.size() < gathered_bytes_max ? SQLITE_OK : hand_over();
  }

  int sync() {
    if (const int code = hand_over(); code != SQLITE_OK) return code;
    if (auto synced = file_->sync(); !synced) return state_.sync_failed(synced.error());
    if (!folder_unsynced_) return SQLITE_OK;
    if (auto synced = state_.disk.sync_folder(folder_of(path_)); !synced) {
      return state_.sync_failed(synced.error());
    }
    folder_unsynced_ = false;
    return SQLITE_OK;
  }

  int truncate(sqlite3_int64 size) {
    if (const int code = hand_over(); code != SQLITE_OK) return code;
    const auto done = file_->truncate(static_cast<std::uint64_t>(size));
    if (done) room_end_ = static_cast<std::uint64_t>(size);
    return done ? SQLITE_OK : state_.failed(done.error(), SQLITE_IOERR_TRUNCATE);
  }

  int size(sqlite3_int64* into) {
    if (const int code = hand_over(); code != SQLITE_OK) return code;
    const auto size = file_->size();
    if (!size) return state_.failed(size.error(), SQLITE_IOERR_FSTAT);
    *into = static_cast<sqlite3_int64>(*size);
    return SQLITE_OK;
  }

  SharedFile& shared() { return *shared_; }
  SharedFileHolds& holds() { return holds_; }

 private:
  int write_through(std::span<const std::byte> bytes, std::uint64_t at) {
    const auto done = file_->write_at(at, bytes);
    return done ? SQLITE_OK : state_.failed(done.error(), SQLITE_IOERR_WRITE);
  }

  // The first page tells how large pages are, and whether they have room for a seal.
  void learn_layout(std::span<const std::byte> bytes, std::uint64_t at) {
    if (!has_pages_ || at != 0 || bytes.size() < 100) return;
    const auto number = [&](std::size_t i) { return std::to_integer<std::size_t>(bytes[i]); };
    const std::size_t stored = number(16) * 256 + number(17);
    page_bytes_ = number(20) == page_seal_bytes ? (stored == 1 ? 65'536 : stored) : 0;
  }
  bool is_sealed_page(std::span<const std::byte> bytes, std::uint64_t at) const {
    return page_bytes_ > 0 && bytes.size() == page_bytes_ && at % page_bytes_ == 0;
  }

  int write_page(std::span<const std::byte> bytes, std::uint64_t at) {
    learn_layout(bytes, at);
    if (!is_sealed_page(bytes, at)) return write_through(bytes, at);
    page_.assign(bytes.begin(), bytes.end());
    seal(page_, at / page_bytes_ + 1);
    // At once: a connection that reads takes a page from here as soon as a checkpoint says that it
    // is done, which is not always after a sync.
    const int code = write_through(page_, at);
    if (code == SQLITE_OK) begin_sync(at, at + page_.size());
    return code;
  }

  // What follows what was written before is begun together.
  void begin_sync(std::uint64_t from, std::uint64_t to) {
    if (from != written_to_) written_from_ = from;
    written_to_ = to;
    if (written_to_ - written_from_ < begun_bytes) return;
    file_->begin_sync(written_from_, written_to_ - written_from_);
    written_from_ = written_to_;
  }

  int check_page(std::span<const std::byte> bytes, std::uint64_t at) {
    learn_layout(bytes, at);
    if (!is_sealed_page(bytes, at) || !state_.checks_pages) return SQLITE_OK;
    const std::uint64_t number = at / page_bytes_ + 1;
    if (is_sealed(bytes, number)) return SQLITE_OK;
    return state_.failed(
        Error::internal(fmt::format("page {} of {} does not match its checksum", number, path_)),
        SQLITE_IOERR_DATA);
  }

  // What was gathered belongs to a transaction that nobody was told of: when it cannot be written,
  // SQLite rolls that transaction back and writes the next one to the same place.
  int hand_over() {
    if (gathered_.empty()) return SQLITE_OK;
    const int code = write_through(gathered_, gathered_at_);
    if (code == SQLITE_OK) make_room(gathered_at_ + gathered_.size());
    gathered_.clear();
    return code;
  }

  // Nothing depends on it: where there is none to be had, the log grows with each commit.
  void make_room(std::uint64_t end) {
    if (room_end_ == 0) {
      const auto size = file_->size();
      room_end_ = size ? *size : end;
    }
    if (end < room_end_) return;
    static std::array<std::byte, room_bytes> zeros;  // never written: it takes no memory
    const auto made = file_->write_at(end, zeros);
    room_end_ = made ? end + room_bytes : end;
    if (!made) static_cast<void>(file_->truncate(end).has_value());
  }

  State& state_;
  std::unique_ptr<File> file_;
  std::string path_;
  bool gathers_;
  bool has_pages_;
  std::size_t page_bytes_ = 0;      // 0: unknown, or pages without a seal
  std::vector<std::byte> page_;     // a copy to seal
  std::uint64_t written_from_ = 0;  // of pages that lie together and were not begun
  std::uint64_t written_to_ = 0;
  bool folder_unsynced_;
  std::vector<std::byte> gathered_;
  std::uint64_t gathered_at_ = 0;
  std::uint64_t room_end_ = 0;  // of the file; 0: not known
  std::shared_ptr<SharedFile> shared_;
  SharedFileHolds holds_;
};

// What SQLite allocates; it begins as SQLite demands.
struct OpenFile {
  sqlite3_file base;
  Handle* handle;
};

Handle& handle_of(sqlite3_file* file) {
  return *reinterpret_cast<OpenFile*>(file)->handle;
}

int on_close(sqlite3_file* file) {
  delete &handle_of(file);
  reinterpret_cast<OpenFile*>(file)->handle = nullptr;
  return SQLITE_OK;
}
int on_read(sqlite3_file* file, void* into, int amount, sqlite3_int64 offset) {
  return handle_of(file).read(into, amount, offset);
}
int on_write(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
  return handle_of(file).write(from, amount, offset);
}
int on_truncate(sqlite3_file* file, sqlite3_int64 size) {
  return handle_of(file).truncate(size);
}
int on_sync(sqlite3_file* file, int /*flags*/) {
  return handle_of(file).sync();
}
int on_file_size(sqlite3_file* file, sqlite3_int64* size) {
  return handle_of(file).size(size);
}
int on_lock(sqlite3_file* file, int level) {
  Handle& handle = handle_of(file);
  return handle.shared().lock(handle.holds(), level) ? SQLITE_OK : SQLITE_BUSY;
}
int on_unlock(sqlite3_file* file, int level) {
  Handle& handle = handle_of(file);
  handle.shared().unlock(handle.holds(), level);
  return SQLITE_OK;
}
int on_check_reserved_lock(sqlite3_file* file, int* reserved) {
  *reserved = handle_of(file).shared().is_reserved() ? 1 : 0;
  return SQLITE_OK;
}
int on_file_control(sqlite3_file* /*file*/, int /*operation*/, void* /*argument*/) {
  return SQLITE_NOTFOUND;
}
int on_sector_size(sqlite3_file* /*file*/) {
  return 4'096;
}

// A write does not change bytes beside it, also when the power fails: disks write whole sectors.
int on_device_characteristics(sqlite3_file* /*file*/) {
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

int on_memory_map(sqlite3_file* file, int region, int bytes, int make, void volatile** into) {
  Handle& handle = handle_of(file);
  *into = handle.shared().map_memory(handle.holds(), static_cast<std::size_t>(region),
                                     static_cast<std::size_t>(bytes), make != 0);
  return SQLITE_OK;
}
int on_memory_lock(sqlite3_file* file, int first, int count, int flags) {
  Handle& handle = handle_of(file);
  if ((flags & SQLITE_SHM_UNLOCK) != 0) {
    handle.shared().unlock_memory(handle.holds(), first, count);
    return SQLITE_OK;
  }
  const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  return handle.shared().lock_memory(handle.holds(), first, count, exclusive) ? SQLITE_OK
                                                                              : SQLITE_BUSY;
}
void on_memory_barrier(sqlite3_file* file) {
  handle_of(file).shared().barrier();
}
int on_memory_unmap(sqlite3_file* file, int forget) {
  Handle& handle = handle_of(file);
  handle.shared().leave_memory(handle.holds(), forget != 0);
  return SQLITE_OK;
}

constexpr sqlite3_io_methods make_io_methods() {
  sqlite3_io_methods methods = {};
  methods.iVersion = 2;
  methods.xClose = on_close;
  methods.xRead = on_read;
  methods.xWrite = on_write;
  methods.xTruncate = on_truncate;
  methods.xSync = on_sync;
  methods.xFileSize = on_file_size;
  methods.xLock = on_lock;
  methods.xUnlock = on_unlock;
  methods.xCheckReservedLock = on_check_reserved_lock;
  methods.xFileControl = on_file_control;
  methods.xSectorSize = on_sector_size;
  methods.xDeviceCharacteristics = on_device_characteristics;
  methods.xShmMap = on_memory_map;
  methods.xShmLock = on_memory_lock;
  methods.xShmBarrier = on_memory_barrier;
  methods.xShmUnmap = on_memory_unmap;
  return methods;
}
constexpr sqlite3_io_methods io_methods = make_io_methods();

State& state_of(sqlite3_vfs* vfs) {
  return *static_cast<State*>(vfs->pAppData);
}

int on_open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  if (name == nullptr) return SQLITE_CANTOPEN;  // temporary files: temp_store is memory
  State& state = state_of(vfs);
  const std::string path(name);
  const bool creates = (flags & SQLITE_OPEN_CREATE) != 0;
  const auto existed = state.disk.exists(path);
  if (!existed) return state.failed(existed.error(), SQLITE_CANTOPEN);
  const OpenMode mode = creates                                ? OpenMode::create
                        : (flags & SQLITE_OPEN_READWRITE) != 0 ? OpenMode::read_write
                                                               : OpenMode::read;
  auto opened = state.disk.open(path, mode);
  if (!opened) return state.failed(opened.error(), SQLITE_CANTOPEN);
  auto handle =
      std::make_unique<Handle>(state, std::move(opened).take(), path, flags, creates && !*existed);
  reinterpret_cast<OpenFile*>(file)->handle = handle.release();
  file->pMethods = &io_methods;
  if (out_flags != nullptr) *out_flags = flags;
  return SQLITE_OK;
}

int on_delete(sqlite3_vfs* vfs, const char* name, int sync_folder) {
  State& state = state_of(vfs);
  const std::string path(name);
  if (auto removed = state.disk.remove(path); !removed) {
    if (removed.error().code == ErrorCode::not_found) return SQLITE_IOERR_DELETE_NOENT;
    return state.failed(removed.error(), SQLITE_IOERR_DELETE);
  }
  if (sync_folder == 0) return SQLITE_OK;
  const auto synced = state.disk.sync_folder(folder_of(path));
  return synced ? SQLITE_OK : state.sync_failed(synced.error());
}

int on_access(sqlite3_vfs* vfs, const char* name, int /*flags*/, int* answer) {
  State& state = state_of(vfs);
  const auto exists = state.disk.exists(name);
  if (!exists) return state.failed(exists.error(), SQLITE_IOERR_ACCESS);
  *answer = *exists ? 1 : 0;
  return SQLITE_OK;
}

int on_full_pathname(sqlite3_vfs* /*vfs*/, const char* name, int space, char* into) {
  const std::size_t length = std::strlen(name);
  if (length + 1 > static_cast<std::size_t>(space)) return SQLITE_CANTOPEN;
  std::memcpy(into, name, length + 1);
  return SQLITE_OK;
}

// SQLite asks the default system for randomness, and for time only where it waits, which it never
// does here; both still need an answer.
int on_randomness(sqlite3_vfs* /*vfs*/, int bytes, char* into) {
  std::memset(into, 0, static_cast<std::size_t>(bytes));
  return bytes;
}
int on_sleep(sqlite3_vfs* /*vfs*/, int microseconds) {
  return microseconds;
}
int on_current_time(sqlite3_vfs* /*vfs*/, double* now) {
  *now = 0;
  return SQLITE_OK;
}
int on_last_error(sqlite3_vfs* /*vfs*/, int /*bytes*/, char* /*into*/) {
  return 0;
}

}  // namespace

SqliteVfs::SqliteVfs(Disk& disk) : state_(std::make_unique<State>(disk)) {
  state_->name = fmt::format("muster-{}", fmt::ptr(state_.get()));
  sqlite3_vfs& vfs = state_->vfs;
  vfs.iVersion = 1;
  vfs.szOsFile = sizeof(OpenFile);
  vfs.mxPathname = 4'096;
  vfs.zName = state_->name.c_str();
  vfs.pAppData = state_.get();
  vfs.xOpen = on_open;
  vfs.xDelete = on_delete;
  vfs.xAccess = on_access;
  vfs.xFullPathname = on_full_pathname;
  vfs.xRandomness = on_randomness;
  vfs.xSleep = on_sleep;
  vfs.xCurrentTime = on_current_time;
  vfs.xGetLastError = on_last_error;
  CHECK(sqlite3_vfs_register(&vfs, 0) == SQLITE_OK);
}

SqliteVfs::~SqliteVfs() {
  sqlite3_vfs_unregister(&state_->vfs);
}

const char* SqliteVfs::name() const {
  return state_->name.c_str();
}

std::optional<Error> SqliteVfs::sync_failure() const {
  const std::lock_guard guard(state_->mutex);
  return state_->sync_failure;
}

void SqliteVfs::stop_checking_pages() {
  state_->checks_pages = false;
}

std::string SqliteVfs::last_failure() const {
  const std::lock_guard guard(state_->mutex);
  return state_->last_failure;
}

}  // namespace muster::store
