// SPDX-License-Identifier: Apache-2.0
#include "agent/pod_status.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "agent/container_turn.h"
#include "agent/gang.h"
#include "base/checked.h"
#include "base/timestamp.h"
#include "objects/builder.h"
#include "objects/edit.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"

namespace muster::agent {

namespace {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;
using Phase = ContainerState::Phase;

constexpr int exit_killed = 137;

// What of the containers decides about the pod.
struct Counts {
  std::size_t waiting = 0;  // never ran
  std::size_t running = 0;
  std::size_t ended = 0;  // main containers, also those that wait for their next run
  std::size_t succeeded = 0;
  std::size_t restarted = 0;  // ended, and will run again
  std::vector<std::string> unready = {};
  std::vector<std::string> incomplete = {};  // init containers that hold the others back
  bool has_main_begun = false;
};

class StatusWriter {
 public:
  StatusWriter(const Value& pod, const PodObservation& observation)
      : pod_(pod), observation_(observation) {
    builder_.retain(pod);
  }

  Value write() {
    const View inits = pod_["spec"]["initContainers"];
    const Node init_statuses = container_statuses(inits, true);
    const Node containers = container_statuses(pod_["spec"]["containers"], false);
    phase_ = decide_phase();
    Rewrite status(pod_["status"]);
    status.set("phase", builder_.text(phase_));
    if (inits.size() != 0) status.set("initContainerStatuses", init_statuses);
    status.set("containerStatuses", containers);
    status.set("startTime", start_time());
    set_text(status, "hostIP", observation_.node_address);
    set_addresses(status, "hostIPs", observation_.node_address);
    const bool is_machines = pod_["spec"]["hostNetwork"].boolean_or(false);
    const std::string address(is_machines ? observation_.node_address : address_of(pod_));
    set_text(status, "podIP", address);
    set_addresses(status, "podIPs", address);
    set_text(status, "reason", observation_.reason);
    set_text(status, "message", observation_.message);
    if (const std::int64_t generation = objects::generation_of(pod_)) {
      status.set("observedGeneration", Builder::integer(generation));
    }
    const Node made = status.finish(builder_);
    const Value value = std::move(builder_).finish(made);
    auto next = objects::with(pod_, {std::string_view("status")}, value);
    return with_conditions(next ? *next : pod_);
  }

 private:
  const ContainerState* state_of(std::string_view name) const {
    if (!observation_.state) return nullptr;
    for (const ContainerState& each : observation_.state->containers) {
      if (each.name == name) return &each;
    }
    return nullptr;
  }

  Node time_node(Instant instant) { return builder_.text(format_time(Timestamp::of(instant))); }

  static Node absent() { return View().node(); }

  void set_text(Rewrite& object, std::string_view key, const std::string& text) {
    if (!text.empty()) object.set(key, builder_.text(text));
  }

  void set_addresses(Rewrite& status, std::string_view key, const std::string& address) {
    if (address.empty()) return;
    Rewrite one{View()};
    one.set("ip", builder_.text(address));
    const Node list[] = {one.finish(builder_)};
    status.set(key, builder_.array(list));
  }

  Node start_time() {
    const View seen = pod_["status"]["startTime"];
    return seen.is_string() ? seen.node() : time_node(observation_.started);
  }

  std::string container_id(const ContainerState& state) const {
    return fmt::format("{}://{}/{}/{}", observation_.runtime, objects::uid_of(pod_), state.name,
                       state.attempt);
  }

  Node wrapped(std::string_view key, const Node& inner) {
    Rewrite outer{View()};
    outer.set(key, inner);
    return outer.finish(builder_);
  }

  Node waiting(std::string_view reason, const std::string& message) {
    Rewrite state{View()};
    state.set("reason", builder_.text(reason));
    set_text(state, "message", message);
    return wrapped("waiting", state.finish(builder_));
  }

  Node terminated(const ContainerState& ended) {
    Rewrite state{View()};
    state.set("exitCode", Builder::integer(ended.exit_code));
    if (ended.signal != 0) state.set("signal", Builder::integer(ended.signal));
    set_text(state, "reason", ended.reason);
    set_text(state, "message", ended.message);
    if (ended.started != Instant{}) {
      state.set("startedAt", time_node(ended.started));
      state.set("containerID", builder_.text(container_id(ended)));
    }
    if (ended.finished != Instant{}) state.set("finishedAt", time_node(ended.finished));
    return wrapped("terminated", state.finish(builder_));
  }

  Node state_node(const ContainerState& state) {
    switch (state.phase) {
      case Phase::running:
        return wrapped("running", wrapped("startedAt", time_node(state.started)));
      case Phase::exited:
        return terminated(state);
      case Phase::waiting:
        break;
    }
    return waiting(state.reason.empty() ? "ContainerCreating" : state.reason, state.message);
  }

