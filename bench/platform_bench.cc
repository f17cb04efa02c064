// SPDX-License-Identifier: Apache-2.0
// The platform as its users meet it: `muster up` until it is ready, its memory when idle, and the
// time from submitting a gang of two over HTTPS until both of its pods are seen to run, as real
// processes and as pretended ones.
//
//   platform_bench [FOLDER]        where the platforms live (default: the working folder)
//
// Printed beside limits of the same run: the start of a bare process, and the durable write of one
// small object over the same connection, of which a gang's way has seven, one after the other.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/os/event_loop.h"
#include "base/os/files.h"
#include "base/os/system_clock.h"
#include "base/os/system_random.h"
#include "client/https/https_api.h"
#include "client/kubeconfig.h"
#include "client/object_cache.h"
#include "objects/metadata.h"
#include "objects/yaml.h"

namespace muster::bench {
namespace {

using client::Call;
using client::Verb;
using objects::Value;
namespace resources = objects::resources;
using Stopwatch = std::chrono::steady_clock;

constexpr int gangs = 40;
constexpr int restarts = 7;
constexpr int writes = 200;
constexpr int dependent_writes = 7;
constexpr std::size_t text_bytes_max = 1024 * 1024;

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

// A client of one platform, with threads of its own.
class Client {
 public:
  explicit Client(const std::string& data) {
    const std::string text = read_whole_file(data + "/kubeconfig", text_bytes_max).must();
    const auto access = client::read_kubeconfig(
        text, {}, [](const std::string& path) { return read_whole_file(path, text_bytes_max); });
    api_ = client::HttpsApi::make(*access, {.house = house_}).must();
    network_ = std::jthread([this] { api_->run(); });
    loop_ = std::jthread([this] { house_.run(); });
    house_.post([this] {
      pods_ =
          std::make_unique<client::ObjectCache>(*api_, client::House{house_, clock_, random_},
                                                std::vector<client::Selection>{{resources::pods}});
      pods_->subscribe([this](const client::CacheChange& change) { see(change.after); });
      pods_->start();
    });
  }

  ~Client() {
    std::promise<void> gone;
    house_.post([this, &gone] {
      pods_.reset();
      gone.set_value();
    });
    gone.get_future().wait();
    api_->stop();
    network_.join();
    house_.stop();
  }

  void create(const objects::Resource& resource, const std::string& yaml) {
    std::promise<Result<Value>> answered;
    house_.post([&] {
      api_->call({.verb = Verb::create,
                  .resource = resource,
                  .name_space = resource.is_namespaced() ? "default" : "",
                  .body = objects::parse_yaml_document(yaml).must()},
                 [&](Result<Value> answer) { answered.set_value(std::move(answer)); });
    });
    answered.get_future().get().must();
  }

  // From submitting the job until both of its pods have been seen running.
  double run_gang(const std::string& name, const std::string& yaml) {
    std::promise<void> runs;
    house_.post([&] {
      waited_for_ = name;
      running_.clear();
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
    if (running_.size() < 2) return;
    std::exchange(when_running_, nullptr)->set_value();
  }

  SystemClock clock_;
  SystemRandom random_;
  EventLoop house_;
  std::unique_ptr<client::HttpsApi> api_;
  std::unique_ptr<client::ObjectCache> pods_;
  std::string waited_for_;
  std::map<std::string, bool> running_;
  std::promise<void>* when_running_ = nullptr;
  std::jthread network_;
  std::jthread loop_;
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

std::string job(const std::string& name) {
  return fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata:
  name: {}
  namespace: default
  labels: {{kueue.x-k8s.io/queue-name: queue}}
spec:
  completionMode: Indexed
  completions: 2
  parallelism: 2
  template:
    metadata:
      annotations: {{muster.dev/pretend-run-seconds: "0.2"}}
    spec:
      restartPolicy: Never
      containers:
      - {{name: main, image: bench, command: [sleep, "0.2"], resources: {{requests: {{cpu: 1m}}}}}}
)",
                     name);
}

std::string config_map(int number) {
  return fmt::format("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c{}}}}}", number);
}

double resident_megabytes(const std::string& data) {
  const int process = std::stoi(read_whole_file(data + "/pid", text_bytes_max).must());
  const std::string status =
      read_whole_file(fmt::format("/proc/{}/status", process), text_bytes_max).must();
  return std::stod(status.substr(status.find("VmRSS:") + 6)) / 1024;
}

void measure_gangs(const std::string& data, const char* what, double limit, double process) {
  Client client(data);
  client.create(resources::resource_flavors, flavor);
  client.create(resources::cluster_queues, cluster_queue);
  client.create(resources::local_queues, local_queue);
  std::vector<double> write_times;
  for (int i = 0; i < writes; ++i) {
    const auto began = Stopwatch::now();
    client.create(resources::config_maps, config_map(i));
    write_times.push_back(milliseconds_since(began));
  }
  std::vector<double> times;
  for (int i = 0; i < gangs; ++i) {
    const std::string name = fmt::format("gang-{}", i);
    times.push_back(client.run_gang(name, job(name)));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // idle again
  }
  const double write = quantile(write_times, 0.5);
  const double floor = dependent_writes * write + process;
  fmt::print(
      "{:<44} p50 {:.1f} ms, p99 {:.1f} ms (at most {:.0f})   floor: {} durable writes of "
      "{:.2f} ms{} = {:.1f} ms   {:.2f}\n",
      what, quantile(times, 0.5), quantile(times, 0.99), limit, dependent_writes, write,
      process > 0 ? fmt::format(" and a process of {:.1f} ms", process) : "", floor,
      floor / quantile(times, 0.5));
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
  timed_command(up);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  fmt::print("{:<44} {:.0f} ms (at most 500)   `muster --version` {:.1f} ms\n",
             "up until ready, the first time", quantile(first, 0.5), quantile(bare, 0.5));
  fmt::print("{:<44} {:.0f} ms (at most 300)\n", "up until ready, afterwards",
             quantile(again, 0.5));
  fmt::print("{:<44} {:.1f} MB (at most 40)\n", "idle memory", resident_megabytes(data + "/host"));
  std::vector<double> spawn;
  for (int i = 0; i < 50; ++i) spawn.push_back(timed_command("/bin/true"));
  measure_gangs(data + "/host", "submit to both running, host", 40, quantile(spawn, 0.5));
  timed_command(down);
  timed_command(
      fmt::format("{} up --data {}/pretend --listen 127.0.0.1:0 --node "
                  "name=n1,cpu=8,memory=8Gi,runtime=pretend",
                  program, data));
  measure_gangs(data + "/pretend", "submit to both running, pretend", 15, 0);
  timed_command(fmt::format("{} down --data {}/pretend", program, data));
  std::filesystem::remove_all(data);
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : std::filesystem::current_path().string();
  return muster::bench::run(folder);
}
