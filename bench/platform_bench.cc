// SPDX-License-Identifier: Apache-2.0
// The platform as its users meet it: `muster up` until it is ready, its memory when idle, and the
// time from submitting a gang of two over HTTPS until both of its pods are seen to run, as real
// processes, from an image (runc) and as pretended ones; and how far apart the first words of 64
// processes of one gang are.
//
//   platform_bench [FOLDER]        where the platforms live (default: the working folder)
//
// Printed beside limits of the same run: the start of a bare process, and the durable write of one
// small object over the same connection, of which a gang's way has seven, one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/timestamp.h"
#include "bench/bare_gang.h"
#include "bench/live_platform.h"
#include "client/object_cache.h"
#include "objects/metadata.h"
#include "objects/yaml.h"

namespace muster::bench {
namespace {

using client::Verb;
using objects::Value;
namespace resources = objects::resources;
using Stopwatch = std::chrono::steady_clock;

constexpr int gangs = 40;
constexpr int restarts = 7;
constexpr int writes = 200;
constexpr int dependent_writes = 7;
constexpr int wide_gang = 64;
constexpr const char* wide_command = "echo here; sleep 5";
constexpr const char* image = "docker.io/library/bench:v1";

double milliseconds_since(Stopwatch::time_point began) {
  return std::chrono::duration<double, std::milli>(Stopwatch::now() - began).count();
}

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

double timed_command(const std::string& command) {
  const auto began = Stopwatch::now();
  if (std::system((command + " >/dev/null 2>&1").c_str()) != 0) {
    fmt::print(stderr, "failed: {}\n", command);
    std::exit(1);
  }
  return milliseconds_since(began);
}

// Submits gangs to a platform and sees their pods run.
class Submitter {
 public:
  explicit Submitter(LivePlatform& platform) : platform_(platform) {
    platform_.on_house([this] {
      pods_ = std::make_unique<client::ObjectCache>(
          platform_.api(), platform_.house(), std::vector<client::Selection>{{resources::pods}});
      pods_->subscribe([this](const client::CacheChange& change) { see(change.after); });
      pods_->start();
    });
  }
  ~Submitter() {
    platform_.on_house([this] { pods_.reset(); });
  }
  Submitter(const Submitter&) = delete;
  Submitter& operator=(const Submitter&) = delete;

  void create(const objects::Resource& resource, const std::string& yaml) {
    platform_.call({.verb = Verb::create,
                    .resource = resource,
                    .name_space = resource.is_namespaced() ? "default" : "",
                    .body = objects::parse_yaml_document(yaml).must()});
  }

  // From submitting the job until that many of its pods have been seen running.
  double run_gang(const std::string& name, const std::string& yaml, std::size_t pods) {
    std::promise<void> runs;
    platform_.on_house([&] {
      waited_for_ = name;
      running_.clear();
      pods_wanted_ = pods;
      when_running_ = &runs;
    });
    const auto began = Stopwatch::now();
    create(resources::jobs, yaml);
    runs.get_future().wait();
    return milliseconds_since(began);
  }

 private:
  void see(objects::View pod) {
    const objects::View labels = objects::labels_of(pod);
    if (when_running_ == nullptr || labels["job-name"].string_or("") != waited_for_) return;
    if (pod["status"]["phase"].string_or("") == "Pending") return;
    running_[std::string(objects::uid_of(pod))] = true;
    if (running_.size() < pods_wanted_) return;
    std::exchange(when_running_, nullptr)->set_value();
  }

  LivePlatform& platform_;
  std::unique_ptr<client::ObjectCache> pods_;
  std::string waited_for_;
  std::size_t pods_wanted_ = 0;
  std::map<std::string, bool> running_;
  std::promise<void>* when_running_ = nullptr;
};

constexpr const char* flavor = R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default-flavor}
)";
constexpr const char* cluster_queue = R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: all}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: default-flavor, resources: [{name: cpu, nominalQuota: 1000}]}]
)";
constexpr const char* local_queue = R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: queue, namespace: default}
spec: {clusterQueue: all}
)";

std::string job(const std::string& name, int pods) {
  return fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata:
  name: {}
  namespace: default
  labels: {{kueue.x-k8s.io/queue-name: queue}}
spec:
  completionMode: Indexed
  completions: {}
  parallelism: {}
  template:
    metadata:
      annotations: {{muster.dev/pretend-run-seconds: "0.2"}}
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: {}
        imagePullPolicy: IfNotPresent
        command: [sh, -c, "{}"]
        resources: {{requests: {{cpu: 100m}}}}
)",
                     name, pods, pods, image, pods > 2 ? wide_command : "sleep 0.2");
}

