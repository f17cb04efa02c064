// The decorators that mutants are made of.
//
//   MutantApi(api, house, {.sent = [](Call& call) { return call.verb != Verb::remove; }})
//
// Assumes: the house thread. Like every Api they answer never from inside a call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/pod_runtime.h"
#include "base/disk.h"
#include "base/executor.h"
#include "client/api.h"
#include "client/lifeline.h"

namespace muster::simulator {

class MutantApi final : public client::Api {
 public:
  struct Rules {
    // What the caller sees of each object, in answers and in events.
    std::function<objects::Value(const objects::Value&)> seen = {};
    // Changes a call on its way; false: it is swallowed, and answered as if it had happened.
    std::function<bool(client::Call&)> sent = {};
    std::uint64_t skips_event_in = 0;  // 0: never
  };

  MutantApi(client::Api& api, Executor& house, Rules rules)
      : api_(api), house_(house), rules_(std::move(rules)) {}

  void call(client::Call call, client::Answer answer) override;
  std::unique_ptr<client::Watch> watch(client::WatchCall call, client::WatchSink sink) override;

 private:
  objects::Value shown(const objects::Value& answer) const;

  client::Api& api_;
  Executor& house_;
  Rules rules_;
  std::uint64_t events_ = 0;
  client::Lifeline lifeline_;
};

// A disk whose sync does nothing, and says that it did.
class LyingDisk final : public Disk {
 public:
  explicit LyingDisk(Disk& disk) : disk_(disk) {}

  void submit(DiskLane lane, Task job, Executor& then_on, Task then) override {
    disk_.submit(lane, std::move(job), then_on, std::move(then));
  }
  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
  Result<bool> exists(const std::string& path) override { return disk_.exists(path); }
  Result<> remove(const std::string& path) override { return disk_.remove(path); }
  Result<> rename(const std::string& from, const std::string& to) override {
    return disk_.rename(from, to);
  }
  Result<std::vector<std::string>> list(const std::string& folder) override {
    return disk_.list(folder);
  }
  Result<> make_folder(const std::string& path) override { return disk_.make_folder(path); }
  Result<> sync_folder(const std::string& path) override { return disk_.sync_folder(path); }
  Result<std::unique_ptr<FileLock>> lock(const std::string& path) override {
    return disk_.lock(path);
  }

 private:
  Disk& disk_;
};

// A runtime that finds nothing of what ran before, and starts it anew when asked.
class ForgetfulRuntime final : public agent::PodRuntime {
 public:
  explicit ForgetfulRuntime(agent::PodRuntime& runtime) : runtime_(runtime) {}

  void set_listener(Listener listener) override { runtime_.set_listener(std::move(listener)); }
  void adopt(Adopted adopted) override;
  void start(agent::PodSpec spec) override { runtime_.start(std::move(spec)); }
  void run(std::string_view uid, std::string_view container) override {
    runtime_.run(uid, container);
  }
  void stop_container(std::string_view uid, std::string_view container, Span grace) override {
    runtime_.stop_container(uid, container, grace);
  }
  void act(std::string_view uid, std::string_view container, agent::ContainerAct act,
           Acted acted) override {
    runtime_.act(uid, container, std::move(act), std::move(acted));
  }
  void stop(std::string_view uid, Span grace) override { runtime_.stop(uid, grace); }
  void remove(std::string_view uid) override { runtime_.remove(uid); }

 private:
  agent::PodRuntime& runtime_;
};

}  // namespace muster::simulator
