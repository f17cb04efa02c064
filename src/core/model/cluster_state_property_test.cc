// Whatever comes, in whatever order: the state kept event by event is the state counted from the
// objects, and the same objects in another order make the same state and the same plan.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "core/model/audit.h"
#include "core/model/cluster_state.h"
#include "core/plan/plan.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "tests/plan/dice.h"
#include "tests/plan/made_objects.h"

namespace muster::core {
namespace {

using made::Life;
using made::Made;

std::string uid(Dice& dice) {
  return fmt::format("u{}", dice.below(5) == 0 ? 2 : 1);
}

Made random_workload(Dice& dice) {
  const std::int64_t number = dice.below(5);
  made::WorkloadOptions options;
  options.uid = uid(dice);
  options.queue = fmt::format("lq{}", dice.below(3));
  options.pods = 1 + dice.below(4);
  options.gpus_each = dice.below(3);
  options.priority = dice.below(2);
  options.created_minute = number;
  options.reclaimable = dice.below(4) == 0 ? dice.below(options.pods + 1) : 0;
  options.life = static_cast<Life>(dice.below(4));
  options.cluster_queue = fmt::format("cq{}", dice.below(2));
  options.flavor = dice.below(2) == 0 ? "default" : "other";
  for (std::int64_t left = options.pods, n = 0; left > 0 && n < 3; ++n) {
    const std::int64_t count = n == 2 ? left : dice.below(left + 1);
    if (count > 0) options.domains.emplace_back(fmt::format("n{}", n), count);
    left -= count;
  }
  if (dice.below(3) == 0) options.domains.clear();
  return made::workload(fmt::format("w{}", number), options);
}

Made random_pod(Dice& dice) {
  made::PodOptions options;
  options.uid = uid(dice);
  const std::string workload = fmt::format("w{}", dice.below(5));
  const std::int64_t belongs = dice.below(4);
  if (belongs < 2) options.workload = workload;
  if (belongs == 2) options.owner_uid = "job-" + workload;
  if (dice.below(2) == 0) options.node = fmt::format("n{}", dice.below(4));
  options.phase = std::vector<std::string>{"Pending", "Running", "Succeeded",
                                           "Failed"}[static_cast<std::size_t>(dice.below(4))];
  options.gpus = dice.below(3);
  options.being_deleted = dice.below(5) == 0;
  return made::pod(fmt::format("p{}", dice.below(8)), options);
}

Made random_quota(Dice& dice) {
  const std::string hard =
      fmt::format(R"("pods":"{}","requests.nvidia.com/gpu":"{}")", dice.below(6), dice.below(8));
  const std::string_view scope = dice.below(3) == 0 ? R"(,"scopes":["NotBestEffort"])" : "";
  const std::string text = fmt::format(
      R"({{"metadata":{{"name":"rq{}","namespace":"a","uid":"{}"}},"spec":{{"hard":{{{}}}{}}}}})",
      dice.below(2), uid(dice), hard, scope);
  return {resource_quotas, objects::parse_json(text).must()};
}

Made random_object(Dice& dice) {
  switch (dice.below(12)) {
    case 11:
      return random_quota(dice);
    case 10: {
      made::CohortOptions options;
      options.uid = uid(dice);
      if (dice.below(3) != 0) options.parent = fmt::format("co{}", dice.below(3));
      options.gpus = dice.below(6) - 2;
      options.borrowing_limit = dice.below(6) - 3;
      options.lending_limit = dice.below(6) - 3;
      return made::cohort(fmt::format("co{}", dice.below(3)), options);
    }
    case 0:
      return made::flavor(dice.below(2) == 0 ? "default" : "other", uid(dice));
    case 1: {
      made::QueueOptions options;
      options.uid = uid(dice);
      options.gpus = dice.below(9);
      options.strict = dice.below(2) == 0;
      options.stopped = dice.below(4) == 0;
      if (dice.below(2) == 0) options.flavors.emplace_back("other");
      if (dice.below(3) != 0) options.cohort = fmt::format("co{}", dice.below(3));
      options.borrowing_limit = dice.below(6) - 3;
      options.lending_limit = dice.below(6) - 3;
      return made::cluster_queue(fmt::format("cq{}", dice.below(2)), options);
    }
    case 2:
      return made::local_queue(fmt::format("lq{}", dice.below(3)),
                               fmt::format("cq{}", dice.below(2)), uid(dice));
    case 3: {
      made::NodeOptions options;
      options.uid = uid(dice);
      options.gpus = dice.below(5);
      options.ready = dice.below(4) != 0;
      options.pod_cidr = dice.below(2) == 0 ? "" : "10.0.0.0/24";
      return made::node(fmt::format("n{}", dice.below(4)), options);
    }
    case 4:
      return made::name_space("a");
    case 5:
    case 6:
    case 7:
      return random_workload(dice);
    default:
      return random_pod(dice);
  }
}

// The objects there are, as an API server would have them.
class Server {
 public:
  // What happens next, as an event; sometimes the same one again.
  Event next(Dice& dice) {
    if (last_.revision != 0 && dice.below(6) == 0) return last_;
    const Made made = random_object(dice);
    const std::string key =
        fmt::format("{} {}", made.resource.plural, objects::key_of(made.object).to_string());
    if (dice.below(4) == 0 && objects_.contains(key)) {
      last_ = made::remove(objects_.at(key));
      objects_.erase(key);
    } else {
      last_ = made::upsert(made, ++revision_);
      objects_.insert_or_assign(key, made);
      revisions_[key] = revision_;
    }
    return last_;
  }

