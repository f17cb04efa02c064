// What admission by schema costs: pruning, defaults, checks and rules of a pod and of a workload,
// beside reading the same text, which nobody can do without.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "base/check.h"
#include "bench/measure.h"
#include "bench/sample_pod.h"
#include "objects/admit.h"
#include "objects/json.h"
#include "objects/kind_registry.h"

namespace muster::bench {
namespace {

using objects::Admitted;
using objects::KindRegistry;
using objects::Schema;
using objects::Value;
using objects::View;

constexpr std::uint64_t times = 5'000;

template <class T>
void keep(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

template <class Body>
auto repeat(Body body) {
  return [body] {
    for (std::uint64_t i = 0; i < times; ++i) body();
  };
}

// A gang of four workers of eight GPUs, as Kueue's controller makes it from a job.
constexpr std::string_view workload_text = R"({
  "apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload",
  "metadata":{"name":"job-train-1a2b3","namespace":"team","labels":{"kueue.x-k8s.io/job-uid":"x"},
    "ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"train","uid":"u",
      "controller":true,"blockOwnerDeletion":true}],
    "finalizers":["kueue.x-k8s.io/resource-in-use"]},
  "spec":{"queueName":"main","priority":10,"active":true,"podSets":[{"name":"main","count":4,
    "template":{"metadata":{"labels":{"app":"train"}},"spec":{"restartPolicy":"Never",
      "nodeSelector":{"pool":"gpu"},
      "tolerations":[{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}],
      "containers":[{"name":"worker","image":"registry.example/train:v1","command":["python"],
        "args":["train.py","--epochs=3"],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],
        "ports":[{"containerPort":29500,"name":"rendezvous"}],
        "resources":{"requests":{"cpu":"8","memory":"64Gi","nvidia.com/gpu":"8"},
          "limits":{"cpu":"8","memory":"64Gi","nvidia.com/gpu":"8"}},
        "volumeMounts":[{"name":"shm","mountPath":"/dev/shm"}]}],
      "volumes":[{"name":"shm","emptyDir":{"medium":"Memory"}}]}}}]}})";

Admitted admitted(const Schema& schema, const Value& object) {
  return objects::admit(schema,
                        {.object = object, .field_validation = objects::FieldValidation::strict})
      .must();
}

// Visits every node: what any walk must do at least.
std::uint64_t nodes_below(View value) {
  std::uint64_t count = 1;
  for (View element : value.elements()) count += nodes_below(element);
  for (objects::MemberView member : value.members()) count += nodes_below(member.value);
  return count;
}

void measure(std::string_view name, const Schema& schema, const std::string& text) {
  const Value object = objects::parse_json(text).must();
  const Admitted once = admitted(schema, object);
  CHECK(once.errors.empty(), once.errors.to_string());
  compare(fmt::format("admit a new {} of {} bytes", name, text.size()), times,
          repeat([&] { keep(admitted(schema, object)); }), "read its text",
          repeat([&] { keep(objects::parse_json(text).must()); }));
  compare(fmt::format("admit the stored {} again", name), times,
          repeat([&] { keep(admitted(schema, once.object)); }), "read the text it came from",
          repeat([&] { keep(objects::parse_json(text).must()); }));
  compare(fmt::format("decode and default a {}", name), times,
          repeat([&] { keep(objects::apply_defaults(schema, object)); }), "visit every node",
          repeat([&] { keep(nodes_below(object)); }));
}

}  // namespace
}  // namespace muster::bench

int main() {
  using namespace muster;
  const objects::KindRegistry registry = objects::KindRegistry::built_in().must();
  const auto pod = registry.find("", "Pod");
  const auto workload = registry.find("kueue.x-k8s.io", "Workload");
  bench::measure("pod", pod->storage_version().schema, bench::sample_pod());
  bench::measure("workload", workload->storage_version().schema, std::string(bench::workload_text));
  return 0;
}
