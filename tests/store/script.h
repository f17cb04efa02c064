// A fixed series of writes, deletes and compactions in groups of changing size, and what the
// store must hold at each revision of it. Crash tests play it up to where the power fails.
//
//   Script script(7);
//   script.play(world, *store);                       // until done, or until nothing answers
//   script.check(*reopened);                          // nothing acknowledged is lost
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "store/store.h"
#include "tests/suites/store_suite_world.h"

namespace muster::store {

class Script {
 public:
  explicit Script(std::uint64_t seed, std::size_t groups = 10) {
    std::mt19937_64 random(seed);
    State state;
    states_.push_back(state);
    for (std::size_t g = 0; g < groups; ++g) {
      std::vector<Step> group(1 + random() % 4);
      for (Step& step : group) {
        step.key = "/key/" + std::to_string(random() % 5);
        // Some values span several pages.
        const std::size_t length = random() % 8 == 0 ? 20'000 : random() % 600;
        if (!state.contains(step.key) || random() % 4 != 0) {
          step.value = std::to_string(states_.size()) + std::string(length, 'v');
          state[step.key] = step.value;
        } else {
          step.is_delete = true;
          state.erase(step.key);
        }
        states_.push_back(state);
      }
      groups_.push_back(std::move(group));
    }
  }

  // Returns whether everything was answered with success.
  bool play(StoreWorld& world, Store& store) {
    std::uint64_t sent = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      std::size_t answers = 0;
      for (const Step& step : groups_[g]) {
        auto done = [this, &answers, number = ++sent](Result<Revision> written) {
          ++answers;
          if (!written) return;
          EXPECT_EQ(written->value, number);
          acknowledged_ = std::max(acknowledged_, written->value);
        };
        if (step.is_delete) {
          store.delete_if(step.key, Expected::any(), std::move(done));
        } else {
          store.put_if(step.key, Bytes::copy_of(step.value), Expected::any(), std::move(done));
        }
      }
      if (!world.run_until([&] { return answers == groups_[g].size(); })) return false;
      if (acknowledged_ < sent) return false;
      if (g % 4 == 3 && !compact(world, store)) return false;
    }
    return true;
  }

  // The store's state is the script's at some revision not older than the last acknowledged one,
  // and so is every older state that it still offers.
  void check(const Store& store) const {
    const std::uint64_t revision = store.revision().value;
    ASSERT_GE(revision, acknowledged_);
    ASSERT_LT(revision, states_.size());
    EXPECT_GE(store.statistics().compacted.value, compacted_);
    for (std::uint64_t at = std::max<std::uint64_t>(store.statistics().compacted.value, 1);
         at <= revision; ++at) {
      State found;
      const auto page = store.list({.at = {at}}).must();
      for (const Entry& entry : page.entries) {
        found.emplace(entry.key.view(), entry.value.view());
      }
      ASSERT_EQ(found, states_[at]) << "at revision " << at;
    }
  }

  std::uint64_t acknowledged() const { return acknowledged_; }
  std::uint64_t writes() const { return states_.size() - 1; }

 private:
  using State = std::map<std::string, std::string>;
  struct Step {
    std::string key;
    std::string value;
    bool is_delete = false;
  };

  bool compact(StoreWorld& world, Store& store) {
    std::optional<Result<>> compacted;
    const Revision to{acknowledged_ - acknowledged_ / 3};
    store.compact(to, [&](Result<> done) { compacted = std::move(done); });
    if (!world.run_until([&] { return compacted.has_value(); }) || !*compacted) return false;
    compacted_ = std::max(compacted_, to.value);
    return true;
  }

  std::vector<std::vector<Step>> groups_;
  std::vector<State> states_;  // by revision
  std::uint64_t acknowledged_ = 0;
  std::uint64_t compacted_ = 0;
};

}  // namespace muster::store
