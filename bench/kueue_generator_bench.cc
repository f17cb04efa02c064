// SPDX-License-Identifier: Apache-2.0
// Kueue's performance suite on Muster: its configurations through the API of a `muster up` of its
// own, over TLS, durable. Workloads are created at their times; one that is admitted is told to be
// finished when its run time is over; one that is evicted gives its quota back, as the suite's own
// runner does. No pods: the suite has none. Nodes are pretended.
//
//   kueue_generator_bench [CONFIGURATION] [FOLDER] [timeline]
//
// CONFIGURATION is baseline, baseline-without-preemption, large-scale or topology.
//
// Printed beside the discrete-event ideal of the same objects: the same decisions in virtual time,
// where everything else takes none.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/kueue_generator.h"
#include "bench/live_platform.h"
#include "core/words.h"
#include "objects/edit.h"
#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::bench {
namespace {

using client::Call;
using client::Verb;
using objects::Value;
namespace resources = objects::resources;

struct Bars {
  double wall_seconds = 0;
  double cpu_seconds = 0;
  std::map<std::string, double> wait_seconds = {};  // by the first word of a class
};

Bars bars_of(std::string_view configuration) {
  if (configuration.starts_with("baseline")) {
    return {75, 60, {{"small", 5}, {"medium", 2}, {"large", 8}}};
  }
  if (configuration == "large-scale") return {20, 0, {}};
  return {80, 0, {}};
}

// The first word of the name of a class.
std::string kind_of(std::string_view name_of_class) {
  return std::string(name_of_class.substr(0, name_of_class.find('-')));
}

// Mean seconds by kind.
class MeanWaits {
 public:
  void add(const std::string& kind, Span wait) {
    auto& [sum, count] = sums_[kind];
    sum += static_cast<double>(wait.nanoseconds) / 1e9;
    ++count;
  }
  double of(const std::string& kind) const {
    const auto& [sum, count] = sums_.at(kind);
    return sum / count;
  }
  std::vector<std::string> kinds() const {
    std::vector<std::string> all;
    for (const auto& [kind, sum] : sums_) all.push_back(kind);
    return all;
  }

 private:
  std::map<std::string, std::pair<double, int>> sums_;
};

struct Tracked {
  Span at;
  Span run_time;
  std::size_t class_index = 0;
  std::string name_space;
  Value body;
  MonotonicInstant created = {};
  std::optional<Span> wait = {};  // until it was first seen admitted
  std::uint64_t admission = 0;
  bool is_admitted = false;
  bool is_finished = false;
};

// The suite's runner: follows the workloads and plays their jobs.
class Runner final : public client::ListWatchSink {
 public:
  Runner(LivePlatform& platform, const GeneratorConfiguration& configuration)
      : platform_(platform),
        follow_({.resource = resources::workloads}, platform.api(), platform.house(), *this) {
    configuration.for_each([&](const GeneratedWorkload& each) {
      Gang gang = each.gang;
      gang.name_space = gang.queue;
      workloads_[each.name] = {.at = each.at,
                               .run_time = each.run_time,
                               .class_index = each.class_index,
                               .name_space = gang.queue,
                               .body = gang_object(each.name, gang)};
    });
    left_ = workloads_.size();
  }

  // On the house; `finished` is kept when the last workload is seen finished.
  void start(std::promise<void>& finished) {
    finished_ = &finished;
    follow_.start();
    began_ = platform_.clock().monotonic();
    for (auto& [name, workload] : workloads_) {
      platform_.house().executor.post_at(
          began_ + workload.at,
          [this, &name = name, &workload = workload] { create(name, workload); });
    }
  }
  void stop() { follow_.stop(); }

  void on_list(const objects::Resource&, const client::Listed& list) override {
    for (const Value& item : list.items) see(item);
  }
  void on_event(const objects::Resource&, client::WatchEvent event) override {
    if (event.type != client::WatchEvent::Type::bookmark) see(event.object);
  }

