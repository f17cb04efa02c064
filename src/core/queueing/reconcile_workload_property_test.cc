// Queued jobs lived through at random: admissions and evictions, users who delete and switch off,
// pods that end, and writes that are lost. QueueWorld watches.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "core/queueing/workload_status.h"
#include "core/words.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "tests/queueing/queue_world.h"

namespace muster::core {
namespace {

Losses arbitrary_losses() {
  Losses losses;
  if (*rc::gen::arbitrary<bool>()) losses.writes_kept = *rc::gen::inRange<std::size_t>(0, 4);
  return losses;
}

void happen(QueueWorld& world) {
  const auto which = *rc::gen::inRange<std::size_t>(0, 8);
  switch (*rc::gen::inRange(0, 20)) {
    case 0:
      return world.evict(*rc::gen::arbitrary<bool>() ? "NodeFailures" : "Preempted");
    case 1:
      return world.delete_workload();
    case 2:
      return world.set_active(*rc::gen::arbitrary<bool>());
    case 3:
    case 4:
      return world.admit();
    case 5:
      return world.jobs.run_pod(which);
    case 6:
      return world.jobs.end_pod(which, *rc::gen::inRange(0, 4) != 0);
    case 7:
      return world.jobs.confirm_deletions();
    case 8:
      return world.jobs.advance(Span::of_seconds(*rc::gen::inRange<std::int64_t>(0, 700)));
    case 9:
      return world.jobs.set_suspended(*rc::gen::arbitrary<bool>());
    case 10:
    case 11:
    case 12:
    case 13:
      world.jobs.step(arbitrary_losses());
      return;
    default:
      world.reconcile(arbitrary_losses());
  }
}

void live(QueueWorld& world) {
  const int length = *rc::gen::inRange(0, 120);
  for (int i = 0; i < length; ++i) happen(world);
}

void settle(QueueWorld& world) {
  for (int round = 0; round < 60 && !world.jobs.is_finished(); ++round) {
    world.set_active(true);
    for (int look = 0; look < 4; ++look) {
      world.reconcile({});
      world.jobs.step({});
      world.jobs.confirm_deletions();
    }
    world.admit();
    world.jobs.run_and_end_all();
    world.jobs.advance(Span::of_seconds(601));
  }
  for (int look = 0; look < 6; ++look) {
    world.jobs.step({});
    world.reconcile({});
  }
}

std::string told(const QueueWorld& world) {
  std::string text;
  for (const std::string& each : world.jobs.violations()) text += each + "; ";
  text += objects::to_json(world.jobs.job());
  for (const objects::Value& each : world.workloads()) text += "\n" + objects::to_json(each);
  return text;
}

JobWorldOptions queued_job() {
  JobWorldOptions options;
  options.suspended = true;
  options.indexed = *rc::gen::arbitrary<bool>();
  options.parallelism = *rc::gen::inRange<std::int64_t>(1, 4);
  options.completions = *rc::gen::inRange<std::int64_t>(1, 5);
  options.backoff_limit = 1000;
  return options;
}

RC_GTEST_PROP(ReconcileWorkload, runs_a_job_only_while_its_quota_is_held, ()) {
  QueueWorld world(queued_job());
  live(world);
  settle(world);
  if (!world.jobs.violations().empty() || !world.jobs.is_finished()) RC_FAIL(told(world));
  for (const objects::Value& workload : world.workloads()) {
    RC_ASSERT(is_finished(workload));
    RC_ASSERT(!objects::has_finalizer(workload, words::resource_in_use));
  }
  RC_ASSERT(world.reconcile({}).empty());
}

RC_GTEST_PROP(ReconcileWorkload, leaves_nothing_of_a_job_that_is_gone, ()) {
  QueueWorld world(queued_job());
  live(world);
  world.delete_job();
  for (int look = 0; look < 3; ++look) world.reconcile({});
  RC_ASSERT(world.workloads().empty());
}

// Whatever happened, a job that is stopped looks as its user wrote it.
RC_GTEST_PROP(ReconcileWorkload, gives_a_stopped_job_its_template_back, ()) {
  QueueWorld world(queued_job());
  live(world);
  world.set_active(false);
  for (int look = 0; look < 10; ++look) {
    world.reconcile({});
    world.jobs.step({});
    world.jobs.confirm_deletions();
  }
  if (world.jobs.is_finished()) return;
  RC_ASSERT(world.jobs.job()["spec"]["suspend"].boolean_or(false));
  RC_ASSERT(!world.is_held());
  RC_ASSERT(world.jobs.active_pods() == 0);
  if (world.workloads().empty()) return;
  if (!(world.jobs.job()["spec"]["template"] == world.original_template.view())) {
    RC_FAIL(told(world));
  }
}

}  // namespace
}  // namespace muster::core
