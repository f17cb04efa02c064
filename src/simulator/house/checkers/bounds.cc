// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "simulator/house/checkers/checkers.h"

namespace muster::simulator {

namespace {

class Bounds final : public Checker {
 public:
  using Checker::Checker;

  void on_moment() override {
    for (const Evidence::Size& each : evidence_.sizes()) {
      if (each.size <= each.most) continue;
      evidence_.violate("I18 bounds", fmt::format("{} {}, and at most {} are allowed", each.size,
                                                  each.what, each.most));
    }
  }
};

}  // namespace

std::unique_ptr<Checker> make_bounds(Evidence& evidence) {
  return std::make_unique<Bounds>(evidence);
}

}  // namespace muster::simulator
