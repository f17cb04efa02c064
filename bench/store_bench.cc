// SPDX-License-Identifier: Apache-2.0
// The store beside the limits of this machine, measured in the same run, interleaved, median of
// five: a bare SQLite loop with the same batches, and a bare append + fdatasync.
//
//   store_bench [FOLDER]          where the files go (default: the working folder)
//   store_bench --group FOLDER    only the writes of 64 clients, for a profiler
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/os/event_loop.h"
#include "base/os/process.h"
#include "base/os/system_disk.h"
#include "store/memory_store.h"
#include "store/sqlite_store.h"

namespace muster::store {
namespace {

using Seconds = double;
using Stopwatch = std::chrono::steady_clock;

constexpr int repetitions = 5;
constexpr std::size_t value_bytes = 1'024;
constexpr int client_count = 64;
constexpr int group_writes = 24'000;
constexpr int single_writes = 600;

Seconds since(Stopwatch::time_point began) {
  return std::chrono::duration<double>(Stopwatch::now() - began).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The house on this thread, the lanes of a disk on two others.
class House {
 public:
  House()
      : commit_([this] { disk_.lane(DiskLane::commit).run(); }),
        background_([this] { disk_.lane(DiskLane::background).run(); }) {}
  ~House() {
    disk_.lane(DiskLane::commit).stop();
    disk_.lane(DiskLane::background).stop();
  }
  Disk& disk() { return disk_; }
  EventLoop& loop() { return loop_; }

 private:
  EventLoop loop_;
  SystemDisk disk_;
  std::jthread commit_;
  std::jthread background_;
};

void close(House& house, std::unique_ptr<Store> store) {
  store->close([&] { house.loop().stop(); });
  house.loop().run();
}

struct Throughput {
  double writes_per_second = 0;
  double batch = 0;
  Seconds latency = 0;  // median of one write
};

// Clients in process, each with one write on its way at a time.
Throughput measure_store(const std::string& folder, int clients, int writes) {
  std::filesystem::remove_all(folder);
  House house;
  auto store = open_sqlite_store(house.disk(), house.loop(), folder, {}).must();
  const Bytes value = Bytes::copy_of(std::string(value_bytes, 'v'));
  std::vector<double> latencies;
  latencies.reserve(static_cast<std::size_t>(writes));
  int sent = 0;
  int answered = 0;
  std::function<void(int)> write = [&](int client) {
    if (sent == writes) return;
    const std::string key =
        fmt::format("/registry/pods/default/worker-{}-{}", client, sent++ % 512);
    store->put_if(key, value, Expected::any(),
                  [&, client, began = Stopwatch::now()](Result<Revision> written) {
                    if (!written) std::abort();
                    latencies.push_back(since(began));
                    if (++answered == writes) return house.loop().stop();
                    write(client);
                  });
  };
  const auto began = Stopwatch::now();
  house.loop().post([&] {
    for (int c = 0; c < clients; ++c) write(c);
  });
  house.loop().run();
  const Seconds took = since(began);
  const double commits = static_cast<double>(store->statistics().commits);
  close(house, std::move(store));
  return {writes / took, writes / commits, median(latencies)};
}

void require(int code, sqlite3* db) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  fmt::print(stderr, "sqlite: {}\n", sqlite3_errmsg(db));
  std::abort();
}

// SQLite as anybody would use it for this: its own file layer, the same table and settings, a
// prepared insert, one transaction per batch. Its checkpoints are not counted against it.
Throughput measure_bare_sqlite(const std::string& folder, int batch, int writes) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  sqlite3* db = nullptr;
  require(sqlite3_open((folder + "/bare.db").c_str(), &db), db);
  require(sqlite3_exec(db,
                       "PRAGMA page_size=16384; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                       "PRAGMA wal_autocheckpoint=0;"
                       "CREATE TABLE log(revision INTEGER PRIMARY KEY, previous INTEGER NOT NULL,"
                       " checksum INTEGER NOT NULL, key BLOB NOT NULL, value BLOB) STRICT",
                       nullptr, nullptr, nullptr),
          db);
  sqlite3_stmt* statements[3] = {};
  const char* texts[] = {"BEGIN IMMEDIATE", "INSERT INTO log VALUES(?1,?2,?3,?4,?5)", "COMMIT"};
  for (int i = 0; i < 3; ++i) {
    require(sqlite3_prepare_v2(db, texts[i], -1, &statements[i], nullptr), db);
  }
  const auto run = [&](sqlite3_stmt* statement) {
    require(sqlite3_step(statement), db);
    require(sqlite3_reset(statement), db);
  };
  const std::string value(value_bytes, 'v');
  std::vector<double> latencies;
  Seconds took = 0;
  for (int done = 0; done < writes;) {
    const auto began = Stopwatch::now();
    run(statements[0]);
    for (int i = 0; i < batch && done < writes; ++i) {
      const std::string key = fmt::format("/registry/pods/default/worker-{}", ++done % 32'768);
      sqlite3_bind_int64(statements[1], 1, done);
      sqlite3_bind_int64(statements[1], 2, 0);
      sqlite3_bind_int64(statements[1], 3, 7);
      sqlite3_bind_blob(statements[1], 4, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
      sqlite3_bind_blob(statements[1], 5, value.data(), static_cast<int>(value.size()),
                        SQLITE_STATIC);
      run(statements[1]);
    }
    run(statements[2]);
    const Seconds commit = since(began);
    latencies.push_back(commit);
    took += commit;
    if (done % 16'384 < batch) {
      require(sqlite3_wal_checkpoint_v2(db, nullptr, SQLITE_CHECKPOINT_RESTART, nullptr, nullptr),
              db);
    }
  }
  for (sqlite3_stmt* statement : statements) sqlite3_finalize(statement);
  sqlite3_close(db);
  return {writes / took, static_cast<double>(batch), median(latencies)};
}

Throughput measure_bare_append(const std::string& folder, int batch, int writes) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const int file = ::open((folder + "/bare.log").c_str(), O_CREAT | O_RDWR, 0600);
  const std::string bytes(static_cast<std::size_t>(batch) * (value_bytes + 64), 'v');
  std::vector<double> latencies;
  const auto began = Stopwatch::now();
  for (int done = 0; done < writes; done += batch) {
    const auto began_one = Stopwatch::now();
    if (::write(file, bytes.data(), bytes.size()) < 0 || ::fdatasync(file) < 0) std::abort();
    latencies.push_back(since(began_one));
  }
  const Seconds took = since(began);
  ::close(file);
  return {writes / took, static_cast<double>(batch), median(latencies)};
}

// Runs what is posted until nothing is left: a house without threads.
class InlineExecutor final : public Executor {
 public:
  void post(Task task) override { tasks_.push_back(std::move(task)); }
  TimerId post_at(MonotonicInstant /*due*/, Task /*task*/) override { std::abort(); }
  void cancel(TimerId /*timer*/) override {}
  void run() {
    while (!tasks_.empty()) {
      for (Task& task : std::exchange(tasks_, {})) task();
    }
  }

