// SPDX-License-Identifier: Apache-2.0
#include "main/serve.h"

#include <thread>

#include "base/log_sink.h"
#include "base/os/detached_process.h"
#include "base/os/heap.h"
#include "base/os/process.h"
#include "base/os/system_clock.h"
#include "main/platform.h"

namespace muster {

int serve(const std::string& data, const cli::Settings& settings, const cli::Output& output) {
  give_free_memory_back();
  ignore_broken_pipes();
  // Before the first thread, so that every one of them inherits it.
  block_termination_signals();
  const SystemClock clock;
  const auto sink = open_standard_error_log();
  const Log log(*sink, clock, {});
  auto platform = Platform::open(data, settings, log);
  if (!platform) return cli::fail(output, platform.error());
  Result<> started;
  {
    const std::jthread other([&] {
      started = (*platform)->start();
      if (started) {
        wait_for_termination_signal();
        log.info("ending", {});
      }
      (*platform)->stop();
    });
    (*platform)->run_house();
  }
  return started ? cli::exit_done : cli::fail(output, started.error());
}

}  // namespace muster