  std::vector<Event> all(Dice& dice) const {
    std::vector<Event> events;
    for (const auto& [key, made] : objects_) {
      events.push_back(made::upsert(made, revisions_.at(key)));
    }
    for (std::size_t i = events.size(); i > 1; --i) {
      std::swap(events[i - 1],
                events[static_cast<std::size_t>(dice.below(static_cast<std::int64_t>(i)))]);
    }
    return events;
  }

 private:
  std::map<std::string, Made> objects_;
  std::map<std::string, std::uint64_t> revisions_;
  std::uint64_t revision_ = 0;
  Event last_;
};

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

constexpr Instant noon{1'735'732'800'000'000'000};

ClusterState fresh() {
  ClusterState state;
  state.apply({.type = EventType::tick, .now = noon});
  return state;
}

RC_GTEST_PROP(cluster_state, incremental_is_what_the_objects_say, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(0, 1200);
  Dice dice(*rc::gen::container<std::vector<std::uint32_t>>(
      size, rc::gen::inRange<std::uint32_t>(0, 1'000'000)));
  Server server;
  ClusterState state = fresh();
  while (!dice.is_empty()) {
    state.apply(server.next(dice));
    RC_ASSERT(text_of(audit(state)) == "");
  }
  Dice order(*rc::gen::container<std::vector<std::uint32_t>>(
      100, rc::gen::inRange<std::uint32_t>(0, 1'000'000)));
  ClusterState again = fresh();
  for (const Event& event : server.all(order)) again.apply(event);
  RC_ASSERT(describe(state) == describe(again));
}

RC_GTEST_PROP(cluster_state, the_order_of_arrival_decides_nothing, ()) {
  Dice dice(*rc::gen::container<std::vector<std::uint32_t>>(
      400, rc::gen::inRange<std::uint32_t>(0, 1'000'000)));
  Server server;
  while (!dice.is_empty()) server.next(dice);
  std::string first;
  for (int round = 0; round < 3; ++round) {
    Dice order(*rc::gen::container<std::vector<std::uint32_t>>(
        100, rc::gen::inRange<std::uint32_t>(0, 1'000'000)));
    ClusterState state = fresh();
    for (const Event& event : server.all(order)) state.apply(event);
    std::string text;
    for (int cycle = 0; cycle < 20 && state.has_work(); ++cycle) {
      const std::string before = describe(state);
      const Plan made = plan(state, {});
      RC_ASSERT(describe(state) == before);
      RC_ASSERT(text_of(audit(state)) == "");
      text += objects::to_json(to_value(state, made));
      state.assume(made);
      RC_ASSERT(text_of(audit(state)) == "");
    }
    RC_ASSERT(!state.has_work());
    if (round == 0) first = text;
    RC_ASSERT(text == first);
  }
}

}  // namespace
}  // namespace muster::core
