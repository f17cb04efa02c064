// Runs the suites of base/'s interfaces on the real and on the simulated implementations.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "base/os/event_loop.h"
#include "base/os/poll_loop.h"
#include "base/os/system_clock.h"
#include "base/os/system_disk.h"
#include "base/os/system_random.h"
#include "simulator/seeded_random.h"
#include "simulator/virtual_disk.h"
#include "simulator/virtual_time.h"
#include "tests/suites/clock_suite.h"
#include "tests/suites/disk_suite.h"
#include "tests/suites/executor_suite.h"
#include "tests/suites/random_suite.h"

namespace muster::suites {
namespace {

template <class Loop>
class RealExecutorWorld final : public ExecutorWorld {
 public:
  Executor& executor() override { return loop_; }
  const Clock& clock() override { return clock_; }
  void run() override { loop_.run(); }
  void stop() override { loop_.stop(); }

 private:
  SystemClock clock_;
  Loop loop_;
};

// Steps until stop(), as EventLoop::run does.
class StoppableTime {
 public:
  explicit StoppableTime(simulator::VirtualTime& time) : time_(time) {}
  void run() {
    EXPECT_TRUE(time_.run_until([this] { return stopped_; })) << "nobody called stop()";
    stopped_ = false;
  }
  void stop() { stopped_ = true; }

 private:
  simulator::VirtualTime& time_;
  bool stopped_ = false;
};

class VirtualExecutorWorld final : public ExecutorWorld {
 public:
  Executor& executor() override { return executor_; }
  const Clock& clock() override { return clock_; }
  void run() override { runner_.run(); }
  void stop() override { runner_.stop(); }

 private:
  simulator::VirtualTime time_;
  simulator::VirtualClock clock_{time_};
  simulator::VirtualExecutor executor_{time_};
  StoppableTime runner_{time_};
};

template <class World>
std::unique_ptr<ExecutorWorld> executor_world() {
  return std::make_unique<World>();
}
INSTANTIATE_TEST_SUITE_P(real, ExecutorSuite,
                         ::testing::Values(&executor_world<RealExecutorWorld<EventLoop>>));
INSTANTIATE_TEST_SUITE_P(polling, ExecutorSuite,
                         ::testing::Values(&executor_world<RealExecutorWorld<PollLoop>>));
INSTANTIATE_TEST_SUITE_P(simulated, ExecutorSuite,
                         ::testing::Values(&executor_world<VirtualExecutorWorld>));

class RealClockWorld final : public ClockWorld {
 public:
  const Clock& clock() override { return clock_; }
  void pass(Span span) override {
    std::this_thread::sleep_for(std::chrono::nanoseconds(span.nanoseconds));
  }

 private:
  SystemClock clock_;
};

class VirtualClockWorld final : public ClockWorld {
 public:
  const Clock& clock() override { return clock_; }
  void pass(Span span) override { time_.run_for(span); }

 private:
  simulator::VirtualTime time_;
  simulator::VirtualClock clock_{time_};
};

template <class World>
std::unique_ptr<ClockWorld> clock_world() {
  return std::make_unique<World>();
}
INSTANTIATE_TEST_SUITE_P(real, ClockSuite, ::testing::Values(&clock_world<RealClockWorld>));
INSTANTIATE_TEST_SUITE_P(simulated, ClockSuite, ::testing::Values(&clock_world<VirtualClockWorld>));

INSTANTIATE_TEST_SUITE_P(real, RandomSuite, ::testing::Values(+[]() -> std::unique_ptr<Random> {
                           return std::make_unique<SystemRandom>();
                         }));
INSTANTIATE_TEST_SUITE_P(simulated, RandomSuite,
                         ::testing::Values(+[]() -> std::unique_ptr<Random> {
                           return std::make_unique<simulator::SeededRandom>(2026);
                         }));

class RealDiskWorld final : public DiskWorld {
 public:
  RealDiskWorld() {
    std::string pattern = ::testing::TempDir() + "muster_disk_XXXXXX";
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  ~RealDiskWorld() override {
    disk_.lane(DiskLane::commit).stop();
    disk_.lane(DiskLane::background).stop();
    commit_.join();
    background_.join();
    std::filesystem::remove_all(folder_);
  }
  Disk& disk() override { return disk_; }
  std::string folder() override { return folder_; }
  Executor& house() override { return house_; }
  void run() override { house_.run(); }
  void stop() override { house_.stop(); }

 private:
  std::string folder_;
  EventLoop house_;
  SystemDisk disk_;
  std::thread commit_{[this] { disk_.lane(DiskLane::commit).run(); }};
  std::thread background_{[this] { disk_.lane(DiskLane::background).run(); }};
};

class VirtualDiskWorld final : public DiskWorld {
 public:
  VirtualDiskWorld() { disk_.make_folder("data/folder").must(); }
  Disk& disk() override { return disk_; }
  std::string folder() override { return "data/folder"; }
  Executor& house() override { return house_; }
  void run() override { runner_.run(); }
  void stop() override { runner_.stop(); }

 private:
  simulator::VirtualTime time_;
  simulator::VirtualExecutor house_{time_};
  simulator::VirtualDisk disk_{time_, 1};
  StoppableTime runner_{time_};
};

template <class World>
std::unique_ptr<DiskWorld> disk_world() {
  return std::make_unique<World>();
}
INSTANTIATE_TEST_SUITE_P(real, DiskSuite, ::testing::Values(&disk_world<RealDiskWorld>));
INSTANTIATE_TEST_SUITE_P(simulated, DiskSuite, ::testing::Values(&disk_world<VirtualDiskWorld>));

}  // namespace
}  // namespace muster::suites