  std::string_view waiting_reason() const {
    const bool is_usual = observation_.waiting.reason == "ContainerCreating";
    const bool has_inits = pod_["spec"]["initContainers"].size() != 0;
    return is_usual && has_inits ? held_reason : std::string_view(observation_.waiting.reason);
  }

  // The present state of one container, which the runtime may know nothing of. When everything has
  // ended, one that should have run is lost; one whose turn never came goes on waiting.
  ContainerState present(std::string_view name) const {
    const ContainerState* known = state_of(name);
    ContainerState state{.name = std::string(name),
                         .reason = std::string(waiting_reason()),
                         .message = observation_.waiting.message};
    const auto waiting = observation_.waits.find(name);
    if (waiting != observation_.waits.end()) {
      state.reason = waiting->second.reason;
      state.message = waiting->second.message;
    }
    if (known != nullptr) state = *known;
    if (!observation_.is_over || state.phase == Phase::exited || is_its_turn_to_come(state)) {
      return state;
    }
    return lost_container(name, observation_.now);
  }

  bool is_its_turn_to_come(const ContainerState& state) const {
    return pod_["spec"]["initContainers"].size() != 0 && state.reason == held_reason &&
           !ran_before(state.name);
  }

  bool ran_before(const std::string& name) const { return observation_.previous.contains(name); }

  void count_init(const ContainerState& state, ContainerRole role, bool ready, bool started) {
    const bool is_through = role == ContainerRole::sidecar ? started : ready;
    if (!is_through) counts_.incomplete.push_back(state.name);
    if (role != ContainerRole::sidecar) return;
    if (!ready) counts_.unready.push_back(state.name);
    if (state.phase == Phase::running) ++counts_.running;
  }

  void count_main(const ContainerState& state, bool ready) {
    const bool has_run = ran_before(state.name) || state.started != Instant{};
    counts_.has_main_begun = counts_.has_main_begun || has_run;
    if (!ready) counts_.unready.push_back(state.name);
    if (state.phase == Phase::running) {
      ++counts_.running;
      return;
    }
    if (state.phase == Phase::waiting && !ran_before(state.name)) {
      ++counts_.waiting;
      return;
    }
    ++counts_.ended;
    if (state.phase == Phase::exited && state.exit_code == 0) ++counts_.succeeded;
    const bool again = state.phase == Phase::waiting || is_restarted(pod_, state);
    if (again && !observation_.is_over) ++counts_.restarted;
  }

  // After a restart of the agent the status is what remembers it.
  void set_image(Rewrite& status, View container, bool is_init, bool has_run) {
    const std::string_view name = container["name"].string_or("");
    Node image = container["image"].node();
    Node id = image;
    for (View seen :
         pod_["status"][is_init ? "initContainerStatuses" : "containerStatuses"].elements()) {
      if (seen["name"].string_or("") != name || seen["imageID"].string_or("").empty()) continue;
      image = seen["image"].node();
      id = seen["imageID"].node();
    }
    const auto found = observation_.images.find(name);
    if (found != observation_.images.end() && has_run) {
      image = builder_.text(found->second.name);
      id = builder_.text(found->second.id);
    }
    status.set("image", image);
    status.set("imageID", has_run ? id : builder_.text(""));
  }

  Node container_status(View container, bool is_init) {
    const std::string name(container["name"].string_or(""));
    const ContainerState state = present(name);
    const auto previous = observation_.previous.find(name);
    const auto back_off = observation_.backing_off.find(name);
    const bool backs_off = back_off != observation_.backing_off.end() && !observation_.is_over;
    const ContainerRole role = is_init ? role_of_init(container) : ContainerRole::main;
    const bool runs = state.phase == Phase::running;
    const bool started = runs && !observation_.unstarted.contains(name);
    const bool ready = role == ContainerRole::init
                           ? state.phase == Phase::exited && state.exit_code == 0
                           : started && !observation_.unready.contains(name);
    if (is_init) {
      count_init(state, role, ready, started);
    } else {
      count_main(state, ready);
    }
    const auto restarts = observation_.restarts.find(name);
    const int restart_count = restarts == observation_.restarts.end() ? 0 : restarts->second;
    Rewrite status{View()};
    status.set("name", builder_.text(name));
    status.set("state",
               backs_off ? waiting("CrashLoopBackOff", back_off->second) : state_node(state));
    if (backs_off) {
      status.set("lastState", terminated(state));
    } else if (previous != observation_.previous.end()) {
      status.set("lastState", terminated(previous->second));
    } else {
      status.set("lastState", builder_.object({}));
    }
    const bool has_run = state.started != Instant{};
    status.set("ready", Builder::boolean(ready));
    status.set("restartCount", Builder::integer(restart_count));
    set_image(status, container, is_init, has_run);
    if (has_run) status.set("containerID", builder_.text(container_id(state)));
    status.set("started", Builder::boolean(started));
    return status.finish(builder_);
  }

  Node container_statuses(View containers, bool is_init) {
    std::vector<Node> statuses;
    for (View container : containers.elements()) {
      statuses.push_back(container_status(container, is_init));
    }
    return builder_.array(statuses);
  }

