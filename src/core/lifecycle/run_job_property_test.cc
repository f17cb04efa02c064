// Jobs lived through at random: pods that end as they like, users who change their minds, writes
// that are lost in any number, steps that are taken twice. JobWorld keeps the books.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/index_set.h"
#include "core/lifecycle/run_job.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "tests/lifecycle/job_world.h"

namespace muster::core {
namespace {

struct Life {
  JobWorldOptions options;
  bool with_stale_steps = false;
};

Life arbitrary_life() {
  Life life;
  life.options.indexed = *rc::gen::arbitrary<bool>();
  life.options.parallelism = *rc::gen::inRange<std::int64_t>(1, 6);
  life.options.backoff_limit = *rc::gen::inRange<std::int64_t>(0, 30);
  life.options.suspended = *rc::gen::arbitrary<bool>();
  life.options.completions = *rc::gen::inRange<std::int64_t>(0, 7);
  if (!life.options.indexed && *rc::gen::inRange(0, 4) == 0) life.options.completions.reset();
  life.options.replaces_only_failed = *rc::gen::arbitrary<bool>();
  life.options.ignores_exit_5 = *rc::gen::arbitrary<bool>();
  if (life.options.indexed && *rc::gen::arbitrary<bool>()) {
    life.options.backoff_limit_per_index = *rc::gen::inRange<std::int64_t>(0, 4);
  }
  if (life.options.indexed && *life.options.completions > 2 && *rc::gen::arbitrary<bool>()) {
    life.options.enough_indexes = "0,2";
  }
  life.with_stale_steps = *rc::gen::arbitrary<bool>();
  return life;
}

void happen(JobWorld& world, const Life& life) {
  const auto which = *rc::gen::inRange<std::size_t>(0, 12);
  switch (*rc::gen::inRange(0, 16)) {
    case 0:
      return world.set_suspended(*rc::gen::arbitrary<bool>());
    case 1:
      return world.set_parallelism(*rc::gen::inRange<std::int64_t>(0, 6));
    case 2:
      return world.advance(Span::of_seconds(*rc::gen::inRange<std::int64_t>(0, 700)));
    case 3:
      return world.delete_pod(which);
    case 4:
    case 5:
      return world.run_pod(which);
    case 6:
    case 7:
      return world.end_pod_with(which,
                                *rc::gen::elementOf(std::vector<std::int64_t>{0, 0, 0, 1, 5}));
    case 8:
      return world.confirm_deletions();
    default: {
      Losses losses;
      if (*rc::gen::arbitrary<bool>()) losses.writes_kept = *rc::gen::inRange<std::size_t>(0, 8);
      losses.from_the_last_view = life.with_stale_steps && *rc::gen::inRange(0, 4) == 0;
      world.step(losses);
    }
  }
}

// From now on nothing is lost, every pod succeeds, and the user wants it.
void settle(JobWorld& world) {
  world.set_suspended(false);
  world.set_parallelism(3);
  for (int round = 0; round < 100 && !world.is_finished(); ++round) {
    world.step({});
    world.run_and_end_all();
    world.advance(Span::of_seconds(601));
  }
  for (int round = 0; round < 3; ++round) world.step({});
}

std::string joined(const JobWorld& world) {
  std::string text;
  for (const std::string& each : world.violations()) text += each + "; ";
  return text + objects::to_json(world.job());
}

RC_GTEST_PROP(RunJob, counts_every_pod_once_whatever_is_lost, ()) {
  const Life life = arbitrary_life();
  JobWorld world(life.options);
  const int length = *rc::gen::inRange(0, 120);
  for (int i = 0; i < length; ++i) happen(world, life);
  settle(world);
  if (!world.violations().empty() || !world.is_finished()) RC_FAIL(joined(world));
  const objects::View status = world.job()["status"];
  RC_ASSERT(status["failed"].integer_or(0) == world.failed_and_released());
  RC_ASSERT(status["uncountedTerminatedPods"].empty());
  const std::int64_t succeeded = status["succeeded"].integer_or(0);
  const bool is_complete = objects::is_true(objects::condition(world.job(), "Complete"));
  if (life.options.indexed) {
    const auto indexes = status["completedIndexes"].string_or("");
    RC_ASSERT(IndexSet::parse(indexes, *life.options.completions).count() == succeeded);
    const IndexSet failed = IndexSet::parse(status["failedIndexes"].string_or(""), 100);
    RC_ASSERT(IndexSet::parse(indexes, 100).count_common(failed) == 0);
    if (is_complete && life.options.enough_indexes.empty()) {
      RC_ASSERT(succeeded == *life.options.completions);
    }
    if (is_complete) RC_ASSERT(failed.empty() || !life.options.enough_indexes.empty());
  } else {
    RC_ASSERT(succeeded == world.succeeded_and_released());
    if (is_complete) RC_ASSERT(succeeded >= life.options.completions.value_or(1));
  }
}

RC_GTEST_PROP(RunJob, leaves_no_pod_of_a_suspended_job, ()) {
  Life life = arbitrary_life();
  life.options.completions = 6;
  life.options.backoff_limit = 1000;
  JobWorld world(life.options);
  const int length = *rc::gen::inRange(0, 60);
  for (int i = 0; i < length && !world.is_finished(); ++i) happen(world, life);
  if (world.is_finished()) return;
  world.set_suspended(true);
  for (int round = 0; round < 5; ++round) {
    world.step({});
    world.confirm_deletions();
  }
  RC_ASSERT(world.active_pods() == 0);
  RC_ASSERT(world.job()["status"]["active"].integer_or(0) == 0);
  RC_ASSERT(world.job()["status"]["terminating"].integer_or(0) == 0);
  RC_ASSERT(world.violations().empty());
}

// Nothing is left to do means nothing is done: no job writes for ever.
RC_GTEST_PROP(RunJob, comes_to_rest, ()) {
  const Life life = arbitrary_life();
  JobWorld world(life.options);
  const int length = *rc::gen::inRange(0, 60);
  for (int i = 0; i < length; ++i) happen(world, life);
  for (int round = 0; round < 20; ++round) world.step({});
  RC_ASSERT(world.step({}).edits.empty());
}

}  // namespace
}  // namespace muster::core