 private:
  std::vector<Task> tasks_;
};

Seconds measure_list() {
  InlineExecutor house;
  const auto store = open_memory_store(house);
  const std::string value(value_bytes, 'v');
  for (int i = 0; i < 100'000; ++i) {
    store->put_if(fmt::format("/registry/pods/team-{}/worker-{:06}", i % 10, i),
                  Bytes::copy_of(value), Expected::absent(), [](Result<Revision>) {});
    if (i % 1'000 == 0) house.run();
  }
  house.run();
  std::vector<double> times;
  for (int i = 0; i < 21; ++i) {
    // Another tenth each time, so that nothing is in the cache because of the last one.
    const std::string prefix = fmt::format("/registry/pods/team-{}/", i % 10);
    const auto began = Stopwatch::now();
    const auto page = store->list({.prefix = prefix}).must();
    times.push_back(since(began));
    if (page.entries.size() != 10'000) std::abort();
  }
  return median(times);
}

double measure_fan_out() {
  constexpr int watchers = 200;
  constexpr int events = 20'000;
  InlineExecutor house;
  const auto store = open_memory_store(house);
  std::vector<std::unique_ptr<Watch>> watches(watchers);
  std::uint64_t delivered = 0;
  std::uint64_t bytes = 0;
  for (auto& watch : watches) {
    watch = store
                ->watch_from({0}, "/registry/pods/",
                             [&] {
                               const auto batch = watch->take(1'000).must();
                               for (const auto& event : batch.events) bytes += event->value.size();
                               delivered += batch.events.size();
                             })
                .must();
  }
  const Bytes value = Bytes::copy_of(std::string(value_bytes, 'v'));
  const auto began = Stopwatch::now();
  for (int i = 0; i < events; ++i) {
    store->put_if(fmt::format("/registry/pods/default/{}", i % 1'000), value, Expected::any(),
                  [](Result<Revision>) {});
    if (i % 16 == 15) house.run();
  }
  house.run();
  const Seconds took = since(began);
  if (delivered != std::uint64_t{watchers} * events || bytes == 0) std::abort();
  return static_cast<double>(delivered) / took;
}

constexpr int open_objects = 100'000;
constexpr std::size_t open_bytes = 2'048;

void make_large_store(const std::string& folder) {
  std::filesystem::remove_all(folder);
  House house;
  auto store = open_sqlite_store(house.disk(), house.loop(), folder, {}).must();
  const Bytes value = Bytes::copy_of(std::string(open_bytes, 'v'));
  int left = open_objects;
  std::function<void()> write = [&] {
    for (int i = 0; i < 4'000; ++i) {
      // In an order that is not that of the keys.
      const int number = (open_objects - left + i) * 7'919 % open_objects;
      store->put_if(fmt::format("/registry/pods/default/worker-{:06}", number), value,
                    Expected::absent(), [&](Result<Revision> written) {
                      if (!written) std::abort();
                      if (--left == 0) return house.loop().stop();
                      if (left % 4'000 == 0) write();
                    });
    }
  };
  house.loop().post(write);
  house.loop().run();
  close(house, std::move(store));
}

// In a process of its own, so that nothing else counts as resident.
int open_and_report(const std::string& folder) {
  House house;
  const auto before = resident_bytes().must();
  const auto began = Stopwatch::now();
  auto store = open_sqlite_store(house.disk(), house.loop(), folder, {}).must();
  const Seconds took = since(began);
  const auto statistics = store->statistics();
  const double ratio = static_cast<double>(resident_bytes().must() - before) /
                       static_cast<double>(statistics.value_bytes);
  fmt::print("{} {}\n", took, ratio);
  close(house, std::move(store));
  return statistics.keys == open_objects ? 0 : 1;
}

std::pair<Seconds, double> measure_open(const std::string& program, const std::string& folder) {
  FILE* child = ::popen(fmt::format("{} --open {}", program, folder).c_str(), "r");
  double took = 0;
  double ratio = 0;
  if (child == nullptr || std::fscanf(child, "%lf %lf", &took, &ratio) != 2) std::abort();
  ::pclose(child);
  return {took, ratio};
}

void print_line(std::string_view what, const std::string& figure, const std::string& limit,
                const std::string& ratio) {
  fmt::print("{:<52} {:>16} {:>24} {:>10}\n", what, figure, limit, ratio);
}

void bench(const std::string& program, const std::string& folder) {
  std::map<std::string, std::vector<double>> seen;
  make_large_store(folder + "/large");
  for (int i = 0; i < repetitions; ++i) {
    const auto group = measure_store(folder + "/store", client_count, group_writes);
    const int batch = std::max(1, static_cast<int>(group.batch + 0.5));
    const auto sqlite = measure_bare_sqlite(folder + "/bare", batch, group_writes);
    const auto append = measure_bare_append(folder + "/bare", batch, group_writes);
    const auto one = measure_store(folder + "/store", 1, single_writes);
    const auto one_sqlite = measure_bare_sqlite(folder + "/bare", 1, single_writes);
    const auto opened = measure_open(program, folder + "/large");
    seen["group"].push_back(group.writes_per_second);
    seen["batch"].push_back(group.batch);
    seen["sqlite"].push_back(sqlite.writes_per_second);
    seen["append"].push_back(append.writes_per_second);
    seen["group / sqlite"].push_back(group.writes_per_second / sqlite.writes_per_second);
    seen["group / append"].push_back(group.writes_per_second / append.writes_per_second);
    seen["one"].push_back(one.latency * 1e6);
    seen["one sqlite"].push_back(one_sqlite.latency * 1e6);
    seen["one / sqlite"].push_back(one.latency / one_sqlite.latency);
    seen["list"].push_back(measure_list() * 1e3);
    seen["fan-out"].push_back(measure_fan_out() / 1e6);
    seen["open"].push_back(opened.first);
    seen["resident"].push_back(opened.second);
  }
  const auto m = [&](const std::string& name) { return median(seen[name]); };
  print_line("what", "figure", "limit", "ratio");
  print_line(fmt::format("durable put_if 1 KiB, 64 clients (batches of {:.0f})", m("batch")),
             fmt::format("{:.0f}/s", m("group")), fmt::format("SQLite {:.0f}/s", m("sqlite")),
             fmt::format("{:.2f}", m("group / sqlite")));
  print_line("  the same beside append + fdatasync", fmt::format("{:.0f}/s", m("group")),
             fmt::format("append {:.0f}/s", m("append")),
             fmt::format("{:.2f}", m("group / append")));
  print_line("durable put_if 1 KiB, one client, median", fmt::format("{:.0f} us", m("one")),
             fmt::format("SQLite {:.0f} us", m("one sqlite")),
             fmt::format("{:.2f}", m("one / sqlite")));
  print_line("list 10,000 of 100,000 from memory", fmt::format("{:.2f} ms", m("list")), "2 ms",
             fmt::format("{:.2f}", m("list") / 2));
  print_line("watch fan-out, 200 watchers, in process", fmt::format("{:.1f} M/s", m("fan-out")),
             "1 M/s", fmt::format("{:.1f}", m("fan-out")));
  print_line("open 100,000 objects of 2 KB", fmt::format("{:.2f} s", m("open")), "1 s",
             fmt::format("{:.2f}", m("open")));
  print_line("  resident memory over the values' bytes", fmt::format("{:.2f}", m("resident")),
             "1.6", fmt::format("{:.2f}", m("resident") / 1.6));
}

}  // namespace
}  // namespace muster::store

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments, arguments + count);
  if (words.size() == 3 && words[1] == "--open") return muster::store::open_and_report(words[2]);
  if (words.size() == 3 && words[1] == "--group") {
    for (int i = 0; i < 20; ++i) {
      const auto group = muster::store::measure_store(words[2] + "/store_bench_group", 64, 24'000);
      fmt::print("{:.0f}/s\n", group.writes_per_second);
    }
    std::filesystem::remove_all(words[2] + "/store_bench_group");
    return 0;
  }
  const std::string parent = words.size() > 1 ? words[1] : ".";
  const std::string folder = fmt::format("{}/store_bench_{}", parent, muster::process_id());
  muster::store::bench(std::filesystem::read_symlink("/proc/self/exe").string(), folder);
  std::filesystem::remove_all(folder);
  return 0;
}
