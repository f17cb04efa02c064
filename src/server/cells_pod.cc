// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/age.h"
#include "objects/metadata.h"
#include "server/cells.h"

namespace muster::server {

using objects::View;

namespace {

// How often containers were started again, and when one of them ended last.
struct Restarts {
  std::int64_t count = 0;
  std::optional<Instant> last = {};

  void add(View status) {
    count += status["restartCount"].integer_or(0);
    const auto ended = objects::instant_of(status["lastState"]["terminated"]["finishedAt"]);
    if (ended && (!last || *last < *ended)) last = ended;
  }
};

// Init containers that go on beside the others.
bool is_sidecar(View pod, std::string_view name) {
  for (View container : pod["spec"]["initContainers"].elements()) {
    if (container["name"].string_or("") == name) {
      return container["restartPolicy"].string_or("") == "Always";
    }
  }
  return false;
}

std::string termination(View terminated) {
  if (const auto reason = terminated["reason"].string_or(""); !reason.empty()) {
    return std::string(reason);
  }
  if (const auto signal = terminated["signal"].integer_or(0); signal != 0) {
    return fmt::format("Signal:{}", signal);
  }
  return fmt::format("ExitCode:{}", terminated["exitCode"].integer_or(0));
}

// Reads the statuses of the init containers up to the first that holds the pod up.
struct InitPhase {
  std::string status = {};  // empty: nothing holds it up
  std::size_t ready = 0;
  Restarts all = {};
  Restarts of_sidecars = {};
};

InitPhase read_init_containers(View pod) {
  InitPhase phase;
  std::size_t index = 0;
  for (View status : pod["status"]["initContainerStatuses"].elements()) {
    const bool sidecar = is_sidecar(pod, status["name"].string_or(""));
    phase.all.add(status);
    if (sidecar) phase.of_sidecars.add(status);
    const View terminated = status["state"]["terminated"];
    const std::string_view waiting = status["state"]["waiting"]["reason"].string_or("");
    if (terminated && terminated["exitCode"].integer_or(0) == 0) {
      ++index;
      continue;
    }
    if (sidecar && status["started"].boolean_or(false)) {
      if (status["ready"].boolean_or(false)) ++phase.ready;
      ++index;
      continue;
    }
    if (terminated) {
      phase.status = fmt::format("Init:{}", termination(terminated));
    } else if (!waiting.empty() && waiting != "PodInitializing") {
      phase.status = fmt::format("Init:{}", waiting);
    } else {
      phase.status = fmt::format("Init:{}/{}", index, pod["spec"]["initContainers"].size());
    }
    break;
  }
  return phase;
}

// Reads the containers, the last one first: what the first one says wins.
std::string read_containers(View pod, std::string status, std::size_t& ready, Restarts& restarts) {
  bool runs = false;
  std::string failure;
  const View statuses = pod["status"]["containerStatuses"];
  for (std::size_t i = statuses.size(); i > 0; --i) {
    const View each = statuses[i - 1];
    restarts.add(each);
    const View state = each["state"];
    const std::string_view waiting = state["waiting"]["reason"].string_or("");
    if (!waiting.empty()) {
      status = waiting;
    } else if (const View terminated = state["terminated"]) {
      status = termination(terminated);
      if (terminated["exitCode"].integer_or(0) != 0) failure = status;
    } else if (each["ready"].boolean_or(false) && state["running"]) {
      runs = true;
      ++ready;
    }
  }
  if (status != "Completed") return status;
  if (runs && objects::is_true(objects::condition(pod, "Ready"))) return "Running";
  if (!failure.empty()) return failure;
  return runs ? "NotReady" : status;
}

std::string phase_of(View pod) {
  for (View condition : pod["status"]["conditions"].elements()) {
    if (condition["type"].string_or("") == "PodScheduled" &&
        condition["reason"].string_or("") == "SchedulingGated") {
      return "SchedulingGated";
    }
  }
  const std::string_view reason = pod["status"]["reason"].string_or("");
  return std::string(reason.empty() ? pod["status"]["phase"].string_or("") : reason);
}

bool is_over(View pod) {
  const std::string_view phase = pod["status"]["phase"].string_or("");
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

PodSummary summarize_pod(View pod, Instant now) {
  PodSummary summary;
  summary.containers = pod["spec"]["containers"].size();
  for (View container : pod["spec"]["initContainers"].elements()) {
    if (container["restartPolicy"].string_or("") == "Always") ++summary.containers;
  }
  InitPhase init = read_init_containers(pod);
  summary.ready = init.ready;
  summary.status = phase_of(pod);
  Restarts restarts = init.all;
  if (!init.status.empty()) summary.status = init.status;
  if (init.status.empty() || objects::is_true(objects::condition(pod, "Initialized"))) {
    restarts = init.of_sidecars;
    summary.status = read_containers(pod, std::move(summary.status), summary.ready, restarts);
  }
  if (objects::is_being_deleted(pod)) {
    if (pod["status"]["reason"].string_or("") == "NodeLost") {
      summary.status = "Unknown";
    } else if (!is_over(pod)) {
      summary.status = "Terminating";
    }
  }
  summary.restarts = fmt::format("{}", restarts.count);
  if (restarts.count != 0 && restarts.last) {
    summary.restarts += fmt::format(" ({} ago)", human_age(*restarts.last, now));
  }
  return summary;
}

}  // namespace muster::server
