// SPDX-License-Identifier: Apache-2.0
// A process that writes under load is killed again and again, at random points; whatever it had
// reported as written must be there when the next one opens the folder.
//
//   store_crash_test [ROUNDS]           the judge (200 rounds unless told)
//   store_crash_test --writer FOLDER    the victim: prints "revision key value" per answer
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/os/event_loop.h"
#include "store/sqlite_store.h"
#include "tests/suites/store_suite_disks.h"

extern char** environ;

namespace muster::store {
namespace {

constexpr int client_count = 16;
constexpr int key_count = 200;
constexpr std::uint64_t kept_revisions = 2'000;

// The victim.
class Writer {
 public:
  explicit Writer(const std::string& folder)
      : store_(open_sqlite_store(running_.disk(), house_, folder,
                                 {.limits = {.log_bytes_checkpoint = 1'000'000},
                                  .on_fatal = [](const Error&) { std::abort(); }})
                   .must()),
        random_(store_->revision().value) {}

  [[noreturn]] void run() {
    for (int c = 0; c < client_count; ++c) write();
    house_.run();
    std::abort();
  }

 private:
  void write() {
    const std::string key = "/key/" + std::to_string(random_() % key_count);
    if (random_() % 5 == 0 && store_->get(key)) {
      store_->delete_if(key, Expected::any(), [this, key](Result<Revision> r) {
        if (r) report(fmt::format("{} {} -\n", r->value, key));
        write();
      });
      return;
    }
    const std::string mark = std::to_string(random_());
    const std::string value = mark + std::string(random_() % 2'000, 'x');
    store_->put_if(key, Bytes::copy_of(value), Expected::any(), [this, key, mark](auto r) {
      if (!r) std::abort();
      report(fmt::format("{} {} {}\n", r->value, key, mark));
      if (r->value % 500 == 0 && r->value > kept_revisions) {
        store_->compact(Revision{r->value - kept_revisions}, [](Result<>) {});
      }
      write();
    });
  }

  // One line, one call: a kill cannot tear it, as a pipe takes short lines whole.
  static void report(const std::string& line) {
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::abort();
  }

  EventLoop house_;
  RunningDisk running_;
  std::unique_ptr<Store> store_;
  std::mt19937_64 random_;
};

struct Acknowledged {
  std::string key;
  std::string mark;  // what the value begins with; "-" for a delete
};

class Judge {
 public:
  Judge(std::string program, std::uint64_t seed) : program_(std::move(program)), random_(seed) {}

  // True when nothing was lost.
  bool round() {
    run_victim();
    const auto began = std::chrono::steady_clock::now();
    auto opened = open_sqlite_store(running_.disk(), house_, folder_ / "store", {});
    if (!opened) return complain("it does not open: " + opened.error().message);
    open_seconds_.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    auto store = std::move(opened).take();
    const bool fine = check(*store);
    if (random_() % 2 == 0) {
      bool closed = false;
      store->close([&] { closed = true; });
      while (!closed) house_.turn(true);
    }
    store.reset();
    running_.drain();
    house_.drop_all();
    return fine;
  }

  std::uint64_t acknowledged() const { return total_; }
  std::vector<double>& open_seconds() { return open_seconds_; }

 private:
  bool complain(const std::string& sentence) {
    std::fprintf(stderr, "store_crash_test: %s\n", sentence.c_str());
    return false;
  }

  void run_victim() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string folder = folder_ / "store";
    std::string role = "--writer";
    char* arguments[] = {program_.data(), role.data(), folder.data(), nullptr};
    pid_t child = 0;
    if (::posix_spawn(&child, program_.c_str(), &actions, nullptr, arguments, environ) != 0) {
      std::abort();
    }
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::jthread reader([&] { read_reports(ends[0]); });
    // Now and then before the first answer: in the middle of opening.
    const auto wait = random_() % 8 == 0 ? random_() % 15'000 : 15'000 + random_() % 80'000;
    std::this_thread::sleep_for(std::chrono::microseconds(wait));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    reader.join();
    ::close(ends[0]);
  }

