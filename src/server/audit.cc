// SPDX-License-Identifier: Apache-2.0
#include "server/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <span>
#include <utility>

#include "base/timestamp.h"
#include "base/utf8.h"
#include "objects/json.h"
#include "server/json_text.h"

namespace muster::server {

namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// What strangers send is not always text, nor short.
void write_text(JsonText& out, std::string_view text) {
  text = text.substr(0, audit_text_bytes_max);
  if (is_ascii(text)) {
    out.text(text);
  } else {
    out.text(repaired_utf8(text));
  }
}

void write_texts(JsonText& out, const std::vector<std::string>& texts) {
  out.begin_array();
  for (const std::string& text : texts) write_text(out, text);
  out.end_array();
}

void write_user(JsonText& out, const Identity& user) {
  write_text(out.begin_object().key("username"), user.name);
  if (!user.uid.empty()) write_text(out.key("uid"), user.uid);
  if (!user.groups.empty()) {
    out.key("groups");
    write_texts(out, user.groups);
  }
  if (!user.extra.empty()) {
    out.key("extra").begin_object();
    for (const auto& [key, values] : user.extra) {
      out.key(repaired_utf8(std::string_view(key).substr(0, audit_text_bytes_max)));
      write_texts(out, values);
    }
    out.end_object();
  }
  out.end_object();
}

void write_object(JsonText& out, const AuditEntry& entry) {
  out.key("objectRef").begin_object();
  const auto add = [&](std::string_view key, const std::string& text) {
    if (!text.empty()) write_text(out.key(key), text);
  };
  add("resource", entry.resource);
  add("namespace", entry.name_space);
  add("name", entry.name);
  add("apiGroup", entry.group);
  add("apiVersion", entry.version);
  add("subresource", entry.subresource);
  out.end_object();
}

// The text of a body that can be written into a line; nothing where it is no JSON.
std::string as_one_line(const std::string& body) {
  if (body.empty() || body.size() > audit_body_bytes_max) return {};
  const auto parsed = objects::parse_json(body);
  return parsed ? objects::to_json(*parsed) : std::string();
}

void append_line(const AuditRecord& record, std::string& text) {
  const AuditEntry& entry = record.call;
  const std::string body = as_one_line(entry.body);
  JsonText out(std::move(text));
  out.begin_object().key("kind").text("Event").key("apiVersion").text("audit.k8s.io/v1");
  out.key("level").text(body.empty() ? "Metadata" : "Request");
  out.key("auditID").text(entry.id).key("stage").text("ResponseComplete");
  write_text(out.key("requestURI"), entry.uri);
  out.key("verb").text(entry.verb).key("user");
  write_user(out, entry.user);
  if (entry.acting_as) {
    out.key("impersonatedUser");
    write_user(out, *entry.acting_as);
  }
  if (!entry.source.empty()) {
    out.key("sourceIPs").begin_array().text(entry.source).end_array();
  }
  if (!entry.user_agent.empty()) write_text(out.key("userAgent"), entry.user_agent);
  if (!entry.resource.empty()) write_object(out, entry);
  out.key("responseStatus").begin_object().key("metadata").begin_object().end_object();
  out.key("code").raw(fmt::format_int(record.code).c_str()).end_object();
  if (!body.empty()) out.key("requestObject").raw(body);
  out.key("requestReceivedTimestamp").text(format_micro_time(Timestamp::of(entry.received)));
  out.key("stageTimestamp").text(format_micro_time(Timestamp::of(record.answered)));
  out.end_object();
  text = std::move(out).take();
  text += '\n';
}

void append_lost(std::uint64_t count, std::string& text) {
  text +=
      fmt::format(R"({{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"None","annotations":)"
                  R"({{"muster.dev/lines-lost":"{}"}}}})"
                  "\n",
                  count);
}

std::size_t bytes_of(const Identity& user) {
  std::size_t bytes = user.name.size() + user.uid.size();
  for (const std::string& group : user.groups) bytes += group.size();
  for (const auto& [key, values] : user.extra) {
    bytes += key.size();
    for (const std::string& value : values) bytes += value.size();
  }
  return bytes;
}

// About what it holds while it waits.
std::size_t bytes_of(const AuditRecord& record) {
  const AuditEntry& call = record.call;
  return sizeof(AuditRecord) + call.id.size() + call.uri.size() + call.user_agent.size() +
         call.name.size() + call.body.size() + bytes_of(call.user) +
         (call.acting_as ? bytes_of(*call.acting_as) : 0);
}

}  // namespace

