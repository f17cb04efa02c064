// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "simulator/house/requests.h"

namespace muster::simulator {
namespace {

TEST(Scripts, every_seed_has_200_jobs_a_crash_and_three_kinds_of_fault) {
  static const std::set<std::string> rates{"call-lost-in",   "answer-lost-in",  "conflict-in",
                                           "event-twice-in", "watch-closed-in", "delay-max",
                                           "disk-jitter-max"};
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Script script = make_script(seed);
    int jobs = 0;
    int crashes = 0;
    std::set<std::string> kinds;
    for (const Line& line : script.lines) {
      jobs += line.verb == "submit" ? 1 : 0;
      crashes += line.verb == "crash" ? 1 : 0;
      if (line.verb == "cut" || line.verb == "machine-dies" || line.verb == "clock-jump") {
        kinds.insert(line.verb);
      }
      if (line.verb != "faults") continue;
      for (const std::string& rate : rates) {
        if (line.number(rate) > 0) kinds.insert(rate);
      }
    }
    EXPECT_GE(jobs, 200) << seed;
    EXPECT_GE(crashes, 1) << seed;
    EXPECT_GE(kinds.size(), 3U) << seed;
  }
}

TEST(Scripts, what_is_printed_is_read_back) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Script script = make_script(seed);
    EXPECT_EQ(Script::parse(script.to_text()).must(), script);
  }
}

TEST(Scripts, what_is_no_script_is_refused) {
  for (const std::string_view text :
       {"", "0 calm\n", "seed x\n", "seed 1\nsoon calm\n", "seed 1\n5 calm\n4 calm\n"}) {
    EXPECT_FALSE(Script::parse(text)) << text;
  }
}

TEST(Scripts, a_line_is_the_request_that_a_tenant_would_send) {
  const Script script = Script::parse(
                            "seed 1\n"
                            "5 submit namespace=a name=j queue=q pods=2 cpu=3 run=1500 exit=4\n")
                            .must();
  const auto call = request_of(script.lines[0]);
  ASSERT_TRUE(call);
  EXPECT_EQ(call->name_space, "a");
  EXPECT_EQ(call->body["spec"]["parallelism"].integer_or(0), 2);
  const auto annotations = call->body["spec"]["template"]["metadata"]["annotations"];
  EXPECT_EQ(annotations["muster.dev/pretend-run-seconds"].string_or(""), "1.500");
  EXPECT_EQ(annotations["muster.dev/pretend-exit-code"].string_or(""), "4");
  EXPECT_FALSE(request_of({.at_milliseconds = 1, .verb = "crash"}));
}

TEST(Scripts, nonsense_is_json_and_nothing_in_it_is_left_open) {
  ASSERT_GE(nonsense_count(), 10U);
  for (std::size_t which = 0; which < nonsense_count(); ++which) {
    const auto call = request_of({.at_milliseconds = 1,
                                  .verb = "nonsense",
                                  .arguments = {{"which", std::to_string(which)}, {"name", "n"}}});
    ASSERT_TRUE(call);
    EXPECT_EQ(call->body["metadata"]["name"].string_or(""), "n");
  }
}

// Who fits nowhere would hold its quota for ever where places are looked for after a check.
TEST(Scripts, nobody_who_fits_nowhere_is_sent_where_places_are_looked_for_later) {
  int both = 0;
  for (std::uint64_t seed = 1'000'001; seed <= 1'000'300; ++seed) {
    const Script script = make_script(seed);
    const auto has = [&](std::string_view verb) {
      return std::ranges::any_of(script.lines, [&](const Line& each) { return each.verb == verb; });
    };
    if (!has("topology") || !has("check")) continue;
    ++both;
    for (const Line& line : script.lines) {
      const bool is_checked = line.text("queue") == "side" ||
                              (line.text("namespace") == "team-b" && line.text("queue") == "main");
      EXPECT_FALSE(line.verb == "submit" && is_checked && line.text("tier") == "gold") << seed;
    }
  }
  EXPECT_GE(both, 5);
}

}  // namespace
}  // namespace muster::simulator
