// SPDX-License-Identifier: Apache-2.0
#include "cli/down.h"

#include <fmt/format.h>

#include "agent/end_pods.h"
#include "agent/pod_network.h"
#include "base/os/detached_process.h"
#include "base/os/files.h"
#include "cli/settings.h"

namespace muster::cli {

namespace {

constexpr Span patience = Span::of_seconds(30);
constexpr Span look_every = Span::of_milliseconds(5);

Result<> end_process(std::int64_t process) {
  TRY(terminate_process(process));
  for (Span waited; waited < patience; waited = waited + look_every) {
    if (!process_exists(process)) return {};
    pause_thread(look_every);
  }
  return Error{ErrorCode::timeout, fmt::format("process {} does not end", process)};
}

}  // namespace

int down(const std::string& given, const Output& output) {
  const auto data = data_folder(given);
  if (!data) return fail(output, data.error());
  const auto process = running_process(*data);
  if (process) {
    if (const auto ended = end_process(*process); !ended) return fail(output, ended.error());
  }
  const auto pods = agent::end_all_pods(*data + "/pods");
  if (!pods) return fail(output, pods.error());
  agent::remove_pod_network(agent::bridged_network(*data, {}));
  if (!process && *pods == 0) {
    output.out(fmt::format("Muster is not up in {}.\n", *data));
    return exit_done;
  }
  if (const auto removed = remove_file(ready_path(*data)); !removed) {
    return fail(output, removed.error());
  }
  output.out(fmt::format("Muster is down; {} pods were ended. `muster up --data {}` resumes it.\n",
                         *pods, *data));
  return exit_done;
}

}  // namespace muster::cli
