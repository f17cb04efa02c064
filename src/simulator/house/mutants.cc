// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/mutants.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/words.h"
#include "objects/edit.h"
#include "objects/metadata.h"
#include "simulator/house/checkers/read.h"
#include "simulator/house/mutant_seams.h"
#include "simulator/house/planted_bugs.h"

namespace muster::simulator {

using client::Call;
using client::Verb;
using objects::Value;
using objects::View;

namespace resources = objects::resources;
namespace words = core::words;

namespace {

bool is_status_of_workload(const Call& call) {
  return call.resource == resources::workloads && call.subresource == "status" &&
         call.verb == Verb::update;
}

Seams double_quota() {
  return queues_seen_as([](const Value& object) {
    Value doubled = object;
    const View groups = object["spec"]["resourceGroups"];
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (std::size_t f = 0; f < groups[g]["flavors"].size(); ++f) {
        const View quota = groups[g]["flavors"][f]["resources"][std::size_t{0}]["nominalQuota"];
        const std::int64_t cpu = milli_of(quota) / 1'000 * 2;
        doubled = objects::with(doubled,
                                {"spec", "resourceGroups", g, "flavors", f, "resources",
                                 std::size_t{0}, "nominalQuota"},
                                Value::string(std::to_string(cpu)))
                      .value_or(doubled);
      }
    }
    return doubled;
  });
}

// Every pod goes to the same node, whatever was decided.
Seams one_node() {
  return control_with({.sent = [](Call& call) {
    if (call.subresource == "binding") {
      call.body = objects::with(call.body, {"target", "name"}, Value::string("m0-n0")).must();
    }
    return true;
  }});
}

// Why a Workload waits is never written.
Seams silence() {
  return control_with({.sent = [](Call& call) {
    return !is_status_of_workload(call) ||
           !objects::is_false(objects::condition(call.body, "QuotaReserved"));
  }});
}

// The end of a Workload is taken back, now and then.
Seams undone_ends() {
  return control_with({.sent = [writes = 0](Call& call) mutable {
    const bool ends = call.resource == resources::workloads && call.verb == Verb::update &&
                      objects::is_true(objects::condition(call.body, "Finished"));
    if (ends && call.subresource.empty() && ++writes % 5 == 0) {
      call.subresource = "status";
      call.body = objects::with_condition(
          call.body, {.type = "Finished", .status = "False", .reason = "Undone", .message = "no"},
          {});
    }
    return true;
  }});
}

// Pods are counted and then kept for ever.
Seams kept_finalizers() {
  return control_with({.sent = [](Call& call) {
    const bool lets_go = call.resource == resources::pods && call.subresource.empty() &&
                         (call.verb == Verb::update || call.verb == Verb::patch) &&
                         !objects::has_finalizer(call.body, words::job_tracking);
    return !lets_go;
  }});
}

// Quota is given back before the job has stopped: an eviction looks like an end.
Seams hasty_release() {
  return control_with({.sent = [](Call& call) {
    if (is_status_of_workload(call) &&
        objects::is_true(objects::condition(call.body, "Admitted")) &&
        objects::is_true(objects::condition(call.body, "PodsReady"))) {
      call.body = objects::without(call.body, {"status", "admission"}).must();
      for (const std::string type : {"QuotaReserved", "Admitted"}) {
        call.body = objects::with_condition(
            call.body, {.type = type, .status = "False", .reason = "Pending", .message = "hasty"},
            {});
      }
    }
    return true;
  }});
}

Seams deaf_watch() {
  return control_with({.skips_event_in = 40});
}

// A rank starts as soon as it has a node itself.
Seams early_rank() {
  Seams seams;
  seams.agents = [](client::Api& api, Executor& house) {
    return std::make_unique<MutantApi>(
        api, house, MutantApi::Rules{.seen = [](const Value& object) {
          if (!objects::annotations_of(object)[words::gang_size]) return object;
          return objects::without(object, {"metadata", "annotations", words::gang_size}).must();
        }});
  };
  return seams;
}

Seams lying_disk() {
  Seams seams;
  seams.disk = [](Disk& disk) { return std::make_unique<LyingDisk>(disk); };
  return seams;
}

Seams forgetful_runtime() {
  Seams seams;
  seams.runtime = [](agent::PodRuntime& runtime) {
    return std::make_unique<ForgetfulRuntime>(runtime);
  };
  return seams;
}

constexpr std::array<Mutant, 30> mutants{{
    {"double-quota", "controllers read twice the nominal quota", &double_quota},
    {"one-node", "every pod is bound to the same node", &one_node},
    {"silence", "reasons of waiting are never written", &silence},
    {"undone-ends", "now and then a finished Workload is unfinished", &undone_ends},
    {"kept-finalizers", "the finalizer of a counted pod stays", &kept_finalizers},
    {"hasty-release", "the admission goes while the job runs", &hasty_release},
    {"deaf-watch", "a watch skips one event in forty", &deaf_watch},
    {"early-rank", "agents do not wait for the whole gang", &early_rank},
    {"lying-disk", "sync answers before anything is on disk", &lying_disk},
    {"forgetful-runtime", "what runs is forgotten when the platform dies", &forgetful_runtime},
    {"forgiven-errors", "a write that the disk refused is acknowledged", &forgiven_errors},
    {"backward-revision", "the store comes back with an older revision", &backward_revision},
    {"lost-deletes", "a watch of the store misses a delete", &lost_deletes},
    {"told-twice", "a watch of the store tells an event twice", &told_twice},
    {"back-in-time", "a watch of the store tells an older event later", &back_in_time},
    {"stale-lists", "lists are answered from long ago", &stale_lists},
    {"overflown-requests", "a large request wraps to nothing", &overflown_requests},
    {"double-count", "some admissions are counted twice", &double_count},
    {"stale-quota", "edits of a ClusterQueue are never heard of", &stale_quota},
    {"leaked-quota", "some of the evicted keep their quota", &leaked_quota},
    {"flat-topology", "every node is taken for one of the same rack", &flat_topology},
    {"hasty-checks", "admission does not wait for its checks", &hasty_checks},
    {"unguarded-queues", "a ClusterQueue can go while it is in use", &unguarded_queues},
    {"stuck-preemptions", "a preemption is never written", &stuck_preemptions},
    {"lost-updates", "an update writes over what others wrote meanwhile", &lost_updates},
    {"ruthless-queues", "a queue preempts where its policy says never", &ruthless_queues},
    {"lenient-queues", "a StrictFIFO queue lets others pass", &lenient_queues},
    {"zombies", "what should end runs on", &zombies},
    {"two-leaders", "a controller believes that it leads, and another does", &two_leaders},
    {"first-come", "fair sharing is configured and not done", &first_come},
}};

}  // namespace

std::span<const Mutant> all_mutants() {
  return mutants;
}

const Mutant* find_mutant(std::string_view name) {
  const auto found = std::ranges::find(mutants, name, &Mutant::name);
  return found == mutants.end() ? nullptr : &*found;
}

std::string mutant_names() {
  std::string names;
  for (const Mutant& mutant : mutants) {
    if (!names.empty()) names += ", ";
    names += mutant.name;
  }
  return names;
}

}  // namespace muster::simulator
