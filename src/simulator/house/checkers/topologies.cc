// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/words.h"
#include "objects/metadata.h"
#include "simulator/house/checkers/checkers.h"
#include "simulator/house/checkers/read.h"

namespace muster::simulator {

namespace {

using objects::View;

constexpr std::string_view required = "kueue.x-k8s.io/podset-required-topology";

class Topologies final : public Checker {
 public:
  using Checker::Checker;

  // The ranks of one admission that ask for one domain are all bound in it.
  void on_change(const Change& change) override {
    if (change.plural != "pods" || change.after.is_absent()) return;
    const View pod = change.after;
    const std::string_view level = objects::annotations_of(pod)[required].string_or("");
    const std::string_view node = pod["spec"]["nodeName"].string_or("");
    const bool was_bound = !change.before["spec"]["nodeName"].string_or("").empty();
    if (level.empty() || node.empty() || was_bound) return;
    const std::string gang(objects::annotations_of(pod)[core::words::gang].string_or(""));
    const std::string owner(objects::controller_of(pod)["uid"].string_or(""));
    const std::string domain(
        objects::labels_of(evidence_.find("nodes", {"", std::string(node)}))[level].string_or(""));
    const auto [found, is_first] = domains_.try_emplace({owner, gang}, domain);
    if (is_first || found->second == domain) return;
    evidence_.violate("I16 topology",
                      fmt::format("{} is bound in {} {}, others of its gang in {}",
                                  change.key.to_string(), level, domain, found->second));
  }

 private:
  std::map<std::pair<std::string, std::string>, std::string> domains_;  // by owner and admission
};

}  // namespace

std::unique_ptr<Checker> make_topologies(Evidence& evidence) {
  return std::make_unique<Topologies>(evidence);
}

}  // namespace muster::simulator
