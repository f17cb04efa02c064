// A world for the runtime `host`: real processes below a folder of their own, a thread for the
// machine, and the house run by the test. What it started is gone when it ends.
//
//   HostWorld world;                                     // needs_namespaces() says whether it can
//   world.runtime().start(world.pod({"sh", "-c", "exit 3"}));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/host_runtime.h"
#include "agent/pod_folder.h"
#include "base/os/event_loop.h"
#include "tests/suites/pod_runtime_suite.h"

namespace muster::suites {

inline std::string contents_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Whether pods can run here at all; a machine that permits nothing skips these tests.
inline bool machine_has_namespaces() {
  static const Isolation isolation = probe_isolation();
  return isolation != Isolation::none;
}

class HostWorld : public PodRuntimeWorld {
 public:
  // The network is the shared one unless a test asks for a bridge.
  explicit HostWorld(bool bridged = false, Isolation isolation = probe_isolation()) {
    // Not below /tmp, which pods have one of their own in the place of: what is hidden from them
    // must be hidden on purpose.
    const std::filesystem::path build =
        std::filesystem::path(MUSTER_SHIM_PROGRAM).parent_path().parent_path();
    folder_ = (build / "host_world_XXXXXX").string();
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
    options_.pods_folder = folder_ + "/data/pods";
    options_.images = "image,other-*";
    options_.isolation = isolation;
    options_.hidden = {folder_ + "/data"};
    options_.shim_command = {MUSTER_SHIM_PROGRAM};
    options_.log_limits = {.file_bytes = 65536, .files = 3};
    options_.processes_max = 64;
    if (bridged) {
      options_.network = agent::choose_pod_network(folder_, options_.isolation);
    } else {
      options_.network = agent::loopback_network(folder_);
    }
    std::filesystem::create_directories(folder_ + "/data/pods");
    come_up();
  }

  ~HostWorld() override {
    for (const std::string& uid : uids_) runtime_->remove(uid);
    EXPECT_TRUE(run_until([&] { return std::filesystem::is_empty(folder_ + "/data/pods"); }))
        << "something was left behind in " << folder_;
    go_down();
    agent::remove_pod_network(options_.network);
    std::filesystem::remove_all(folder_);
  }

  agent::PodRuntime& runtime() override { return *runtime_; }
  const agent::HostOptions& options() const { return options_; }
  const std::string& folder() const { return folder_; }

  virtual agent::PodSpec pod(std::vector<std::string> arguments) {
    agent::PodSpec spec;
    spec.uid = "uid-" + std::to_string(++pods_) + "-" + folder_.substr(folder_.size() - 6);
    uids_.push_back(spec.uid);
    spec.name_space = "team-a";
    spec.name = "pod-" + std::to_string(pods_);
    spec.node = "n1";
    spec.hostname = spec.name;
    const std::string& gateway = options_.network.gateway;
    spec.address = gateway.substr(0, gateway.rfind('.') + 1) + std::to_string(pods_ + 1);
    spec.hosts = "127.0.0.1 localhost\n" + spec.address + " " + spec.name + "\n";
    spec.folder = options_.pods_folder + "/" + spec.uid;
    spec.containers.push_back(
        {.name = "main", .image = "image", .arguments = std::move(arguments)});
    return spec;
  }

  agent::PodSpec spec(PodProgram program) override {
    agent::PodSpec spec = pod(arguments_of(program));
    if (program == PodProgram::has_no_image) spec.containers[0].image = "nowhere.example/image";
    if (hears_signals_late(program)) deaf_.push_back(spec.uid);
    return spec;
  }

  std::string log_path(const std::string& uid, int attempt = 0) const {
    return agent::pod_folder::log_path(options_.pods_folder + "/" + uid, "main", attempt);
  }

  // A deaf program needs a moment after its start to become so, and may be ended before it is.
  bool run_until(UniqueFunction<bool()> condition) override {
    const auto is_ready = [this](const std::string& uid) {
      const std::string state = agent::pod_folder::state_path(options_.pods_folder + "/" + uid);
      return contents_of(log_path(uid)).find("ready") != std::string::npos ||
             contents_of(state).find("\"exited\"") != std::string::npos;
    };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < deadline) {
      if (condition()) {
        std::erase_if(deaf_, is_ready);
        if (deaf_.empty()) return true;
      }
      run_for(Span::of_milliseconds(1));
    }
    return false;
  }

  void settle() override { run_for(Span::of_milliseconds(200)); }

  void run_for(Span span) {
    house_.post_at(SystemClock().monotonic() + span, [this] { house_.stop(); });
    house_.run();
  }

  // The shims do not notice: their platform is gone from one moment to the next.
  void restart_platform() override {
    go_down();
    come_up();
  }
  void go_down() {
    machine_->stop();
    thread_.join();
    runtime_.reset();
    machine_.reset();
  }
  void come_up() {
    machine_ = std::make_unique<PollLoop>();
    runtime_ = std::make_unique<agent::HostRuntime>(house_, *machine_, options_, Log::silent());
    thread_ = std::jthread([this] { machine_->run(); });
  }

 protected:
  virtual std::vector<std::string> arguments_of(PodProgram program) const {
    switch (program) {
      case PodProgram::succeeds:
      case PodProgram::has_no_image:
        return {"true"};
      case PodProgram::fails:
        return {"sh", "-c", "exit 3"};
      case PodProgram::runs_on:
        return {"sleep", "1000"};
      case PodProgram::ignores_sigterm:
        return {"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"};
      case PodProgram::cannot_start:
        return {"no-such-program"};
    }
    return {};
  }

  // What it does about signals it does only after it has begun and said so.
  virtual bool hears_signals_late(PodProgram program) const {
    return program == PodProgram::ignores_sigterm;
  }

 private:
  std::string folder_;
  agent::HostOptions options_;
  EventLoop house_;
  std::unique_ptr<PollLoop> machine_;
  std::unique_ptr<agent::HostRuntime> runtime_;
  std::jthread thread_;
  int pods_ = 0;
  std::vector<std::string> uids_;
  std::vector<std::string> deaf_;  // pods whose programs do not ignore SIGTERM yet
};

}  // namespace muster::suites
