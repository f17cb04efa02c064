// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/words.h"
#include "objects/metadata.h"
#include "simulator/house/checkers/checkers.h"
#include "simulator/house/checkers/read.h"

namespace muster::simulator {

namespace {

using objects::ObjectKey;
using objects::View;

std::string_view node_of(View pod) {
  return pod["spec"]["nodeName"].string_or("");
}

std::string_view address_of(View pod) {
  return objects::annotations_of(pod)[core::words::pod_ip].string_or("");
}

// Once it has an address: who was put on a node by somebody else has none before it is received.
bool takes_a_place(View pod) {
  return !pod.is_absent() && !node_of(pod).empty() && !address_of(pod).empty() && !is_terminal(pod);
}

class Slots final : public Checker {
 public:
  using Checker::Checker;

  void on_change(const Change& change) override {
    if (change.plural != "pods") return;
    const bool had = takes_a_place(change.before);
    const bool has = takes_a_place(change.after);
    if (had) leave(change.key, change.before);
    if (has) take(change, had);
  }

  // The same on the machines, where what really runs takes the place.
  void on_start(const agent::PodSpec& spec) override {
    std::int64_t taken = cpu_of(spec.pod);
    evidence_.for_each_running([&](const Evidence::Running& other) {
      if (other.state.uid == spec.uid || other.node != spec.node) return;
      taken += cpu_of(other.pod);
      if (address_of(other.pod) != spec.address) return;
      evidence_.violate("I6 one owner",
                        fmt::format("{} starts with the address {} of {}", spec.name, spec.address,
                                    objects::name_of(other.pod)));
    });
    const std::int64_t most = allocatable(spec.node);
    if (taken <= most) return;
    evidence_.violate("I6 one owner", fmt::format("on {} pods with {}m of {}m cpu run after {}",
                                                  spec.node, taken, most, spec.name));
  }

 private:
  std::int64_t allocatable(std::string_view node) const {
    return milli_of(
        evidence_.find("nodes", {"", std::string(node)})["status"]["allocatable"]["cpu"]);
  }

  void leave(const ObjectKey& key, View pod) {
    taken_[std::string(node_of(pod))] -= cpu_of(pod);
    const auto owner = owners_.find(std::string(address_of(pod)));
    if (owner != owners_.end() && owner->second == key) owners_.erase(owner);
  }

  void take(const Change& change, bool had) {
    const View pod = change.after;
    const std::string node(node_of(pod));
    std::int64_t& taken = taken_[node];
    taken += cpu_of(pod);
    const auto [owner, is_free] = owners_.try_emplace(std::string(address_of(pod)), change.key);
    if (had) return;
    if (!is_free && owner->first != core::words::no_address) {
      evidence_.violate("I6 one owner", fmt::format("{} was bound with the address {} of {}",
                                                    change.key.to_string(), owner->first,
                                                    owner->second.to_string()));
    }
    if (taken > allocatable(node)) {
      evidence_.violate("I6 one owner",
                        fmt::format("{} was bound to {}: {}m of {}m cpu", change.key.to_string(),
                                    node, taken, allocatable(node)));
    }
  }

  std::map<std::string, std::int64_t> taken_;  // milli cpu, by node
  std::map<std::string, ObjectKey> owners_;    // by address
};

}  // namespace

std::unique_ptr<Checker> make_slots(Evidence& evidence) {
  return std::make_unique<Slots>(evidence);
}

}  // namespace muster::simulator
