// SPDX-License-Identifier: Apache-2.0
#include "agent/pretend_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "agent/limits.h"
#include "base/timestamp.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

namespace words = core::words;
using objects::View;
using Phase = ContainerState::Phase;

constexpr int exit_of_signal(int number) {
  return 128 + number;
}
constexpr int signal_terminate = 15;
constexpr int signal_kill = 9;
constexpr int exit_cannot_start = 128;

// The whole text as a number, or nothing.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

PretendRuntime::PretendRuntime(Executor& machine, const Clock& clock, PretendOptions options)
    : machine_(machine), clock_(clock), options_(options) {}

PretendRuntime::Script PretendRuntime::script_of(View pod) {
  Script script;
  const View annotations = objects::annotations_of(pod);
  if (const auto text = annotations[words::pretend_run_seconds].string()) {
    const auto seconds = number_of<double>(*text);
    if (seconds && *seconds >= 0 && *seconds <= pretend_run_seconds_max) {
      script.runs = Span::of_nanoseconds(static_cast<std::int64_t>(*seconds * 1e9));
    } else {
      script.mistake = fmt::format("annotation {} must be a number of seconds, not \"{}\"",
                                   words::pretend_run_seconds, *text);
    }
  }
  if (const auto text = annotations[words::pretend_exit_code].string()) {
    const auto code = number_of<int>(*text);
    if (code && *code >= 0 && *code <= 255) {
      script.exit_code = *code;
    } else {
      script.mistake = fmt::format("annotation {} must be a number from 0 to 255, not \"{}\"",
                                   words::pretend_exit_code, *text);
    }
  }
  script.ignores_stop = annotations[words::pretend_ignores_stop].string_or("") == "true";
  script.image_error = annotations[words::pretend_image_error].string_or("");
  return script;
}

PodState PretendRuntime::state_of(const std::string& uid, const Pod& pod) {
  PodState state{.uid = uid, .containers = {}};
  for (const Container& container : pod.containers) state.containers.push_back(container.state);
  return state;
}

void PretendRuntime::adopt(Adopted adopted) {
  machine_.post([this, adopted = std::move(adopted)]() mutable { adopted(pods()); });
}

void PretendRuntime::start(PodSpec spec) {
  const auto [at, is_new] = pods_.try_emplace(spec.uid);
  if (!is_new) return;
  Pod& pod = at->second;
  pod.script = script_of(spec.pod);
  for (const ContainerSpec& container : spec.containers) {
    ContainerState state{
        .name = container.name,
        .reason = container.is_held ? std::string(held_reason) : "ContainerCreating"};
    if (!pod.script.image_error.empty()) {
      state.reason = "ErrImagePull";
      state.message = pod.script.image_error;
    }
    pod.containers.push_back({std::move(state), container.role});
  }
  if (!pod.script.image_error.empty()) return announce(at->first);
  for (std::size_t i = 0; i < pod.containers.size(); ++i) {
    if (pod.containers[i].state.is_held()) continue;
    schedule(at->first, i, options_.start_takes, &PretendRuntime::begin);
  }
}

void PretendRuntime::run(std::string_view uid, std::string_view container) {
  const auto at = pods_.find(uid);
  if (at == pods_.end() || at->second.killed_at) return;
  for (std::size_t i = 0; i < at->second.containers.size(); ++i) {
    ContainerState& state = at->second.containers[i].state;
    const bool was_held = state.is_held();
    if (state.name != container || (!was_held && state.phase != Phase::exited)) continue;
    state = {.name = state.name,
             .reason = "ContainerCreating",
             .attempt = was_held ? state.attempt : state.attempt + 1};
    schedule(at->first, i, options_.start_takes, &PretendRuntime::begin);
  }
}

void PretendRuntime::stop_container(std::string_view uid, std::string_view container, Span grace) {
  const auto at = pods_.find(uid);
  if (at == pods_.end()) return;
  for (std::size_t i = 0; i < at->second.containers.size(); ++i) {
    const ContainerState& state = at->second.containers[i].state;
    if (state.name == container && !state.is_quiet()) terminate_within(at->first, i, grace);
  }
}

void PretendRuntime::act(std::string_view /*uid*/, std::string_view /*container*/,
                         ContainerAct /*act*/, Acted acted) {
  machine_.post([acted = std::move(acted)]() mutable { acted({}); });
}

void PretendRuntime::stop(std::string_view uid, Span grace) {
  const auto at = pods_.find(uid);
  if (at == pods_.end()) return;
  Pod& pod = at->second;
  const MonotonicInstant end = clock_.monotonic() + grace;
  pod.killed_at = pod.killed_at ? std::min(*pod.killed_at, end) : end;
  for (std::size_t i = 0; i < pod.containers.size(); ++i) {
    if (pod.containers[i].state.is_quiet()) continue;
    terminate_within(at->first, i, *pod.killed_at - clock_.monotonic());
  }
}

