// SPDX-License-Identifier: Apache-2.0
#include "client/leader_election.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "objects/edit.h"
#include "simulator/seeded_random.h"
#include "simulator/virtual_time.h"
#include "tests/client/fake_api.h"

namespace muster::client {
namespace {

using objects::Value;
namespace resources = objects::resources;

const objects::ObjectKey lease_key{"kube-system", "muster-controller"};

class LeaderElectionTest : public testing::Test {
 protected:
  // One process that would lead.
  struct Candidate {
    Candidate(LeaderElectionTest& test, Api& api, const std::string& identity)
        : election(api, {test.house, test.clock, test.random},
                   {.name = "muster-controller", .identity = identity},
                   {.on_elected = [&test, identity] { test.heard.push_back(identity + " leads"); },
                    .on_lost = [&test, identity] { test.heard.push_back(identity + " lost"); }}),
          fenced(api, election, test.house) {}

    LeaderElection election;
    FencedApi fenced;
  };

  std::unique_ptr<Candidate> candidate(const std::string& identity) {
    auto made = std::make_unique<Candidate>(*this, api, identity);
    made->election.start();
    return made;
  }

  void run_for(std::int64_t seconds) { time.run_for(Span::of_seconds(seconds)); }

  std::string holder() {
    return std::string(
        api.find(resources::leases, lease_key)["spec"]["holderIdentity"].string_or(""));
  }

  simulator::VirtualTime time;
  simulator::VirtualExecutor house{time};
  simulator::VirtualClock clock{time};
  simulator::SeededRandom random{1};
  FakeApi api{house, clock};
  std::vector<std::string> heard;
};

using Heard = std::vector<std::string>;

TEST_F(LeaderElectionTest, the_first_leads_and_the_second_waits) {
  const auto a = candidate("a");
  run_for(1);
  const auto b = candidate("b");
  run_for(300);
  EXPECT_EQ(heard, Heard{"a leads"});
  EXPECT_TRUE(a->election.may_act());
  EXPECT_FALSE(b->election.may_act());
  EXPECT_EQ(b->election.leader(), "a");
  const Value lease = api.find(resources::leases, lease_key);
  EXPECT_EQ(lease["spec"]["leaseTransitions"].integer_or(-1), 0);
  EXPECT_EQ(lease["spec"]["leaseDurationSeconds"].integer_or(-1), 15);
}

TEST_F(LeaderElectionTest, who_dies_is_followed_when_its_lease_has_aged) {
  auto a = candidate("a");
  const auto b = candidate("b");
  run_for(20);
  ASSERT_EQ(heard, Heard{"a leads"});
  a.reset();
  run_for(10);
  EXPECT_EQ(heard, Heard{"a leads"});
  run_for(12);
  EXPECT_EQ(heard, (Heard{"a leads", "b leads"}));
  EXPECT_EQ(holder(), "b");
  EXPECT_EQ(api.find(resources::leases, lease_key)["spec"]["leaseTransitions"].integer_or(-1), 1);
}

TEST_F(LeaderElectionTest, who_resigns_is_followed_at_the_next_look) {
  const auto a = candidate("a");
  const auto b = candidate("b");
  run_for(20);
  bool is_done = false;
  a->election.resign([&] { is_done = true; });
  run_for(4);
  EXPECT_TRUE(is_done);
  EXPECT_EQ(holder(), "b");
  EXPECT_FALSE(a->election.may_act());
}

// What it sent while it led may still be on its way, for as long as a Lease outlives its holder.
TEST_F(LeaderElectionTest, who_lost_its_own_lease_leads_again_when_that_has_aged) {
  const auto a = candidate("a");
  run_for(20);
  bool is_cut = true;
  api.refuse(ErrorCode::unavailable, [&](const Call&) { return is_cut; });
  for (int i = 0; heard.size() < 2 && i < 20; ++i) run_for(1);
  ASSERT_EQ(heard, (Heard{"a leads", "a lost"}));
  is_cut = false;
  run_for(3);
  EXPECT_EQ(heard, (Heard{"a leads", "a lost"}));
  run_for(8);
  EXPECT_EQ(heard, (Heard{"a leads", "a lost", "a leads"}));
  EXPECT_EQ(api.find(resources::leases, lease_key)["spec"]["leaseTransitions"].integer_or(-1), 0);
}

// It stops before anybody else may begin, and neither needs the other's clock.
TEST_F(LeaderElectionTest, who_cannot_renew_stops_before_the_next_begins) {
  const auto a = candidate("a");
  run_for(20);
  bool is_cut = true;
  api.refuse(ErrorCode::unavailable, [&](const Call& call) {
    return is_cut && call.body["spec"]["holderIdentity"].string_or("a") == "a";
  });
  auto b = std::make_unique<Candidate>(*this, api, "b");
  run_for(11);
  EXPECT_EQ(heard, (Heard{"a leads", "a lost"}));
  EXPECT_FALSE(a->election.may_act());
  api.stop_faults();
  b->election.start();
  run_for(1);
  EXPECT_EQ(heard.size(), 2U);  // b has seen it for a second only
}

TEST_F(LeaderElectionTest, a_jump_of_the_wall_clock_changes_nothing) {
  const auto a = candidate("a");
  const auto b = candidate("b");
  run_for(20);
  clock.jump_wall(Span::of_seconds(7'200));
  run_for(60);
  clock.jump_wall(Span::of_seconds(-14'400));
  run_for(60);
  EXPECT_EQ(heard, Heard{"a leads"});
}

TEST_F(LeaderElectionTest, a_lease_that_somebody_took_is_lost) {
  const auto a = candidate("a");
  run_for(20);
  const Value lease = api.find(resources::leases, lease_key);
  api.replace(resources::leases,
              objects::with(lease, {"spec", "holderIdentity"}, Value::string("c")).must());
  run_for(6);
  EXPECT_EQ(heard, (Heard{"a leads", "a lost"}));
  EXPECT_EQ(a->election.leader(), "c");
}

TEST_F(LeaderElectionTest, a_lease_that_was_deleted_is_made_again) {
  const auto a = candidate("a");
  run_for(20);
  api.remove(resources::leases, lease_key);
  run_for(8);
  EXPECT_EQ(holder(), "a");
  EXPECT_EQ(heard, Heard{"a leads"});
}

// The lease may be held without its holder's knowledge: the next look finds out.
TEST_F(LeaderElectionTest, a_lost_answer_delays_only) {
  int lost = 0;
  api.lose_answers([&](const Call& call) { return call.verb == Verb::create && lost++ == 0; });
  const auto a = candidate("a");
  run_for(1);
  EXPECT_TRUE(heard.empty());
  run_for(5);
  EXPECT_EQ(heard, Heard{"a leads"});
}

TEST_F(LeaderElectionTest, only_the_leader_writes) {
  const auto a = candidate("a");
  const auto b = candidate("b");
  run_for(5);
  const Value pod = Value::object(
      {{"metadata",
        Value::object({{"name", Value::string("p")}, {"namespace", Value::string("n")}})}});
  std::vector<std::string> answers;
  const auto create = [&](Candidate& who) {
    who.fenced.call(
        {.verb = Verb::create, .resource = resources::pods, .name_space = "n", .body = pod},
        [&](const Result<Value>& answer) {
          answers.push_back(answer ? "done" : std::string(reason(answer.error().code)));
        });
    run_for(1);
  };
  create(*b);
  create(*a);
  EXPECT_EQ(answers,
            (std::vector<std::string>{std::string(reason(ErrorCode::unavailable)), "done"}));
}

}  // namespace
}  // namespace muster::client
