// Audit: who changed what, when, from where, and what became of it: one line of JSON for every call
// that changes something, in the shape of audit.k8s.io/v1 Events. Bodies are written only where
// they say who may do what (roles and bindings); no line has a Secret, a token or a command.
//
//   AuditFile audit(disk, house, {.folder = data + "/audit"});
//   ServerOptions options{.audit = &audit};
//
//   audit.log, and when it is full audit-<number>.log: audit_files_max of audit_file_bytes_max
//
// Assumes: write() on the house thread; the disk's background lane makes the lines and does the
// rest, without a sync.
// Where the disk is too slow, lines are lost, and a line says how many. A disk that fails ends the
// record until the next start.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/executor.h"
#include "base/instant.h"
#include "server/request.h"

namespace muster::server {

inline constexpr std::uint64_t audit_file_bytes_max = std::uint64_t{16} * 1024 * 1024;
inline constexpr std::size_t audit_files_max = 8;
// What waits for the disk, the room that is kept for lines and records, and what of a body, an
// address or a name is written.
inline constexpr std::size_t audit_waiting_bytes_max = std::size_t{4} * 1024 * 1024;
inline constexpr std::size_t audit_room_bytes_max = std::size_t{256} * 1024;
inline constexpr std::size_t audit_records_kept_max = 256;
inline constexpr std::size_t audit_body_bytes_max = std::size_t{16} * 1024;
inline constexpr std::size_t audit_text_bytes_max = 1'024;

// One call, as it came in.
struct AuditEntry {
  std::string id;
  std::string uri;
  std::string verb;
  Identity user;                           // who asked
  std::optional<Identity> acting_as = {};  // whom they impersonate
  std::string source = {};
  std::string user_agent = {};
  std::string group = {};
  std::string version = {};
  std::string resource = {};
  std::string subresource = {};
  std::string name_space = {};
  std::string name = {};
  Instant received = {};
  std::string body = {};  // JSON; empty: not for the record
};

// A call and what became of it: one line.
struct AuditRecord {
  AuditEntry call;
  int code = 0;
  Instant answered = {};
  std::uint64_t lost_before = 0;  // lines between the last one and this
};

std::string audit_line(const AuditRecord& record);

class AuditSink {
 public:
  virtual ~AuditSink() = default;
  virtual void write(AuditRecord record) = 0;
};

struct AuditOptions {
  std::string folder;
  std::uint64_t file_bytes_max = audit_file_bytes_max;
  std::size_t files_max = audit_files_max;
};

class AuditFile final : public AuditSink {
 public:
  AuditFile(Disk& disk, Executor& house, AuditOptions options);
  ~AuditFile() override;

  void write(AuditRecord record) override;

  bool is_idle() const { return !is_writing_ && waiting_.empty(); }

  // Calls it once everything is with the operating system, perhaps at once.
  void when_idle(Task then);

  std::uint64_t lost() const { return lost_; }  // lines

 private:
  class Files;

  void flush();

  Disk& disk_;
  Executor& house_;
  std::vector<AuditRecord> waiting_;
  std::vector<AuditRecord> room_;  // of records that are written, for the next ones
  std::size_t waiting_bytes_ = 0;
  bool is_writing_ = false;
  bool is_broken_ = false;
  std::uint64_t lost_ = 0;
  std::uint64_t lost_told_ = 0;
  Task on_idle_;
  std::shared_ptr<Files> files_;  // shared with the job on the disk's lane
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::server