// Milliseconds between the first words of the members of a gang, as their logs have them.
double skew_milliseconds(const std::string& folder, std::size_t members) {
  std::vector<std::int64_t> times;
  for (int round = 0; round < 50 && times.size() < members; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    times.clear();
    for (const auto& file : std::filesystem::recursive_directory_iterator(
             folder, std::filesystem::directory_options::skip_permission_denied)) {
      if (file.path().filename() != "0.log") continue;
      std::string text;
      std::ifstream(file.path()) >> text;
      const auto time = parse_time(text);
      if (!time) continue;
      times.push_back(time->seconds() * 1'000'000'000 + time->nanoseconds());
    }
  }
  if (times.size() < members) return -1;
  const auto [first, last] = std::minmax_element(times.begin(), times.end());
  return static_cast<double>(*last - *first) / 1e6;
}

// The smallest image there is: busybox, as the tests make it.
void import_image(const std::string& program, const std::string& data, const std::string& folder) {
  timed_command(fmt::format(
      "python3 -c 'import sys; sys.path.insert(0, \"{}/tests/e2e/oci\"); import images; "
      "images.Layout(\"{}\").add(\"{}\", [images.busybox_layer()])'",
      MUSTER_SOURCE_FOLDER, folder, image));
  timed_command(fmt::format("{} image import {} --data {}", program, folder, data));
}

std::string config_map(int number) {
  return fmt::format("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c{}}}}}", number);
}

struct Bar {
  const char* what;
  double milliseconds;
};

void measure_gangs(LivePlatform& platform, const Bar& bar, double process,
                   const std::string& wide_folder = {}) {
  Submitter submitter(platform);
  submitter.create(resources::resource_flavors, flavor);
  submitter.create(resources::cluster_queues, cluster_queue);
  submitter.create(resources::local_queues, local_queue);
  std::vector<double> write_times;
  for (int i = 0; i < writes; ++i) {
    const auto began = Stopwatch::now();
    submitter.create(resources::config_maps, config_map(i));
    write_times.push_back(milliseconds_since(began));
  }
  std::vector<double> times;
  for (int i = 0; i < gangs; ++i) {
    const std::string name = fmt::format("gang-{}", i);
    times.push_back(submitter.run_gang(name, job(name, 2), 2));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // idle again
  }
  const double write = quantile(write_times, 0.5);
  const double floor = dependent_writes * write + process;
  fmt::print(
      "{:<44} p50 {:.1f} ms, p99 {:.1f} ms (at most {:.0f})   floor: {} durable writes of "
      "{:.2f} ms{} = {:.1f} ms   {:.2f}\n",
      bar.what, quantile(times, 0.5), quantile(times, 0.99), bar.milliseconds, dependent_writes,
      write, process > 0 ? fmt::format(" and a process of {:.1f} ms", process) : "", floor,
      floor / quantile(times, 0.5));
  if (wide_folder.empty()) return;
  const double whole = submitter.run_gang("wide", job("wide", wide_gang), wide_gang);
  fmt::print(
      "{:<44} {:.0f} ms (at most 1000)   floor: {} processes of {:.1f} ms = {:.0f} ms   {:.2f}\n",
      fmt::format("a gang of {} processes until the last runs", wide_gang), whole, wide_gang,
      process, wide_gang * process, wide_gang * process / whole);
  const double skew = skew_milliseconds(wide_folder, wide_gang);
  std::vector<double> bare;
  for (int i = 0; i < 5; ++i) bare.push_back(bare_skew_milliseconds(wide_command, wide_gang));
  fmt::print("{:<44} {:.0f} ms (at most 50)   floor: as many bare processes {:.0f} ms   {:.2f}\n",
             "between the first words of its members", skew, quantile(bare, 0.5),
             quantile(bare, 0.5) / skew);
}

int run(const std::string& folder) {
  const std::string program = MUSTER_PROGRAM;
  const std::string data = folder + "/platform-bench";
  std::filesystem::remove_all(data);
  std::vector<double> bare;
  for (int i = 0; i < restarts; ++i) bare.push_back(timed_command(program + " --version"));
  const std::string up = fmt::format("{} up --data {}/host --listen 127.0.0.1:0", program, data);
  const std::string down = fmt::format("{} down --data {}/host", program, data);
  std::vector<double> first;
  std::vector<double> again;
  for (int i = 0; i < restarts; ++i) {
    std::filesystem::remove_all(data);
    first.push_back(timed_command(up + " --host-images '*' --node name=n1,cpu=8,memory=8Gi"));
    timed_command(down);
    again.push_back(timed_command(up));
    timed_command(down);
  }
  fmt::print("{:<44} {:.0f} ms (at most 500)   `muster --version` {:.1f} ms\n",
             "up until ready, the first time", quantile(first, 0.5), quantile(bare, 0.5));
  fmt::print("{:<44} {:.0f} ms (at most 300)\n", "up until ready, afterwards",
             quantile(again, 0.5));
  std::vector<double> spawn;
  for (int i = 0; i < 50; ++i) spawn.push_back(timed_command("/bin/true"));
  {
    LivePlatform host(program, data + "/gangs",
                      "--host-images '*' --node name=n1,cpu=8,memory=8Gi");
    std::this_thread::sleep_for(std::chrono::seconds(2));
    fmt::print("{:<44} {:.1f} MB (at most 40)\n", "idle memory", host.resident_megabytes());
    measure_gangs(host, {"submit to both running, host", 40}, quantile(spawn, 0.5),
                  data + "/gangs");
  }
  {
    LivePlatform oci(program, data + "/oci", "--node name=n1,cpu=8,memory=8Gi");
    import_image(program, data + "/oci", data + "/image");
    measure_gangs(oci, {"submit to both running, oci", 120}, quantile(spawn, 0.5));
  }
  {
    LivePlatform pretend(program, data + "/pretended",
                         "--node name=n1,cpu=8,memory=8Gi,runtime=pretend");
    measure_gangs(pretend, {"submit to both running, pretend", 15}, 0);
  }
  std::filesystem::remove_all(data);  // it stands in the caller's folder, with keys in it
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : std::filesystem::current_path().string();
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  return muster::bench::run(folder);
}