  void read_reports(int from) {
    std::string text;
    char buffer[65'536];
    while (true) {
      const ssize_t got = ::read(from, buffer, sizeof(buffer));
      if (got <= 0) break;
      text.append(buffer, static_cast<std::size_t>(got));
    }
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      if (end == std::string::npos) break;
      const std::string line = text.substr(at, end - at);
      const std::size_t first = line.find(' ');
      const std::size_t second = line.find(' ', first + 1);
      const Revision revision{std::stoull(line.substr(0, first))};
      acknowledged_[revision] = {line.substr(first + 1, second - first - 1),
                                 line.substr(second + 1)};
      newest_[acknowledged_[revision].key] = revision;
      ++total_;
      at = end + 1;
    }
  }

  bool check(Store& store) {
    const Revision compacted = store.statistics().compacted;
    if (!acknowledged_.empty() && acknowledged_.rbegin()->first > store.revision()) {
      return complain("the revision went back");
    }
    if (store.revision() < revision_) return complain("the revision went back between rounds");
    revision_ = store.revision();
    std::map<Revision, EventPointer> events;
    std::map<std::string, Revision, std::less<>> touched;  // by an event after compaction
    const auto watch = store.watch_from(compacted, "", [] {}).must();
    for (bool more = true; more;) {
      auto batch = watch->take(10'000).must();
      for (auto& event : batch.events) {
        touched[std::string(event->key.view())] = event->revision;
        events.emplace(event->revision, std::move(event));
      }
      more = batch.more;
    }
    for (const auto& [revision, wanted] : acknowledged_) {
      if (revision <= compacted) continue;
      const auto found = events.find(revision);
      if (found == events.end() || !matches(*found->second, wanted)) {
        return complain(fmt::format("revision {} of {} was lost", revision.value, wanted.key));
      }
    }
    return check_compacted(store, touched, compacted);
  }

  static bool matches(const Event& event, const Acknowledged& wanted) {
    if (event.key.view() != wanted.key) return false;
    if (event.is_delete()) return wanted.mark == "-";
    return event.value.view().starts_with(wanted.mark);
  }

  // What history does not show any more must still be the state.
  bool check_compacted(Store& store, const std::map<std::string, Revision, std::less<>>& touched,
                       Revision compacted) {
    for (const auto& [key, revision] : newest_) {
      if (revision > compacted || touched.contains(key)) continue;
      const auto wanted = acknowledged_.find(revision);
      if (wanted == acknowledged_.end()) continue;
      const auto entry = store.get(key);
      const bool is_delete = wanted->second.mark == "-";
      if (is_delete != !entry ||
          (entry && (entry->revision != revision ||
                     !entry->value.view().starts_with(wanted->second.mark)))) {
        return complain(fmt::format("{} is not what revision {} made it", key, revision.value));
      }
    }
    return true;
  }

  std::string program_;
  std::mt19937_64 random_;
  TemporaryFolder folder_;
  TurnExecutor house_;
  RunningDisk running_;
  std::map<Revision, Acknowledged> acknowledged_;
  std::map<std::string, Revision> newest_;  // acknowledged revision by key
  Revision revision_;
  std::uint64_t total_ = 0;
  std::vector<double> open_seconds_;
};

int judge(const std::string& program, int rounds) {
  Judge judge(program, 20'261'115);
  int good = 0;
  int bad = 0;
  for (int i = 0; i < rounds && bad == 0; ++i) judge.round() ? ++good : ++bad;
  auto& seconds = judge.open_seconds();
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds.empty() ? 0 : seconds[seconds.size() / 2];
  fmt::print("{} kills, {} answers checked, recovery median {:.1f} ms, longest {:.1f} ms\n", good,
             judge.acknowledged(), median * 1e3, seconds.empty() ? 0 : seconds.back() * 1e3);
  if (median > 1.0) {
    fmt::print("recovery takes more than a second\n");
    ++bad;
  }
  fmt::print("{} passed, {} failed\n", good, bad);
  return bad == 0 ? 0 : 1;
}

}  // namespace
}  // namespace muster::store

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments, arguments + count);
  if (words.size() == 3 && words[1] == "--writer") muster::store::Writer(words[2]).run();
  return muster::store::judge("/proc/self/exe", words.size() > 1 ? std::stoi(words[1]) : 200);
}
