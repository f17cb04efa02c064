// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>

#include "core/words.h"
#include "objects/metadata.h"
#include "simulator/house/checkers/checkers.h"
#include "simulator/house/checkers/read.h"

namespace muster::simulator {

namespace {

using objects::condition;
using objects::is_true;
using objects::View;

//                plan() admits                    job ended
//   pending ─────────────────────► admitted ──────────────────► finished
//      ▲                              │                             ▲
//      └── evicting (job stops) ◄─────┘ ────────────────────────────┘
// From each but the last it may be put on hold, where none of its pods is left to run.
enum class State : std::uint8_t { none, pending, on_hold, reserved, admitted, evicting, finished };

std::string_view name_of(State state) {
  switch (state) {
    case State::none:
      return "none";
    case State::pending:
      return "pending";
    case State::on_hold:
      return "on hold";
    case State::reserved:
      return "reserved";
    case State::admitted:
      return "admitted";
    case State::evicting:
      return "evicting";
    case State::finished:
      return "finished";
  }
  return "";
}

State state_of(View workload) {
  if (workload.is_absent()) return State::none;
  if (is_true(condition(workload, "Finished"))) return State::finished;
  const View reserved = condition(workload, "QuotaReserved");
  if (!is_true(reserved)) {
    return reserved["reason"].string_or("") == "OnHold" ? State::on_hold : State::pending;
  }
  if (is_true(condition(workload, "Evicted"))) return State::evicting;
  return is_true(condition(workload, "Admitted")) ? State::admitted : State::reserved;
}

// What no state may show; empty when all is well.
std::string_view contradiction(View workload) {
  const bool is_reserved = is_true(condition(workload, "QuotaReserved"));
  const bool has_admission = workload["status"]["admission"].is_object();
  if (is_reserved && !has_admission) return "QuotaReserved without an admission";
  if (!is_reserved && has_admission) return "an admission without QuotaReserved";
  if (!is_reserved && is_true(condition(workload, "Admitted"))) {
    return "Admitted without QuotaReserved";
  }
  return "";
}

bool may_follow(State before, State after) {
  if (before == after || after == State::none) return true;
  if (after == State::on_hold) return before != State::finished;
  switch (before) {
    case State::none:
      return after == State::pending;
    case State::on_hold:
      return after == State::pending || after == State::finished;
    case State::pending:
      return after != State::evicting;
    case State::reserved:  // given back when its queue is stopped or goes
      return true;
    case State::admitted:
      return after != State::pending;
    case State::evicting:
      return after == State::pending || after == State::finished;
    case State::finished:
      return false;
  }
  return false;
}

class States final : public Checker {
 public:
  using Checker::Checker;

  void on_change(const Change& change) override {
    if (change.plural == "workloads") on_workload(change);
    if (change.plural == "jobs" && change.after) on_job(change);
    if (change.plural == "pods" && change.after) on_pod(change);
  }

 private:
  void on_workload(const Change& change) {
    const State before = state_of(change.before);
    const State after = state_of(change.after);
    if (!may_follow(before, after)) {
      evidence_.violate(before == State::finished ? "I8 finished once" : "one state",
                        fmt::format("Workload {} went from {} to {}", change.key.to_string(),
                                    name_of(before), name_of(after)));
    }
    if (after == State::none) return;
    if (after == State::on_hold && before != State::on_hold) on_hold(change);
    if (after == State::admitted && before != State::admitted) {
      for (const View check : change.after["status"]["admissionChecks"].elements()) {
        if (check["state"].string_or("") == "Ready") continue;
        evidence_.violate(
            "one state",
            fmt::format("Workload {} was admitted while its check {} is {}", change.key.to_string(),
                        check["name"].string_or(""), check["state"].string_or("")));
      }
    }
    if (const auto what = contradiction(change.after); !what.empty()) {
      evidence_.violate("one state", fmt::format("Workload {}: {}", change.key.to_string(), what));
    }
  }

  // Quota is not given away under pods that nobody asked to end.
  void on_hold(const Change& change) {
    for (const auto& [key, pod] : evidence_.all("pods")) {
      const bool is_its =
          objects::annotations_of(pod)[core::words::workload].string_or("") == change.key.name &&
          key.name_space == change.key.name_space;
      if (!is_its || is_terminal(pod) || objects::is_being_deleted(pod)) continue;
      evidence_.violate("I4 quota", fmt::format("Workload {} is on hold and its pod {} runs",
                                                change.key.to_string(), key.to_string()));
    }
  }

  void on_job(const Change& change) {
    const View after = change.after;
    const bool is_complete = is_true(condition(after, "Complete"));
    const bool is_failed = is_true(condition(after, "Failed"));
    const std::string name = change.key.to_string();
    if (is_complete && is_failed) {
      evidence_.violate("I8 finished once", fmt::format("Job {} is Complete and Failed", name));
    }
    const bool was_complete = is_true(condition(change.before, "Complete"));
    const bool was_failed = is_true(condition(change.before, "Failed"));
    if ((was_complete && !is_complete) || (was_failed && !is_failed)) {
      evidence_.violate("I8 finished once", fmt::format("the end of Job {} was undone", name));
    }
    const std::int64_t counted = after["status"]["succeeded"].integer_or(0);
    const std::int64_t wanted = after["spec"]["completions"].integer_or(1);
    if (counted > wanted || (is_complete && counted != wanted)) {
      evidence_.violate("I8 finished once",
                        fmt::format("Job {} counts {} completions of {}", name, counted, wanted));
    }
    for (const std::string_view counter : {"succeeded", "failed"}) {
      if (after["status"][counter].integer_or(0) < change.before["status"][counter].integer_or(0)) {
        evidence_.violate("I8 finished once",
                          fmt::format("Job {} lost {} pods that had {}", name, counter, counter));
      }
    }
  }

  void on_pod(const Change& change) {
    const View before = change.before["status"]["phase"];
    const View after = change.after["status"]["phase"];
    if (is_terminal(change.before) && !(before == after)) {
      evidence_.violate("I8 finished once",
                        fmt::format("Pod {} was {} and is {}", change.key.to_string(),
                                    before.string_or(""), after.string_or("")));
    }
  }
};

}  // namespace

std::unique_ptr<Checker> make_states(Evidence& evidence) {
  return std::make_unique<States>(evidence);
}

}  // namespace muster::simulator