void PretendRuntime::terminate_within(const std::string& uid, std::size_t container, Span grace) {
  const bool ignores = pods_.find(uid)->second.script.ignores_stop;
  schedule(uid, container, ignores ? grace : std::min(options_.stop_takes, grace),
           &PretendRuntime::terminate);
}

void PretendRuntime::remove(std::string_view uid) {
  const auto at = pods_.find(uid);
  if (at == pods_.end()) return;
  for (const Container& container : at->second.containers) {
    if (container.timer) machine_.cancel(*container.timer);
  }
  pods_.erase(at);
}

std::vector<PodState> PretendRuntime::pods() const {
  std::vector<PodState> states;
  for (const auto& [uid, pod] : pods_) states.push_back(state_of(uid, pod));
  return states;
}

std::uint64_t PretendRuntime::runs_of(std::string_view uid) const {
  const auto at = pods_.find(uid);
  return at == pods_.end() ? 0 : at->second.runs;
}

std::optional<std::string> PretendRuntime::log_of(std::string_view uid,
                                                  std::string_view container) const {
  const auto at = pods_.find(uid);
  if (at == pods_.end()) return std::nullopt;
  for (const Container& each : at->second.containers) {
    const ContainerState& state = each.state;
    if (state.name != container) continue;
    if (state.started == Instant{}) return "";
    const Script& script = at->second.script;
    const std::string length =
        script.runs ? fmt::format("{} s", static_cast<double>(script.runs->nanoseconds) / 1e9)
                    : "until it is stopped";
    return fmt::format("{} stdout F a pretend container: no process, runs {}\n",
                       format_micro_time(Timestamp::of(state.started)), length);
  }
  return std::nullopt;
}

void PretendRuntime::lose_everything() {
  while (!pods_.empty()) remove(std::string(pods_.begin()->first));
}

void PretendRuntime::schedule(const std::string& uid, std::size_t container, Span after,
                              Change change) {
  std::optional<TimerId>& timer = pods_.find(uid)->second.containers[container].timer;
  if (timer) machine_.cancel(*timer);
  timer = machine_.post_at(clock_.monotonic() + after, [this, uid, container, change] {
    pods_.find(uid)->second.containers[container].timer.reset();
    (this->*change)(uid, container);
  });
}

void PretendRuntime::begin(const std::string& uid, std::size_t index) {
  Pod& pod = pods_.find(uid)->second;
  ContainerState& state = pod.containers[index].state;
  state.started = clock_.wall();
  if (!pod.script.mistake.empty()) {
    state.message = pod.script.mistake;
    end(uid, index, exit_cannot_start, 0);
    state.reason = "StartError";
    return;
  }
  if (index == 0) ++pod.runs;
  state.phase = Phase::running;
  state.reason.clear();
  const ContainerRole role = pod.containers[index].role;
  if (role == ContainerRole::init) schedule(uid, index, Span{}, &PretendRuntime::finish);
  if (role == ContainerRole::main && pod.script.runs) {
    schedule(uid, index, *pod.script.runs, &PretendRuntime::finish);
  }
  announce(uid);
}

void PretendRuntime::finish(const std::string& uid, std::size_t index) {
  const Pod& pod = pods_.find(uid)->second;
  const bool is_init = pod.containers[index].role == ContainerRole::init;
  end(uid, index, is_init ? 0 : pod.script.exit_code, 0);
}

void PretendRuntime::terminate(const std::string& uid, std::size_t index) {
  const bool ignores = pods_.find(uid)->second.script.ignores_stop;
  const int number = ignores ? signal_kill : signal_terminate;
  end(uid, index, exit_of_signal(number), number);
}

void PretendRuntime::end(const std::string& uid, std::size_t index, int exit_code, int signal) {
  ContainerState& state = pods_.find(uid)->second.containers[index].state;
  state.phase = Phase::exited;
  state.reason = exit_code == 0 ? "Completed" : "Error";
  state.finished = clock_.wall();
  state.exit_code = exit_code;
  state.signal = signal;
  announce(uid);
}

// The state at the time of the call-back: two changes in a row may be told as one, twice.
void PretendRuntime::announce(const std::string& uid) {
  machine_.post([this, uid] {
    const auto at = pods_.find(uid);
    if (at != pods_.end() && listener_) listener_(state_of(uid, at->second));
  });
}

}  // namespace muster::agent
