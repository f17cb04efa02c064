// LogFollower: a log as a stream of text that is pulled on the house thread. It reads ahead a
// little on the disk's background lane; where it is followed it looks again every tenth of a second
// until its container has ended and all of it was read.
//
//   LogFollower log(disk, {house, clock, random}, std::move(source), {.timestamps = true},
//                   [&agent] { return agent.is_running(uid, "main"); });
//   log.set_on_ready([…] { … });
//   LogFollower::Step step = log.take(16'384);     // nothing now: on_ready comes once
//
// Assumes: disk and house outlive it. It may be destroyed at any time, also while a job runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "agent/log_source.h"
#include "agent/log_text.h"
#include "base/disk.h"
#include "client/lifeline.h"
#include "client/list_watch.h"

namespace muster::agent {

class LogFollower {
 public:
  struct Step {
    std::string text;    // empty: nothing now
    bool ended = false;  // nothing comes after it
  };
  // Whether more may be written. Asked on the house thread.
  using IsRunning = UniqueFunction<bool()>;

  // An empty is_running: not followed, ends where the log ends.
  LogFollower(Disk& disk, client::House house, std::unique_ptr<LogSource> source,
              LogOptions options, IsRunning is_running);
  ~LogFollower();

  Step take(std::size_t bytes_max);
  void set_on_ready(Task on_ready) { on_ready_ = std::move(on_ready); }

 private:
  // What a job works on; shared with it, because it may outlive the follower.
  struct Work {
    std::unique_ptr<LogSource> source;
    LogText text;
    std::string out = {};
    bool is_at_end = false;
    bool is_done = false;  // failed, or full
  };

  void read();
  void on_read(bool may_grow);

  Disk& disk_;
  client::House house_;
  std::shared_ptr<Work> work_;
  IsRunning is_running_;
  Task on_ready_;
  std::string pending_;
  bool is_reading_ = false;
  bool has_ended_ = false;
  bool owes_ready_ = false;
  std::optional<TimerId> timer_;
  client::Lifeline lifeline_;
};

}  // namespace muster::agent
