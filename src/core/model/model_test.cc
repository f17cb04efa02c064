// The small parts of the model, each by itself.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/checked.h"
#include "core/model/address_range.h"
#include "core/model/event.h"
#include "core/model/pod_requests.h"
#include "core/model/registry.h"
#include "core/model/scheduling_terms.h"
#include "core/model/trial.h"
#include "objects/json.h"

namespace muster::core {
namespace {

objects::Value json(std::string_view text) {
  return objects::parse_json(text).must();
}

TEST(trial, what_is_not_committed_is_put_back_in_reverse) {
  UndoLog log;
  std::int64_t cell = 10;
  {
    Trial trial(log);
    trial.add(cell, 5);
    trial.add(cell, 7);
    EXPECT_EQ(cell, 22);
  }
  EXPECT_EQ(cell, 10);
  EXPECT_TRUE(log.empty());
}

TEST(trial, what_an_inner_one_committed_vanishes_with_the_outer_one) {
  UndoLog log;
  std::int64_t cell = 10;
  {
    Trial outer(log);
    {
      Trial inner(log);
      inner.add(cell, 1);
      inner.commit();
    }
    EXPECT_EQ(cell, 11);
    {
      Trial inner(log);
      inner.add(cell, 1);
    }
    EXPECT_EQ(cell, 11);
  }
  EXPECT_EQ(cell, 10);
  {
    Trial outer(log);
    outer.add(cell, 3);
    outer.commit();
  }
  EXPECT_EQ(cell, 13);
  EXPECT_TRUE(log.empty());
}

TEST(registry, a_name_lives_as_long_as_somebody_speaks_of_it) {
  Registry<FlavorId, int> rows;
  const FlavorId first = rows.hold("a");
  EXPECT_EQ(rows.hold("a"), first);
  rows[first] = 7;
  rows.release(first);
  EXPECT_EQ(rows.find("a"), first);
  rows.release(first);
  EXPECT_TRUE(rows.find("a").is_none());
  EXPECT_EQ(rows[rows.hold("b")], 0);
  EXPECT_EQ(rows.slots(), 1U);
}

TEST(address_range, gives_neither_network_nor_gateway_nor_broadcast) {
  const auto range = AddressRange::parse("10.88.1.0/29");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->count(), 5);
  std::set<std::uint32_t> in_use;
  std::optional<std::uint32_t> last;
  std::string given;
  while (const auto next = range->next_free(last, in_use)) {
    given += address_text(*next) + " ";
    in_use.insert(*next);
    last = next;
  }
  EXPECT_EQ(given, "10.88.1.2 10.88.1.3 10.88.1.4 10.88.1.5 10.88.1.6 ");
}

TEST(address_range, gives_back_what_was_freed_only_after_the_others) {
  const auto range = AddressRange::parse("10.88.1.0/29");
  ASSERT_TRUE(range);
  const auto third = parse_address("10.88.1.4");
  EXPECT_EQ(address_text(range->next_free(third, {}).value_or(0)), "10.88.1.5");
  EXPECT_EQ(address_text(range->next_free(parse_address("10.88.1.6"), {}).value_or(0)),
            "10.88.1.2");
}

TEST(address_range, refuses_what_is_no_range) {
  for (const std::string_view text : {"", "10.88.1.0", "10.88.1.0/31", "10.88.1/24", "fd00::/64",
                                      "10.88.1.256/24", "10.88.1.0/33", "10.88.1.0/24x", "/24"}) {
    EXPECT_FALSE(AddressRange::parse(text)) << text;
  }
}

std::int64_t cpu_of(std::string_view spec) {
  ResourceNames names;
  const Amounts requests = pod_requests(json(spec), names).must();
  return amount_of(requests, names.find("cpu"));
}

TEST(pod_requests, are_the_containers_together_or_the_largest_init_step) {
  EXPECT_EQ(cpu_of(R"({"containers":[{"resources":{"requests":{"cpu":"500m"}}},
                                     {"resources":{"limits":{"cpu":"1"}}}]})"),
            1500);
  EXPECT_EQ(cpu_of(R"({"containers":[{"resources":{"requests":{"cpu":"1"}}}],
                       "initContainers":[{"resources":{"requests":{"cpu":"3"}}}]})"),
            3000);
  EXPECT_EQ(cpu_of(R"({"containers":[{"resources":{"requests":{"cpu":"1"}}}],
                       "initContainers":[{"restartPolicy":"Always",
                                          "resources":{"requests":{"cpu":"1"}}},
                                         {"resources":{"requests":{"cpu":"3"}}}],
                       "overhead":{"cpu":"250m"}})"),
            4250);
}