  bool is_initialized() const { return counts_.incomplete.empty() || counts_.has_main_begun; }

  std::string decide_phase() const {
    const std::string_view seen = pod_["status"]["phase"].string_or("");
    if (is_terminal(seen)) return std::string(seen);
    if (observation_.is_over) {
      const bool all_well = counts_.ended > 0 && counts_.waiting == 0 &&
                            counts_.succeeded == counts_.ended && observation_.reason.empty();
      return all_well ? "Succeeded" : "Failed";
    }
    if (!is_initialized() || counts_.waiting > 0) return "Pending";
    if (counts_.running > 0 || counts_.restarted > 0) return "Running";
    return counts_.succeeded == counts_.ended ? "Succeeded" : "Failed";
  }

  Value with_conditions(Value pod) const {
    const auto set = [&](std::string_view type, bool status, std::string_view reason = "",
                         std::string message = "") {
      pod = objects::with_condition(pod,
                                    {.type = std::string(type),
                                     .status = status ? "True" : "False",
                                     .reason = std::string(reason),
                                     .message = std::move(message),
                                     .observed_generation = objects::generation_of(pod_)},
                                    observation_.now);
    };
    const bool succeeded = phase_ == "Succeeded";
    const bool over = is_terminal(phase_);
    set("PodReadyToStartContainers", observation_.state.has_value() && !over);
    const bool is_through = succeeded || is_initialized();
    set("Initialized", is_through,
        succeeded    ? "PodCompleted"
        : is_through ? ""
                     : "ContainersNotInitialized",
        is_through ? std::string()
                   : fmt::format("containers with incomplete status: [{}]",
                                 fmt::join(counts_.incomplete, " ")));
    if (over) {
      const std::string_view reason = succeeded ? "PodCompleted" : "PodFailed";
      set("Ready", false, reason);
      set("ContainersReady", false, reason);
    } else if (!counts_.unready.empty()) {
      const std::string message =
          fmt::format("containers with unready status: [{}]", fmt::join(counts_.unready, " "));
      set("Ready", false, "ContainersNotReady", message);
      set("ContainersReady", false, "ContainersNotReady", message);
    } else {
      const std::string gates = missing_gates(pod);
      set("Ready", gates.empty(), gates.empty() ? "" : "ReadinessGatesNotReady", gates);
      set("ContainersReady", true);
    }
    if (!observation_.ignored_fields.empty()) {
      set(fields_ignored_condition, true, "NotSupported",
          fmt::format("this node runs the pod without {}",
                      fmt::join(observation_.ignored_fields, ", ")));
    }
    return pod;
  }

  std::string missing_gates(View pod) const {
    std::vector<std::string> missing;
    for (View gate : pod_["spec"]["readinessGates"].elements()) {
      const std::string_view type = gate["conditionType"].string_or("");
      const View found = objects::condition(pod, type);
      if (!found) {
        missing.push_back(fmt::format(
            "corresponding condition of pod readiness gate \"{}\" does not exist.", type));
      } else if (!objects::is_true(found)) {
        missing.push_back(
            fmt::format("the status of pod readiness gate \"{}\" is not \"True\", but {}", type,
                        found["status"].string_or("")));
      }
    }
    return fmt::format("{}", fmt::join(missing, ", "));
  }

  const Value& pod_;
  const PodObservation& observation_;
  Builder builder_;
  Counts counts_;
  std::string phase_;
};

}  // namespace

Value pod_with_status(const Value& pod, const PodObservation& observation) {
  return StatusWriter(pod, observation).write();
}

bool is_terminal(std::string_view phase) {
  return phase == "Succeeded" || phase == "Failed";
}

std::optional<ContainerState> ended_container_of(View status) {
  const View ended = status["lastState"]["terminated"];
  if (!ended) return std::nullopt;
  ContainerState state{.name = std::string(status["name"].string_or("")),
                       .phase = Phase::exited,
                       .reason = std::string(ended["reason"].string_or("")),
                       .message = std::string(ended["message"].string_or("")),
                       .started = objects::instant_of(ended["startedAt"]).value_or(Instant{}),
                       .finished = objects::instant_of(ended["finishedAt"]).value_or(Instant{}),
                       .exit_code = saturating_cast<int>(ended["exitCode"].integer_or(0)),
                       .signal = saturating_cast<int>(ended["signal"].integer_or(0))};
  const std::string_view id = ended["containerID"].string_or("");
  const std::string_view attempt = id.substr(id.rfind('/') + 1);
  std::from_chars(attempt.data(), attempt.data() + attempt.size(), state.attempt);
  return state;
}

ContainerState lost_container(std::string_view name, Instant now) {
  return {.name = std::string(name),
          .phase = Phase::exited,
          .reason = "ContainerStatusUnknown",
          .message = "The container could not be located when the pod was terminated",
          .finished = now,
          .exit_code = exit_killed};
}

}  // namespace muster::agent