  // How many have come so far: from any thread.
  struct Progress {
    std::atomic<std::size_t> sent = 0;
    std::atomic<std::size_t> answered = 0;
    std::atomic<std::size_t> admitted = 0;  // each once
    std::atomic<std::size_t> finished = 0;
  };
  const Progress& progress() const { return progress_; }

  Span took() const { return last_ - began_; }
  std::uint64_t evictions() const { return evictions_; }
  std::uint64_t refused() const { return refused_; }

  MeanWaits mean_waits(const GeneratorConfiguration& configuration) const {
    MeanWaits waits;
    for (const auto& [name, workload] : workloads_) {
      waits.add(kind_of(configuration.classes[workload.class_index].name),
                workload.wait.value_or(Span{}));
    }
    return waits;
  }

 private:
  void create(const std::string& name, Tracked& workload) {
    workload.created = platform_.clock().monotonic();
    ++progress_.sent;
    platform_.other_api().call({.verb = Verb::create,
                                .resource = resources::workloads,
                                .name_space = workload.name_space,
                                .body = std::move(workload.body)},
                               [this, name](const Result<Value>& answer) {
                                 ++progress_.answered;
                                 count(answer);
                               });
  }

  void see(objects::View object) {
    const auto found = workloads_.find(std::string(objects::name_of(object)));
    if (found == workloads_.end() || found->second.is_finished) return;
    Tracked& workload = found->second;
    if (objects::is_true(objects::condition(object, "Finished"))) return finished(workload);
    const bool is_reserved = objects::is_true(objects::condition(object, "QuotaReserved"));
    if (is_reserved && objects::is_true(objects::condition(object, "Evicted"))) {
      return release(found->first, workload, object);
    }
    const bool is_admitted = objects::is_true(objects::condition(object, "Admitted"));
    if (is_admitted && !workload.is_admitted) admitted(found->first, workload);
    workload.is_admitted = is_admitted;
  }

  void admitted(const std::string& name, Tracked& workload) {
    const MonotonicInstant now = platform_.clock().monotonic();
    if (!workload.wait) {
      workload.wait = now - workload.created;
      ++progress_.admitted;
    }
    const std::uint64_t admission = ++workload.admission;
    platform_.house().executor.post_at(
        now + workload.run_time, [this, &name, &workload, admission] {
          if (workload.is_finished || workload.admission != admission || !workload.is_admitted)
            return;
          finish(name, workload);
        });
  }

  void finish(const std::string& name, const Tracked& workload) {
    static const Value patch =
        objects::parse_json(
            R"([{"op":"add","path":"/status/conditions/-","value":{"type":"Finished",)"
            R"("status":"True","reason":"ByTest","message":"By test runner",)"
            R"("lastTransitionTime":"2026-01-01T00:00:00Z"}}])")
            .must();
    send({.verb = Verb::patch,
          .resource = resources::workloads,
          .name_space = workload.name_space,
          .name = name,
          .subresource = "status",
          .body = patch,
          .patch_type = objects::PatchType::json});
  }

  // A conflict means that there is a newer state, which will be seen.
  void release(const std::string& name, Tracked& workload, objects::View object) {
    if (workload.is_admitted) ++evictions_;
    workload.is_admitted = false;
    ++workload.admission;
    const Instant now = platform_.clock().wall();
    Value next = objects::without(Value::copy_of(object), {"status", "admission"}).must();
    for (const char* type : {"QuotaReserved", "Admitted"}) {
      next = objects::with_condition(next,
                                     {.type = type,
                                      .status = "False",
                                      .reason = "Pending",
                                      .message = "Evicted by the test runner"},
                                     now);
    }
    send({.verb = Verb::update,
          .resource = resources::workloads,
          .name_space = workload.name_space,
          .name = name,
          .subresource = "status",
          .body = std::move(next)});
  }

  void finished(Tracked& workload) {
    workload.is_finished = true;
    ++progress_.finished;
    if (--left_ > 0) return;
    last_ = platform_.clock().monotonic();
    finished_->set_value();
  }

