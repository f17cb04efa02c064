// SPDX-License-Identifier: Apache-2.0
#include "agent/node_logs.h"

#include <fmt/format.h>

#include <utility>

#include "agent/pod_folder.h"

namespace muster::agent {

Result<std::unique_ptr<LogFollower>> NodeLogs::open(const LogWish& wish) const {
  const ContainerState* state = agent_.container(wish.pod_uid, wish.container);
  if (state == nullptr || (state->started == Instant{} && state->attempt == 0)) {
    const bool says_why = state != nullptr && !state->reason.empty();
    const std::string reason = says_why ? state->reason : "ContainerCreating";
    return Error::bad_request(fmt::format("container \"{}\" in pod \"{}\" is waiting to start: {}",
                                          wish.container, agent_.pod_name(wish.pod_uid), reason));
  }
  if (wish.previous && state->attempt == 0) {
    return Error::bad_request(
        fmt::format("previous terminated container \"{}\" in pod \"{}\" not found", wish.container,
                    agent_.pod_name(wish.pod_uid)));
  }
  std::unique_ptr<LogSource> source;
  if (pretend_ != nullptr) {
    source = std::make_unique<TextLogSource>(
        pretend_->log_of(wish.pod_uid, wish.container).value_or(""));
  } else {
    const int attempt = state->attempt - (wish.previous ? 1 : 0);
    const std::string folder = fmt::format("{}/{}", pods_folder_, wish.pod_uid);
    source = std::make_unique<FileLogSource>(disk_,
                                             pod_folder::log_path(folder, wish.container, attempt));
  }
  LogFollower::IsRunning is_running;
  if (wish.follow && !wish.previous) {
    is_running = [this, uid = wish.pod_uid, name = wish.container, attempt = state->attempt] {
      const ContainerState* now = agent_.container(uid, name);
      return now != nullptr && now->attempt == attempt &&
             now->phase == ContainerState::Phase::running;
    };
  }
  return std::make_unique<LogFollower>(disk_, house_, std::move(source), wish.options,
                                       std::move(is_running));
}

}  // namespace muster::agent
