// SPDX-License-Identifier: Apache-2.0
// How long a pod takes from start() to running, on the machine's own files and from an image by
// runc, and what its shim costs,
// beside the time that this machine takes to run a program at all, measured in the same run.
//
//   pod_start_bench [PODS]
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "agent/host_runtime.h"
#include "agent/pod_folder.h"
#include "base/os/child_process.h"
#include "base/os/command.h"
#include "base/os/event_loop.h"

namespace muster::agent {
namespace {

using Stopwatch = std::chrono::steady_clock;
using Phase = ContainerState::Phase;

double milliseconds_since(Stopwatch::time_point began) {
  return std::chrono::duration<double, std::milli>(Stopwatch::now() - began).count();
}

void print(const std::string& what, std::vector<double> values, const std::string& unit) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
  };
  fmt::print("  {:<44} p50 {:8.2f}   p99 {:8.2f} {}\n", what, at(0.5), at(0.99), unit);
}

// A spawn, an end, a wait: nothing that starts a process can be faster.
double spawn_milliseconds() {
  const auto began = Stopwatch::now();
  auto child = ChildProcess::spawn({.program = "/bin/true", .arguments = {"true"}}).must();
  child.reap_wait();
  return milliseconds_since(began);
}

double shim_kibibytes(std::int64_t process, const std::string& field) {
  std::ifstream file(fmt::format("/proc/{}/smaps_rollup", process));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field)) return std::stod(line.substr(field.size()));
  }
  return 0;
}

class World {
 public:
  explicit World(bool bridged, bool from_image) {
    folder_ = (std::filesystem::current_path() / "pod_start_bench_XXXXXX").string();
    if (::mkdtemp(folder_.data()) == nullptr) std::exit(1);
    options_.pods_folder = folder_ + "/pods";
    options_.images = "*";
    options_.isolation = probe_isolation();
    options_.hidden = {folder_};
    options_.shim_command = {MUSTER_SHIM_PROGRAM};
    options_.network =
        bridged ? choose_pod_network(folder_, options_.isolation) : loopback_network(folder_);
    if (from_image) {
      image_ = folder_ + "/image";
      std::filesystem::create_directories(image_ + "/bin");
      std::filesystem::copy_file("/bin/busybox", image_ + "/bin/sleep");
    }
    runtime_ = std::make_unique<HostRuntime>(house_, machine_, options_, Log::silent());
    runtime_->set_listener([this](const PodState& state) {
      phases_[state.uid] = state.containers.front().phase;
      house_.stop();
    });
    thread_ = std::jthread([this] { machine_.run(); });
    runtime_->adopt([this](auto) { house_.stop(); });
    house_.run();
  }

  ~World() {
    machine_.stop();
    thread_.join();
    remove_pod_network(options_.network);
    std::filesystem::remove_all(folder_);
  }

  bool bridged() const { return options_.network.has_bridge(); }

  double start(int number) {
    PodSpec spec;
    spec.uid = fmt::format("pod-{}-{}", number, folder_.substr(folder_.size() - 6));
    spec.hostname = "bench";
    spec.address = options_.network.gateway;
    spec.address.replace(spec.address.rfind('.') + 1, std::string::npos,
                         std::to_string(number % 250 + 2));
    spec.folder = options_.pods_folder + "/" + spec.uid;
    spec.containers.push_back({.name = "main", .image = "x", .arguments = {"sleep", "1000"}});
    spec.containers.front().image_run.root_folder = image_;
    spec.containers.front().environment = {{"PATH", "/bin:/usr/bin"}};
    uids_.push_back(spec.uid);
    const auto began = Stopwatch::now();
    runtime_->start(spec);
    while (phases_[spec.uid] != Phase::running) house_.run();
    return milliseconds_since(began);
  }

  double shim_memory(const std::string& field) {
    std::ifstream file(pod_folder::state_path(options_.pods_folder + "/" + uids_.back()));
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    return shim_kibibytes(parse_shim_state(text).must().shim.id, field);
  }

  double remove_all() {
    const auto began = Stopwatch::now();
    for (const std::string& uid : uids_) runtime_->remove(uid);
    while (!std::filesystem::is_empty(options_.pods_folder)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return milliseconds_since(began) / static_cast<double>(uids_.size());
  }

 private:
  std::string folder_;
  std::string image_;  // its files; empty: the machine's own
  HostOptions options_;
  EventLoop house_;
  PollLoop machine_;
  std::unique_ptr<HostRuntime> runtime_;
  std::jthread thread_;
  std::map<std::string, Phase> phases_;
  std::vector<std::string> uids_;
};

void measure(bool wants_bridge, bool from_image, int pods) {
  World world(wants_bridge, from_image);
  if (wants_bridge && !world.bridged()) {
    fmt::print("\nbridge and cables: not permitted here\n");
    return;
  }
  fmt::print("\n{}, {}, {} pods\n",
             from_image ? "from an image by runc" : "on the machine's own files",
             world.bridged() ? "own network by bridge and cable" : "shared network", pods);
  std::vector<double> starts;
  std::vector<double> spawns;
  for (int pod = 0; pod < pods; ++pod) {
    spawns.push_back(spawn_milliseconds());
    starts.push_back(world.start(pod));
  }
  print("limit: spawn and reap /bin/true", spawns, "ms");
  print("start() to running", starts, "ms");
  fmt::print("  {:<44} {:.0f} KiB resident, {:.0f} KiB its own\n", "memory of one shim",
             world.shim_memory("Rss:"), world.shim_memory("Private_Dirty:"));
  fmt::print("  {:<44}     {:8.2f} ms a pod\n", "remove", world.remove_all());
}

}  // namespace
}  // namespace muster::agent

int main(int argc, char** argv) {
  int pods = 50;
  if (argc > 1) pods = std::max(1, std::atoi(argv[1]));
  if (muster::probe_isolation() == muster::Isolation::none) {
    fmt::print("skipped: this machine permits no namespaces\n");
    return 0;
  }
  muster::agent::measure(false, false, pods);
  muster::agent::measure(true, false, pods);
  const bool has_images = muster::probe_isolation() == muster::Isolation::full &&
                          muster::find_program("runc") && std::filesystem::exists("/bin/busybox");
  if (has_images) {
    muster::agent::measure(true, true, pods);
  } else {
    fmt::print("\nfrom an image: needs root, runc and busybox\n");
  }
  return 0;
}
