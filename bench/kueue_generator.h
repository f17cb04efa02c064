// Kueue's performance configurations (test/performance/scheduler/configs), re-created: cohorts of
// equal queues, classes of workloads that come at fixed intervals and take a fixed time.
//
//   GeneratorConfiguration configuration = *generator_configuration("baseline");
//   generate(world, configuration);                    // as objects of a DecisionWorld
//   configuration.for_each([&](const GeneratedWorkload& each) { … });
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/decision_objects.h"
#include "bench/decision_world.h"

namespace muster::bench {

struct WorkloadClass {
  std::string_view name;
  int count = 0;  // in each queue
  std::int64_t milliseconds_between = 0;
  std::int64_t run_milliseconds = 0;
  std::int64_t priority = 0;
  std::int64_t pods = 1;
  std::string_view requests;
  std::string_view topology = {};
};

struct GeneratedWorkload {
  std::string name;
  Gang gang;
  Span at;
  Span run_time;
  std::size_t class_index = 0;
};

struct GeneratorConfiguration {
  std::string_view name;
  int cohorts = 0;
  int queues_each = 0;
  std::vector<WorkloadClass> classes = {};
  int nodes = 0;  // of a topology of racks of 64; 0: none
  bool preempts = true;

  int per_queue() const;  // workloads
  std::string queue_name(int cohort, int index) const;
  Queue queue(int cohort) const;
  void for_each(const std::function<void(GeneratedWorkload)>& see) const;
};

// "baseline", "large-scale", "topology", and "baseline-without-preemption": the baseline with
// queues that preempt nobody, which the published floor of its waits is a schedule of.
std::optional<GeneratorConfiguration> generator_configuration(std::string_view name);

inline constexpr int nodes_per_rack = 64;
inline constexpr std::string_view generated_node_capacity = R"("cpu":"96","memory":"256Gi")";

// All of it, from the namespace to the last workload.
void generate(DecisionWorld& world, const GeneratorConfiguration& configuration);

}  // namespace muster::bench
