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

// What strangers send is not always text, nor short.
std::string cut(std::string_view text) {
  return repaired_utf8(text.substr(0, audit_text_bytes_max));
}

void write_texts(JsonText& out, const std::vector<std::string>& texts) {
  out.begin_array();
  for (const std::string& text : texts) out.text(cut(text));
  out.end_array();
}

void write_user(JsonText& out, const Identity& user) {
  out.begin_object().key("username").text(cut(user.name));
  if (!user.uid.empty()) out.key("uid").text(cut(user.uid));
  if (!user.groups.empty()) {
    out.key("groups");
    write_texts(out, user.groups);
  }
  if (!user.extra.empty()) {
    out.key("extra").begin_object();
    for (const auto& [key, values] : user.extra) {
      out.key(cut(key));
      write_texts(out, values);
    }
    out.end_object();
  }
  out.end_object();
}

void write_object(JsonText& out, const AuditEntry& entry) {
  out.key("objectRef").begin_object();
  const auto add = [&](std::string_view key, const std::string& text) {
    if (!text.empty()) out.key(key).text(cut(text));
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

}  // namespace

std::string audit_line(const AuditEntry& entry, int code, Instant answered) {
  const std::string body = as_one_line(entry.body);
  JsonText out;
  out.begin_object().key("kind").text("Event").key("apiVersion").text("audit.k8s.io/v1");
  out.key("level").text(body.empty() ? "Metadata" : "Request");
  out.key("auditID").text(entry.id).key("stage").text("ResponseComplete");
  out.key("requestURI").text(cut(entry.uri)).key("verb").text(entry.verb);
  out.key("user");
  write_user(out, entry.user);
  if (entry.acting_as) {
    out.key("impersonatedUser");
    write_user(out, *entry.acting_as);
  }
  if (!entry.source.empty()) {
    out.key("sourceIPs").begin_array().text(entry.source).end_array();
  }
  if (!entry.user_agent.empty()) out.key("userAgent").text(cut(entry.user_agent));
  if (!entry.resource.empty()) write_object(out, entry);
  out.key("responseStatus").begin_object().key("metadata").begin_object().end_object();
  out.key("code").raw(fmt::to_string(code)).end_object();
  if (!body.empty()) out.key("requestObject").raw(body);
  out.key("requestReceivedTimestamp").text(format_micro_time(Timestamp::of(entry.received)));
  out.key("stageTimestamp").text(format_micro_time(Timestamp::of(answered)));
  out.end_object();
  return std::move(out).take() + "\n";
}

// On the disk's lane alone.
class AuditFile::Files {
 public:
  Files(Disk& disk, AuditOptions options) : disk_(disk), options_(std::move(options)) {}

  Result<> append(std::string_view lines) {
    if (file_ == nullptr) TRY(open());
    if (size_ > 0 && size_ + lines.size() > options_.file_bytes_max) TRY(rotate());
    TRY(file_->write_at(size_, std::as_bytes(std::span(lines))));
    size_ += lines.size();
    return {};
  }

 private:
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
  std::unique_ptr<File> file_;
  std::uint64_t size_ = 0;
  std::map<std::uint64_t, std::string> numbers_;  // of files that are full, oldest first
};

AuditFile::AuditFile(Disk& disk, Executor& house, AuditOptions options)
    : disk_(disk), house_(house), files_(std::make_shared<Files>(disk, std::move(options))) {}

AuditFile::~AuditFile() {
  *alive_ = false;
}

void AuditFile::write(std::string line) {
  if (is_broken_ || waiting_.size() + line.size() > audit_waiting_bytes_max) {
    ++lost_;
    return;
  }
  if (lost_ != lost_told_) {
    waiting_ += fmt::format(
        R"({{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"None","annotations":)"
        R"({{"muster.dev/lines-lost":"{}"}}}})"
        "\n",
        lost_ - std::exchange(lost_told_, lost_));
  }
  waiting_ += line;
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
    std::string lines;
    Result<> outcome = {};
  };
  auto job = std::make_shared<Job>(Job{std::exchange(waiting_, std::move(room_))});
  disk_.submit(
      DiskLane::background, [files = files_, job] { job->outcome = files->append(job->lines); },
      house_,
      [this, alive = alive_, job] {
        if (!*alive) return;
        is_writing_ = false;
        is_broken_ = !job->outcome;
        job->lines.clear();
        if (job->lines.capacity() <= audit_room_bytes_max) room_ = std::move(job->lines);
        flush();
      });
}

}  // namespace muster::server