TEST(pod_requests, round_fractions_of_whole_things_up) {
  ResourceNames names;
  const Amounts requests =
      pod_requests(json(R"({"containers":[{"resources":{"requests":{"x.com/gpu":"1.2"}}}]})"),
                   names)
          .must();
  EXPECT_EQ(amount_of(requests, names.find("x.com/gpu")), 2);
}

TEST(pod_requests, that_no_int64_holds_are_the_largest_one) {
  ResourceNames names;
  const Amounts requests =
      pod_requests(json(R"({"containers":[{"resources":{"requests":{"memory":"9e30"}}},
                                          {"resources":{"requests":{"memory":"9e30"}}}]})"),
                   names)
          .must();
  EXPECT_EQ(amount_of(requests, names.find("memory")), unlimited);
}

TEST(scheduling_terms, a_flavor_answers_only_for_the_keys_it_has) {
  const SchedulingTerms terms =
      read_scheduling_terms(json(R"({"nodeSelector":{"pool":"a","zone":"z"}})")).must();
  EXPECT_TRUE(terms.flavor_matches({}));
  EXPECT_TRUE(terms.flavor_matches({{"pool", "a"}}));
  EXPECT_FALSE(terms.flavor_matches({{"pool", "b"}}));
  EXPECT_FALSE(terms.selector_matches({{"pool", "a"}}));
}

TEST(scheduling_terms, one_term_of_a_required_affinity_is_enough) {
  const SchedulingTerms terms = read_scheduling_terms(json(R"({"affinity":{"nodeAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
        {"matchExpressions":[{"key":"gpu","operator":"In","values":["h100"]}]},
        {"matchFields":[{"key":"metadata.name","operator":"In","values":["n7"]}]}]}}}})"))
                                    .must();
  EXPECT_TRUE(terms.affinity_matches({{"gpu", "h100"}}, "n1"));
  EXPECT_TRUE(terms.affinity_matches({}, "n7"));
  EXPECT_FALSE(terms.affinity_matches({{"gpu", "a100"}}, "n1"));
}

TEST(scheduling_terms, only_taints_that_keep_away_need_a_toleration) {
  const auto taints = read_taints(json(R"([{"key":"a","effect":"PreferNoSchedule"},
                                           {"key":"b","value":"1","effect":"NoSchedule"}])"));
  const auto exact = read_tolerations(json(R"([{"key":"b","operator":"Equal","value":"1"}])"));
  const auto other = read_tolerations(json(R"([{"key":"b","operator":"Equal","value":"2"}])"));
  EXPECT_EQ(first_untolerated(taints, {exact}), nullptr);
  ASSERT_NE(first_untolerated(taints, {other}), nullptr);
  EXPECT_EQ(first_untolerated(taints, {other})->to_string(), "{b 1 NoSchedule <nil>}");
  EXPECT_EQ(
      first_untolerated(taints, {other, read_tolerations(json(R"([{"operator":"Exists"}])"))}),
      nullptr);
}

TEST(event, survives_its_text) {
  const Event event{.revision = 812,
                    .type = EventType::remove,
                    .resource = objects::resources::nodes,
                    .object = json(R"({"metadata":{"name":"n1"}})")};
  std::string text;
  append_json(event, text);
  const Event again = event_of(objects::parse_json(text).must()).must();
  EXPECT_EQ(again.revision, 812U);
  EXPECT_EQ(again.type, EventType::remove);
  EXPECT_TRUE(again.resource == objects::resources::nodes);
  EXPECT_EQ(objects::to_json(again.object), objects::to_json(event.object));
  EXPECT_FALSE(event_of(json(R"({"revision":1,"type":"strange"})")));
  EXPECT_FALSE(event_of(json(R"({"revision":1,"type":"upsert","kind":"Nothing"})")));
}

}  // namespace
}  // namespace muster::core