  void send(Call call) {
    platform_.api().call(std::move(call), [this](const Result<Value>& answer) { count(answer); });
  }
  void count(const Result<Value>& answer) {
    if (answer || answer.error().code == ErrorCode::conflict) return;
    if (refused_++ < 5) fmt::print(stderr, "refused: {}\n", answer.error().message);
  }

  LivePlatform& platform_;
  client::ListWatch follow_;
  std::unordered_map<std::string, Tracked> workloads_;
  std::size_t left_ = 0;
  Progress progress_;
  std::uint64_t evictions_ = 0;
  std::uint64_t refused_ = 0;
  MonotonicInstant began_ = {};
  MonotonicInstant last_ = {};
  std::promise<void>* finished_ = nullptr;
};

std::string nodes_file(const std::string& folder) {
  return folder + "/kueue-generator-nodes";
}

std::string up_flags(const GeneratorConfiguration& configuration, const std::string& folder) {
  if (configuration.nodes == 0) {
    return "--node name=n1,cpu=1000000,memory=1Ti,pods=1000000,runtime=pretend";
  }
  const std::string path = nodes_file(folder);
  std::ofstream file(path);
  for (int i = 0; i < configuration.nodes; ++i) {
    file << fmt::format(
        "name=n{:03},cpu=96,memory=256Gi,runtime=pretend,labels=pool=tas;block=b0;rack=r{:04}\n", i,
        i / nodes_per_rack);
  }
  return "--nodes " + path;
}

// Where the suite has no nodes, quota is the only limit, as it is in the ideal: a node of Muster's
// has addresses for some 240 pods.
Value queue_of(const GeneratorConfiguration& configuration, int cohort, const std::string& name) {
  const Value queue = cluster_queue_object(name, configuration.queue(cohort));
  if (configuration.nodes > 0) return queue;
  return objects::with(queue, {"metadata", "annotations"},
                       Value::object({{core::words::placement, Value::string("none")}}))
      .must();
}

void create_queues(LivePlatform& platform, const GeneratorConfiguration& configuration) {
  const auto create = [&](const objects::Resource& resource, Value object) {
    const std::string name_space(objects::namespace_of(object));
    platform.call({.verb = Verb::create,
                   .resource = resource,
                   .name_space = name_space,
                   .body = std::move(object)});
  };
  if (configuration.nodes > 0) create(resources::topologies, topology_object());
  create(resources::resource_flavors, flavor_object(configuration.nodes > 0 ? "t" : ""));
  for (int cohort = 0; cohort < configuration.cohorts; ++cohort) {
    for (int index = 0; index < configuration.queues_each; ++index) {
      const std::string name = configuration.queue_name(cohort, index);
      create(resources::namespaces, namespace_object(name));
      create(resources::cluster_queues, queue_of(configuration, cohort, name));
      create(resources::local_queues, local_queue_object(name, name));
    }
  }
}

struct Ideal {
  double seconds = 0;
  MeanWaits waits = {};
};

Ideal ideal_of(const GeneratorConfiguration& configuration) {
  core::Policy policy;
  policy.placement = core::Placement::none;
  policy.places_unmanaged_pods = false;
  policy.tells_everyone = false;
  std::unordered_map<std::string, std::string> kinds;  // by name
  configuration.for_each([&](const GeneratedWorkload& each) {
    kinds[each.name] = kind_of(configuration.classes[each.class_index].name);
  });
  Ideal ideal;
  DecisionWorld world(policy);
  world.on_first_admission(
      [&](const std::string& name, Span wait) { ideal.waits.add(kinds.at(name), wait); });
  generate(world, configuration);
  world.run();
  ideal.seconds = static_cast<double>(world.elapsed().nanoseconds) / 1e9;
  return ideal;
}

void print_bar(std::string_view what, double figure, double bar, std::string_view unit) {
  const std::string beside =
      bar > 0 ? fmt::format("(at most {:.0f})   {:.2f}", bar, bar / figure) : "";
  fmt::print("  {:<34} {:>9.2f} {:<3} {}\n", what, figure, unit, beside);
}

// Once a second: how far it is, and the share of a core that each busy thread of the platform took.
void print_timeline(LivePlatform& platform, const Runner& runner, const std::future<void>& end) {
  std::map<int, double> before = platform.thread_cpu_seconds();
  std::clock_t own_before = std::clock();
  for (int second = 1; end.wait_for(std::chrono::seconds(1)) != std::future_status::ready;
       ++second) {
    const Runner::Progress& now = runner.progress();
    std::string threads;
    std::map<int, double> after = platform.thread_cpu_seconds();
    for (const auto& [thread, seconds] : after) {
      const double share = seconds - before[thread];
      if (share >= 0.02) threads += fmt::format(" {}:{:.2f}", thread, share);
    }
    before = std::move(after);
    const double own = static_cast<double>(std::clock() - own_before) / CLOCKS_PER_SEC;
    own_before = std::clock();
    fmt::print("  {:>4} s  sent {} created {} admitted {} finished {}  {:.0f} MB {} own:{:.2f}\n",
               second, now.sent.load(), now.answered.load(), now.admitted.load(),
               now.finished.load(), platform.resident_megabytes(), threads, own);
    std::fflush(stdout);
  }
}

int run(const GeneratorConfiguration& configuration, const std::string& folder, bool has_timeline) {
  const Ideal ideal = ideal_of(configuration);
  LivePlatform platform(MUSTER_PROGRAM, folder + "/kueue-generator",
                        up_flags(configuration, folder));
  std::filesystem::remove(nodes_file(folder));  // read, and of no further use
  create_queues(platform, configuration);
  Runner runner(platform, configuration);
  const std::uint64_t revision = platform.revision();
  const double cpu = platform.cpu_seconds();
  const std::clock_t own = std::clock();
  std::promise<void> finished;
  platform.on_house([&] { runner.start(finished); });
  std::future<void> end = finished.get_future();
  if (has_timeline) print_timeline(platform, runner, end);
  end.wait();
  const double workloads = static_cast<double>(configuration.cohorts * configuration.queues_each) *
                           static_cast<double>(configuration.per_queue());
  const double wall = static_cast<double>(runner.took().nanoseconds) / 1e9;
  const Bars bars = bars_of(configuration.name);
  fmt::print("{}: {:.0f} workloads, {} queues, {} pretended nodes; ideal {:.1f} s\n",
             configuration.name, workloads, configuration.cohorts * configuration.queues_each,
             std::max(configuration.nodes, 1), ideal.seconds);
  print_bar("wall", wall, bars.wall_seconds, "s");
  const MeanWaits waits = runner.mean_waits(configuration);
  for (const std::string& kind : waits.kinds()) {
    const auto bar = bars.wait_seconds.find(kind);
    print_bar(fmt::format("mean wait, {} (ideal {:.2f})", kind, ideal.waits.of(kind)),
              waits.of(kind), bar == bars.wait_seconds.end() ? 0 : bar->second, "s");
  }
  print_bar("the platform's CPU", platform.cpu_seconds() - cpu, bars.cpu_seconds, "s");
  print_bar("this program's CPU", static_cast<double>(std::clock() - own) / CLOCKS_PER_SEC, 0, "s");
  print_bar("the platform's memory at most", platform.peak_megabytes(), 0, "MB");
  print_bar("writes per workload", static_cast<double>(platform.revision() - revision) / workloads,
            0, "");
  fmt::print("  {} evictions, {} requests refused\n", runner.evictions(), runner.refused());
  platform.on_house([&] { runner.stop(); });
  return runner.refused() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "baseline";
  const auto configuration = muster::bench::generator_configuration(name);
  if (!configuration) {
    fmt::print(stderr,
               "no configuration {}: baseline, baseline-without-preemption, large-scale, "
               "topology\n",
               name);
    return 2;
  }
  return muster::bench::run(*configuration,
                            argc > 2 ? argv[2] : std::filesystem::current_path().string(),
                            argc > 3 && std::string_view(argv[3]) == "timeline");
}
