// SPDX-License-Identifier: Apache-2.0
#include "bench/kueue_generator.h"

#include <fmt/format.h>

namespace muster::bench {

namespace resources = objects::resources;

namespace {

constexpr std::string_view required = R"("required":"rack")";
constexpr std::string_view preferred = R"("preferred":"rack")";
constexpr std::string_view two =
    R"("preferred":"rack","podSetSliceRequiredTopology":"rack","podSetSliceSize":2)";
constexpr std::string_view four =
    R"("preferred":"rack","podSetSliceRequiredTopology":"rack","podSetSliceSize":4)";

GeneratorConfiguration baseline() {
  return {.name = "baseline",
          .cohorts = 5,
          .queues_each = 6,
          .classes = {{"small", 350, 100, 200, 50, 1, R"("cpu":"1")"},
                      {"medium", 100, 500, 500, 100, 1, R"("cpu":"5")"},
                      {"large", 50, 1200, 1000, 200, 1, R"("cpu":"20")"}}};
}

GeneratorConfiguration baseline_without_preemption() {
  GeneratorConfiguration configuration = baseline();
  configuration.name = "baseline-without-preemption";
  configuration.preempts = false;
  return configuration;
}

GeneratorConfiguration large_scale() {
  return {.name = "large-scale",
          .cohorts = 10,
          .queues_each = 100,
          .classes = {{"small", 35, 60, 150, 50, 1, R"("cpu":"1")"},
                      {"medium", 11, 300, 350, 100, 1, R"("cpu":"5")"},
                      {"large", 4, 700, 700, 200, 1, R"("cpu":"20")"}}};
}

GeneratorConfiguration topology() {
  constexpr std::string_view small = R"("cpu":"500m")";
  constexpr std::string_view medium = R"("cpu":"1250m")";
  constexpr std::string_view large = R"("cpu":"2500m")";
  return {.name = "topology",
          .cohorts = 5,
          .queues_each = 6,
          .classes = {{"small-required", 120, 100, 200, 50, 2, small, required},
                      {"small-preferred", 120, 100, 200, 50, 2, small, preferred},
                      {"small-balanced", 110, 100, 200, 50, 2, small, two},
                      {"medium-required", 34, 500, 500, 100, 4, medium, required},
                      {"medium-preferred", 33, 500, 500, 100, 4, medium, preferred},
                      {"medium-balanced", 33, 500, 500, 100, 4, medium, two},
                      {"large-required", 17, 1200, 1000, 200, 8, large, required},
                      {"large-preferred", 17, 1200, 1000, 200, 8, large, preferred},
                      {"large-balanced", 16, 1200, 1000, 200, 8, large, four}},
          .nodes = 640};
}

}  // namespace

std::optional<GeneratorConfiguration> generator_configuration(std::string_view name) {
  if (name == "baseline") return baseline();
  if (name == "baseline-without-preemption") return baseline_without_preemption();
  if (name == "large-scale") return large_scale();
  if (name == "topology") return topology();
  return std::nullopt;
}

int GeneratorConfiguration::per_queue() const {
  int sum = 0;
  for (const WorkloadClass& each : classes) sum += each.count;
  return sum;
}

std::string GeneratorConfiguration::queue_name(int cohort, int index) const {
  return fmt::format("q{:02}-{:03}", cohort, index);
}

Queue GeneratorConfiguration::queue(int cohort) const {
  Queue queue = {.cohort = fmt::format("cohort-{}", cohort), .borrowing = "100"};
  if (!preempts) queue.within = queue.reclaim = "Never";
  return queue;
}

void GeneratorConfiguration::for_each(const std::function<void(GeneratedWorkload)>& see) const {
  for (int cohort = 0; cohort < cohorts; ++cohort) {
    for (int index = 0; index < queues_each; ++index) {
      const std::string queue = queue_name(cohort, index);
      for (std::size_t each = 0; each < classes.size(); ++each) {
        const WorkloadClass& of = classes[each];
        for (int i = 0; i < of.count; ++i) {
          const Span at{i * of.milliseconds_between * 1'000'000};
          see({.name = fmt::format("{}-{}-{}", queue, of.name, i),
               .gang = {.queue = queue,
                        .priority = of.priority,
                        .pods = of.pods,
                        .requests = std::string(of.requests),
                        .topology = std::string(of.topology),
                        .created = at},
               .at = at,
               .run_time = Span{of.run_milliseconds * 1'000'000},
               .class_index = each});
        }
      }
    }
  }
}

void generate(DecisionWorld& world, const GeneratorConfiguration& configuration) {
  world.add(resources::namespaces, namespace_object("a"));
  if (configuration.nodes > 0) world.add(resources::topologies, topology_object());
  world.add(resources::resource_flavors, flavor_object(configuration.nodes > 0 ? "t" : ""));
  for (int i = 0; i < configuration.nodes; ++i) {
    world.add(resources::nodes, node_object(fmt::format("n{:03}", i), 0, i / nodes_per_rack,
                                            generated_node_capacity));
  }
  for (int cohort = 0; cohort < configuration.cohorts; ++cohort) {
    for (int index = 0; index < configuration.queues_each; ++index) {
      const std::string name = configuration.queue_name(cohort, index);
      world.add(resources::cluster_queues, cluster_queue_object(name, configuration.queue(cohort)));
      world.add(resources::local_queues, local_queue_object(name));
    }
  }
  configuration.for_each([&](const GeneratedWorkload& each) {
    world.arrive(gang_object(each.name, each.gang), each.at, each.run_time);
  });
}

}  // namespace muster::bench
