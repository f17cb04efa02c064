// SPDX-License-Identifier: Apache-2.0
// A gang's way through the whole house in one process: API server over SQLite, controllers, node
// agent with pretend pods. The requests go in process; HTTP has a benchmark of its own.
//
//   gang_bench [FOLDER]           where the store goes (default: the working folder)
//
// Printed beside the limit of the same run: the time of one durable write to the same store, which
// a gang's way has several of, one after the other.
#include <fmt/format.h>

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

#include "agent/node_agent.h"
#include "agent/pretend_runtime.h"
#include "base/os/event_loop.h"
#include "base/os/system_disk.h"
#include "base/os/system_random.h"
#include "client/object_cache.h"
#include "control/controllers.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "server/api_server.h"
#include "store/sqlite_store.h"

namespace muster::bench {
namespace {

using client::Call;
using client::Verb;
using objects::Value;
namespace resources = objects::resources;
using Stopwatch = std::chrono::steady_clock;

constexpr int gangs_one_by_one = 200;
constexpr int gangs_at_once = 1'000;
constexpr int pods_per_gang_at_once = 4;
constexpr int nodes_count = 40;
constexpr auto patience = std::chrono::seconds(120);

double milliseconds_since(Stopwatch::time_point began) {
  return std::chrono::duration<double, std::milli>(Stopwatch::now() - began).count();
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

class Platform {
 public:
  explicit Platform(const std::string& folder)
      : commit_([this] { disk_.lane(DiskLane::commit).run(); }),
        background_([this] { disk_.lane(DiskLane::background).run(); }),
        store_(store::open_sqlite_store(disk_, loop_, folder + "/store", {}).must()),
        server_(*store_, loop_, clock_, random_, {}) {
    server_.load().must();
    api_ = server_.in_process({.name = "system:muster:bench", .groups = {"system:masters"}});
    pods_ =
        std::make_unique<client::ObjectCache>(*api_, client::House{loop_, clock_, random_},
                                              std::vector<client::Selection>{{resources::pods}});
    pods_->subscribe([this](const client::CacheChange& change) { count(change); });
    pods_->start();
    control::ControlOptions options;
    options.record_folder = folder + "/record";
    options.disk = &disk_;
    controllers_ =
        std::make_unique<control::Controllers>(*api_, loop_, clock_, random_, std::move(options));
    controllers_->start();
    agent::NodeAgentOptions nodes;
    for (int i = 0; i < nodes_count; ++i) {
      auto node =
          agent::parse_node_option(fmt::format("name=n{},cpu=1000,memory=1Ti,pods=1000", i)).must();
      node.pod_cidr = fmt::format("10.{}.0.0/16", i + 1);
      node.address = fmt::format("192.0.2.{}", i + 1);
      nodes.nodes.push_back(std::move(node));
    }
    agent_ = std::make_unique<agent::NodeAgent>(
        std::move(nodes), *api_, client::House{loop_, clock_, random_}, runtime_, files_);
    agent_->start();
  }

  ~Platform() {
    agent_.reset();
    controllers_.reset();
    pods_.reset();
    store_->close([this] { loop_.stop(); });
    loop_.run();
    disk_.lane(DiskLane::commit).stop();
    disk_.lane(DiskLane::background).stop();
  }

  void run_until(const std::function<bool()>& condition) {
    const auto end = Stopwatch::now() + patience;
    wanted_ = [&, end] {
      if (Stopwatch::now() > end) give_up();
      if (condition()) loop_.stop();
    };
    poll();
    loop_.run();
    wanted_ = nullptr;
  }

  void run_for(std::chrono::milliseconds span) {
    const auto end = Stopwatch::now() + span;
    run_until([end] { return Stopwatch::now() >= end; });
  }

  void create(
      const objects::Resource& resource, std::string_view name_space, const std::string& text,
      std::function<void()> then = [] {}) {
    Call call{.verb = Verb::create, .resource = resource};
    call.name_space = std::string(name_space);
    call.body = objects::parse_json(text).must();
    api_->call(std::move(call), [then = std::move(then)](const Result<Value>& answer) {
      if (!answer) {
        fmt::print(stderr, "{}\n", answer.error().to_string());
        std::abort();
      }
      then();
    });
  }

  void create_and_wait(const objects::Resource& resource, std::string_view name_space,
                       const std::string& text) {
    bool done = false;
    create(resource, name_space, text, [&] {
      done = true;
      check();
    });
    run_until([&] { return done; });
  }

  void submit(const std::string& name, int pods) {
    create(resources::jobs, "team-a",
           fmt::format(R"({{"metadata":{{"name":"{}","labels":{{
             "kueue.x-k8s.io/queue-name":"queue"}}}},"spec":{{"completionMode":"Indexed",
             "completions":{},"parallelism":{},"template":{{"metadata":{{"annotations":{{
             "muster.dev/pretend-run-seconds":"3600"}}}},"spec":{{"restartPolicy":"Never",
             "containers":[{{"name":"main","image":"trainer","resources":{{"requests":{{
             "cpu":"1"}}}}}}]}}}}}}}})",
                       name, pods, pods));
  }

  int running(const std::string& job) const {
    const auto found = running_.find(job);
    return found == running_.end() ? 0 : found->second;
  }
  int running() const { return running_total_; }
  bool is_ready() const { return controllers_->has_synced() && agent_->is_ready(); }
  std::uint64_t commits() const { return store_->statistics().commits; }
  control::ControlStatistics control() const { return controllers_->statistics(); }

 private:
  void count(const client::CacheChange& change) {
    const bool was = change.before["status"]["phase"].string_or("") == "Running";
    const bool is = change.after["status"]["phase"].string_or("") == "Running";
    if (was == is) return;
    const std::string job(objects::controller_of(change.object())["name"].string_or(""));
    running_[job] += is ? 1 : -1;
    running_total_ += is ? 1 : -1;
    check();
  }

  void check() {
    if (wanted_) wanted_();
  }

  void poll() {
    loop_.post_at(clock_.monotonic() + Span::of_milliseconds(20), [this] {
      if (!wanted_) return;
      wanted_();
      poll();
    });
  }

  void give_up() const {
    fmt::print(stderr, "gave up: {} pods run\n", running_total_);
    std::_Exit(1);
  }

  EventLoop loop_;
  SystemDisk disk_;
  SystemClock clock_;
  SystemRandom random_;
  std::jthread commit_;
  std::jthread background_;
  std::unique_ptr<store::Store> store_;
  server::ApiServer server_;
  std::unique_ptr<client::Api> api_;
  agent::PretendRuntime runtime_{loop_, clock_};
  agent::NoVolumeFiles files_{loop_};
  std::unique_ptr<client::ObjectCache> pods_;
  std::unique_ptr<control::Controllers> controllers_;
  std::unique_ptr<agent::NodeAgent> agent_;
  std::map<std::string, int> running_;
  int running_total_ = 0;
  std::function<void()> wanted_;
};

