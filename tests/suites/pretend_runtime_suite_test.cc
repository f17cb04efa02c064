// The suite of PodRuntime on pretend pods.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <initializer_list>

#include "agent/pretend_runtime.h"
#include "core/words.h"
#include "simulator/virtual_time.h"
#include "tests/suites/pod_runtime_suite.h"

namespace muster::suites {

namespace {

namespace words = core::words;
using objects::Value;

Value annotations_of(PodProgram program) {
  switch (program) {
    case PodProgram::succeeds:
      return Value::object({{words::pretend_run_seconds, Value::string("0")}});
    case PodProgram::fails:
      return Value::object({{words::pretend_run_seconds, Value::string("0.25")},
                            {words::pretend_exit_code, Value::string("3")}});
    case PodProgram::runs_on:
      return Value::object({});
    case PodProgram::ignores_sigterm:
      return Value::object({{words::pretend_ignores_stop, Value::string("true")}});
    case PodProgram::has_no_image:
      return Value::object({{words::pretend_image_error, Value::string("no such image")}});
    case PodProgram::cannot_start:
      return Value::object({{words::pretend_run_seconds, Value::string("an hour")}});
  }
  return {};
}

class PretendWorld final : public PodRuntimeWorld {
 public:
  agent::PodRuntime& runtime() override { return runtime_; }

  agent::PodSpec spec(PodProgram program) override {
    agent::PodSpec spec;
    spec.uid = fmt::format("uid-{}", ++pods_);
    spec.containers.push_back({.name = "main", .image = "image"});
    spec.pod =
        Value::object({{"metadata", Value::object({{"annotations", annotations_of(program)}})}});
    return spec;
  }

  bool run_until(UniqueFunction<bool()> condition) override {
    return time_.run_until(std::move(condition));
  }

  void settle() override { time_.run_for(Span::of_seconds(10)); }
  void restart_platform() override {}

 private:
  simulator::VirtualTime time_;
  simulator::VirtualExecutor machine_{time_};
  simulator::VirtualClock clock_{time_};
  agent::PretendRuntime runtime_{machine_, clock_};
  int pods_ = 0;
};

std::unique_ptr<PodRuntimeWorld> pretend_world() {
  return std::make_unique<PretendWorld>();
}

INSTANTIATE_TEST_SUITE_P(pretend, PodRuntimeSuite, ::testing::Values(&pretend_world));

}  // namespace

}  // namespace muster::suites
