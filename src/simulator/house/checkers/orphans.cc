// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "objects/metadata.h"
#include "simulator/house/checkers/checkers.h"

namespace muster::simulator {

namespace {

// A pod's object is gone: so is what runs, as soon as its node can be told.
constexpr Span ended_within = Span::of_seconds(90);

class Orphans final : public Checker {
 public:
  using Checker::Checker;

  void on_moment() override {
    const auto up = evidence_.up_since();
    std::map<std::string, MonotonicInstant> still;
    evidence_.for_each_running([&](const Evidence::Running& pod) {
      if (is_known(pod)) return;
      const auto found = alone_since_.find(pod.state.uid);
      const MonotonicInstant since = found == alone_since_.end() ? evidence_.now() : found->second;
      still.emplace(pod.state.uid, since);
      if (!up || std::max(since, *up) + ended_within > evidence_.now()) return;
      evidence_.violate("orphans", fmt::format("{} runs on {} and nobody knows of it",
                                               objects::name_of(pod.pod), pod.node));
    });
    alone_since_ = std::move(still);
  }

  void on_empty() override {
    for (const std::string_view plural :
         {"pods", "workloads", "jobs", "cronjobs", "deployments", "replicasets", "statefulsets",
          "provisioningrequests", "podtemplates"}) {
      const auto& left = evidence_.all(plural);
      if (left.empty()) continue;
      evidence_.violate("orphans",
                        fmt::format("{} {} are left behind, the first is {}", left.size(), plural,
                                    left.begin()->first.to_string()));
    }
    if (evidence_.pods_kept() == 0) return;
    evidence_.violate("orphans",
                      fmt::format("{} pods are left behind on machines", evidence_.pods_kept()));
  }

 private:
  bool is_known(const Evidence::Running& running) const {
    const objects::Value& pod = evidence_.find("pods", objects::key_of(running.pod));
    return objects::uid_of(pod) == running.state.uid;
  }

  std::map<std::string, MonotonicInstant> alone_since_;  // by uid
};

}  // namespace

std::unique_ptr<Checker> make_orphans(Evidence& evidence) {
  return std::make_unique<Orphans>(evidence);
}

}  // namespace muster::simulator