void prepare(Platform& platform) {
  platform.run_until([&] { return platform.is_ready(); });
  platform.create_and_wait(resources::namespaces, "", R"({"metadata":{"name":"team-a"}})");
  platform.create_and_wait(resources::resource_flavors, "", R"({"metadata":{"name":"default"}})");
  platform.create_and_wait(resources::cluster_queues, "", R"({"metadata":{"name":"cq"},"spec":{
      "namespaceSelector":{},"resourceGroups":[{"coveredResources":["cpu"],"flavors":[{
      "name":"default","resources":[{"name":"cpu","nominalQuota":"100000"}]}]}]}})");
  platform.create_and_wait(resources::local_queues, "team-a",
                           R"({"metadata":{"name":"queue"},"spec":{"clusterQueue":"cq"}})");
  platform.run_for(std::chrono::milliseconds(1500));
}

double median_write(Platform& platform) {
  std::vector<double> times;
  for (int i = 0; i < 100; ++i) {
    const auto began = Stopwatch::now();
    platform.create_and_wait(resources::config_maps, "team-a",
                             fmt::format(R"({{"metadata":{{"name":"floor-{}"}}}})", i));
    times.push_back(milliseconds_since(began));
  }
  return quantile(times, 0.5);
}

void print_control(const Platform& platform, int gangs) {
  const control::ControlStatistics all = platform.control();
  const auto per_gang = [gangs](std::uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(gangs);
  };
  fmt::print("   a gang: {:.1f} writes, {:.2f} refused, {:.1f} cycles, {:.1f} notes so far\n",
             per_gang(all.writes), per_gang(all.refused), per_gang(all.cycles),
             per_gang(all.notes));
}

void one_by_one(Platform& platform) {
  const double write = median_write(platform);
  std::vector<double> times;
  const std::uint64_t commits = platform.commits();
  for (int i = 0; i < gangs_one_by_one; ++i) {
    const std::string name = fmt::format("one-{}", i);
    const auto began = Stopwatch::now();
    platform.submit(name, 2);
    platform.run_until([&] { return platform.running(name) == 2; });
    times.push_back(milliseconds_since(began));
    platform.run_for(std::chrono::milliseconds(10));
  }
  fmt::print(
      "submit to both ranks running   p50 {:6.2f} ms   p99 {:6.2f} ms   one durable write "
      "{:.2f} ms   commits per gang {:.1f}\n",
      quantile(times, 0.5), quantile(times, 0.99), write,
      static_cast<double>(platform.commits() - commits) / gangs_one_by_one);
}

void all_at_once(Platform& platform) {
  const int before = platform.running();
  const int pods = gangs_at_once * pods_per_gang_at_once;
  const auto began = Stopwatch::now();
  for (int i = 0; i < gangs_at_once; ++i) {
    platform.submit(fmt::format("all-{}", i), pods_per_gang_at_once);
  }
  platform.run_until([&] { return platform.running() == before + pods; });
  const double took = milliseconds_since(began) / 1000;
  fmt::print("{} gangs of {} to Running   {:.2f} s   {:.0f} pods/s\n", gangs_at_once,
             pods_per_gang_at_once, took, pods / took);
  print_control(platform, gangs_one_by_one + gangs_at_once);
}

int run(const std::string& parent) {
  const std::string folder = parent + "/gang_bench_files";
  std::filesystem::remove_all(folder);
  {
    Platform platform(folder);
    prepare(platform);
    one_by_one(platform);
    all_at_once(platform);
  }
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  return muster::bench::run(argc > 1 ? argv[1] : ".");
}
