// Mutated clusters and configurations: no crash, no hang, no figure below zero where there can be
// none. The first byte says how the rest is read: as YAML, or as changes to a small world.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/check.h"
#include "cli/plan/plan_engine.h"
#include "cli/plan/plan_text.h"
#include "objects/json.h"
#include "tests/plan/mutation.h"
#include "tests/plan/strange_world.h"

namespace {

using muster::objects::Value;
using muster::objects::View;

void check_figures(View document) {
  for (const View row : document["quota"].elements()) {
    for (const std::string_view figure : {"nominal", "subtree", "usage", "potential"}) {
      const std::string_view text = row[figure].string_or("-");
      CHECK(!text.starts_with('-'));
    }
  }
  for (const View share : document["shares"].elements()) {
    CHECK(share["share"].integer_or(0) >= 0);
    CHECK(share["weightedShare"].integer_or(0) >= 0);
  }
  for (const View cycle : document["cycles"].elements()) {
    for (const View decision : cycle["decisions"].elements()) {
      for (const View set : decision["podSets"].elements()) {
        CHECK(set["count"].integer_or(0) >= 0);
      }
    }
  }
}

Value strange_configuration(muster::tests::Mutation& mutation) {
  static const Value usual =
      muster::objects::parse_json(R"({"apiVersion":"config.kueue.x-k8s.io/v1beta2",
        "kind":"Configuration","fairSharing":{"preemptionStrategies":["LessThanInitialShare"]},
        "waitForPodsReady":{"timeout":"5m","blockAdmission":false},
        "admissionFairSharing":{"usageHalfLifeTime":"1h","resourceWeights":{"cpu":2}},
        "resources":{"excludeResourcePrefixes":["x/"],"transformations":[{"input":"memory",
          "outputs":{"cpu":"1m"},"multiplyBy":"cpu"}]},
        "featureGates":{"PartialAdmission":true}})")
          .must();
  return mutation.next(3) == 0 ? mutation.of(usual) : Value();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const muster::cli::PlanEngine engine(muster::objects::KindRegistry::built_in().must());
  static const auto world =
      muster::cli::read_plan_text(muster::tests::strange_world(), "world").must();
  if (size < 2) return 0;
  muster::cli::PlanInput input{.sources = {}, .cycles = 3};
  if (bytes[0] == '#') {
    const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
    auto sources = muster::cli::read_plan_text(text, "fuzz");
    if (!sources) return 0;
    input.sources = *std::move(sources);
  } else {
    muster::tests::Mutation mutation(std::span(bytes, size));
    input.configuration = strange_configuration(mutation);
    for (muster::cli::PlanSource source : world) {
      if (mutation.next(16) == 1) continue;
      if (mutation.next(12) == 1) source.object = mutation.of(source.object);
      input.sources.push_back(std::move(source));
    }
  }
  const auto document = engine.answer(input);
  if (!document) return 0;
  // What Kueue's webhooks would refuse is planned all the same, a quota below zero for one.
  if ((*document)["warnings"].empty()) check_figures(*document);
  CHECK(!muster::cli::plan_text(*document).empty());
  return 0;
}
