// SPDX-License-Identifier: Apache-2.0
#include "core/model/equivalence.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/read_workload.h"

namespace muster::core {

using objects::View;

namespace {

// FNV-1a with a final mix; values carry their type and size, so that no two lists run together.
class Digest {
 public:
  void add(std::uint64_t number) {
    for (int byte = 0; byte < 8; ++byte) add_byte(static_cast<std::uint8_t>(number >> (byte * 8)));
  }
  void add(std::int64_t number) { add(static_cast<std::uint64_t>(number)); }

  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char letter : text) add_byte(static_cast<std::uint8_t>(letter));
  }

  // Members of objects in the order of their keys: who wrote them in which order says nothing.
  void add(View value) {
    add(static_cast<std::uint64_t>(value.type()));
    if (value.is_object()) {
      std::vector<std::pair<std::string_view, View>> members;
      for (const auto& [key, member] : value.members()) members.emplace_back(key, member);
      std::ranges::sort(members, {}, [](const auto& member) { return member.first; });
      add(static_cast<std::uint64_t>(members.size()));
      for (const auto& [key, member] : members) {
        add(key);
        add(member);
      }
    } else if (value.is_array()) {
      add(static_cast<std::uint64_t>(value.size()));
      for (const View element : value.elements()) add(element);
    } else if (value.is_string()) {
      add(*value.string());
    } else if (value.is_boolean()) {
      add_byte(value.boolean_or(false) ? 1 : 0);
    } else if (value.is_integer()) {
      add(value.integer_or(0));
    }
  }

  std::uint64_t value() const {
    std::uint64_t mixed = state_ ^ (state_ >> 32);
    mixed *= 0x9e3779b97f4a7c15;
    mixed ^= mixed >> 29;
    return mixed == 0 ? 1 : mixed;
  }

 private:
  void add_byte(std::uint8_t byte) { state_ = (state_ ^ byte) * 0x100000001b3; }

  std::uint64_t state_ = 0xcbf29ce484222325;
};

void add_quantities_to(Digest& digest, const ResourceQuantities& list, const ResourceNames& names) {
  std::vector<std::pair<std::string_view, std::string>> sorted;
  for (const ResourceQuantity& entry : list) {
    sorted.emplace_back(names.name(entry.resource), entry.quantity.canonical());
  }
  std::ranges::sort(sorted);
  digest.add(static_cast<std::uint64_t>(sorted.size()));
  for (const auto& [name, quantity] : sorted) {
    digest.add(name);
    digest.add(std::string_view(quantity));
  }
}

void add_containers(Digest& digest, View containers, const std::vector<ContainerResources>& all,
                    const ResourceNames& names) {
  digest.add(static_cast<std::uint64_t>(all.size()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    add_quantities_to(digest, all[i].requests, names);
    digest.add(containers[i]["ports"]);
  }
}

// The fields of a pod that flavors, preemption and topology look at, beside its requests.
constexpr std::array<std::string_view, 7> shape_fields{"nodeSelector",
                                                       "affinity",
                                                       "tolerations",
                                                       "runtimeClassName",
                                                       "priority",
                                                       "resourceClaims",
                                                       "topologySpreadConstraints"};

}  // namespace

std::uint64_t equivalence_of(View object, const Workload& workload, const GangPodSets& pod_sets,
                             const std::vector<PodResources>& resources,
                             const ResourceNames& names) {
  Digest digest;
  digest.add(workload.effective_priority());
  digest.add(std::string_view(workload.extras->allowed_flavors));
  for (std::size_t i = 0; i < pod_sets.size(); ++i) {
    const GangPodSet& set = pod_sets[i];
    const View view = object["spec"]["podSets"][i];
    const View spec = view["template"]["spec"];
    digest.add(std::string_view(set.name));
    digest.add(set.effective_count());
    digest.add(set.min_count.value_or(-1));
    digest.add(view["topologyRequest"]);
    for (const std::string_view field : shape_fields) digest.add(spec[field]);
    const PodSpecResources& pod = resources[i].spec;
    add_containers(digest, spec["initContainers"], pod.init_containers, names);
    add_containers(digest, spec["containers"], pod.containers, names);
    add_quantities_to(digest, pod.overhead, names);
    add_quantities_to(digest, pod.pod_level.requests, names);
    for (const Amount& entry : set.effective_requests) {
      digest.add(std::string_view(names.name(entry.resource)));
      digest.add(entry.amount);
    }
  }
  return digest.value();
}

}  // namespace muster::core
