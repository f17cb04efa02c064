// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "objects/metadata.h"
#include "simulator/house/checkers/checkers.h"
#include "simulator/house/checkers/read.h"

namespace muster::simulator {

namespace {

using objects::ObjectKey;
using objects::View;

// A reason has to be written, and the network may be down for a while.
constexpr Span told_within = Span::of_seconds(60);

bool is_waiting(View workload) {
  return !workload.is_absent() && !objects::is_being_deleted(workload) &&
         !objects::is_true(objects::condition(workload, "QuotaReserved")) &&
         !objects::is_true(objects::condition(workload, "Finished"));
}

bool has_reason(View workload) {
  if (objects::is_true(objects::condition(workload, "WaitingForReplacementPods"))) return true;
  const View reserved = objects::condition(workload, "QuotaReserved");
  return objects::is_false(reserved) && !reserved["reason"].string_or("").empty() &&
         !reserved["message"].string_or("").empty();
}

class Reasons final : public Checker {
 public:
  using Checker::Checker;

  void on_change(const Change& change) override {
    if (change.plural != "workloads") return;
    if (is_waiting(change.after) && !has_reason(change.after)) {
      silent_.try_emplace(change.key, evidence_.now());
    } else {
      silent_.erase(change.key);
    }
  }

  void on_moment() override {
    const auto up = evidence_.up_since();
    if (!up) return;
    for (const auto& [key, since] : silent_) {
      if (std::max(since, *up) + told_within > evidence_.now()) continue;
      evidence_.violate("reasons", fmt::format("Workload {} has waited for a minute and more "
                                               "without a reason",
                                               key.to_string()));
    }
  }

 private:
  std::map<ObjectKey, MonotonicInstant> silent_;
};

}  // namespace

std::unique_ptr<Checker> make_reasons(Evidence& evidence) {
  return std::make_unique<Reasons>(evidence);
}

}  // namespace muster::simulator