std::string audit_line(const AuditRecord& record) {
  std::string text;
  append_line(record, text);
  return text;
}

// On the disk's lane alone.
class AuditFile::Files {
 public:
  Files(Disk& disk, AuditOptions options) : disk_(disk), options_(std::move(options)) {}

  Result<> append(const std::vector<AuditRecord>& records) {
    text_.clear();
    for (const AuditRecord& record : records) {
      if (record.lost_before > 0) append_lost(record.lost_before, text_);
      append_line(record, text_);
    }
    TRY(append(text_));
    if (text_.capacity() > audit_room_bytes_max) text_ = {};
    return {};
  }

 private:
  Result<> append(std::string_view lines) {
    if (file_ == nullptr) TRY(open());
    if (size_ > 0 && size_ + lines.size() > options_.file_bytes_max) TRY(rotate());
    TRY(file_->write_at(size_, std::as_bytes(std::span(lines))));
    size_ += lines.size();
    return {};
  }

  std::string current() const { return options_.folder + "/audit.log"; }
  std::string old(std::uint64_t number) const {
    return fmt::format("{}/audit-{}.log", options_.folder, number);
  }

  Result<> open() {
    TRY(disk_.make_folder(options_.folder));
    for (const std::string& name : TRY(disk_.list(options_.folder))) {
      if (const auto number = number_of(name)) numbers_.insert({*number, name});
    }
    file_ = TRY(disk_.open(current(), OpenMode::create));
    size_ = TRY(file_->size());
    return {};
  }

  Result<> rotate() {
    file_.reset();
    const std::uint64_t next = numbers_.empty() ? 1 : numbers_.rbegin()->first + 1;
    TRY(disk_.rename(current(), old(next)));
    numbers_.insert({next, {}});
    // The one that is written counts as well.
    while (numbers_.size() + 1 > options_.files_max) {
      TRY(disk_.remove(old(numbers_.begin()->first)));
      numbers_.erase(numbers_.begin());
    }
    file_ = TRY(disk_.open(current(), OpenMode::create));
    size_ = 0;
    return {};
  }

  static std::optional<std::uint64_t> number_of(std::string_view name) {
    constexpr std::string_view prefix = "audit-";
    constexpr std::string_view suffix = ".log";
    if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
    name.remove_prefix(prefix.size());
    name.remove_suffix(std::min(suffix.size(), name.size()));
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(name.begin(), name.end(), number);
    if (fault != std::errc() || end != name.end()) return std::nullopt;
    return number;
  }

  Disk& disk_;
  AuditOptions options_;
  std::string text_;  // room to work in
  std::unique_ptr<File> file_;
  std::uint64_t size_ = 0;
  std::map<std::uint64_t, std::string> numbers_;  // of files that are full, oldest first
};

AuditFile::AuditFile(Disk& disk, Executor& house, AuditOptions options)
    : disk_(disk), house_(house), files_(std::make_shared<Files>(disk, std::move(options))) {}

AuditFile::~AuditFile() {
  *alive_ = false;
}

void AuditFile::write(AuditRecord record) {
  const std::size_t bytes = bytes_of(record);
  if (is_broken_ || waiting_bytes_ + bytes > audit_waiting_bytes_max) {
    ++lost_;
    return;
  }
  record.lost_before = lost_ - std::exchange(lost_told_, lost_);
  waiting_bytes_ += bytes;
  waiting_.push_back(std::move(record));
  flush();
}

void AuditFile::when_idle(Task then) {
  on_idle_ = std::move(then);
  flush();
}

void AuditFile::flush() {
  if (is_idle() && on_idle_) std::exchange(on_idle_, {})();
  if (is_writing_ || waiting_.empty()) return;
  is_writing_ = true;
  struct Job {
    std::vector<AuditRecord> records;
    Result<> outcome = {};
  };
  auto job = std::make_shared<Job>(Job{std::exchange(waiting_, std::move(room_))});
  waiting_bytes_ = 0;
  disk_.submit(
      DiskLane::background, [files = files_, job] { job->outcome = files->append(job->records); },
      house_,
      [this, alive = alive_, job] {
        if (!*alive) return;
        is_writing_ = false;
        is_broken_ = !job->outcome;
        job->records.clear();
        if (job->records.capacity() <= audit_records_kept_max) room_ = std::move(job->records);
        flush();
      });
}

}  // namespace muster::server
