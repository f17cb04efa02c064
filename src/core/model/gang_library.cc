// SPDX-License-Identifier: Apache-2.0
#include "core/model/gang_library.h"

#include <utility>

#include "core/model/limits.h"

namespace muster::core {

std::uint64_t GangLibrary::hash_of(const Question& question) {
  // What else the gang depends on is compared; it seldom differs where the pod sets do not.
  const auto priority = static_cast<std::uint64_t>(question.priority);
  return objects::hash(question.pod_sets) ^ priority * 0x9E3779B97F4A7C15ULL;
}

const Gang* GangLibrary::find(const Question& question) const {
  if (shelves_.empty()) return nullptr;
  const std::uint64_t hash = hash_of(question);
  const Shelf& shelf = shelves_[hash % gangs_kept_max];
  const bool is_known = shelf.hash == hash && shelf.priority == question.priority &&
                        shelf.rules_version == question.rules_version &&
                        shelf.allowed_flavors == question.allowed_flavors &&
                        shelf.reclaimable.view() == question.reclaimable &&
                        shelf.pod_sets.view() == question.pod_sets;
  return is_known ? &shelf.gang : nullptr;
}

void GangLibrary::keep(const objects::Value& object, const Question& question, Gang gang) {
  if (shelves_.empty()) shelves_.resize(gangs_kept_max);
  const std::uint64_t hash = hash_of(question);
  shelves_[hash % gangs_kept_max] = {
      .hash = hash,
      .pod_sets = object.part(question.pod_sets),
      .reclaimable = question.reclaimable ? object.part(question.reclaimable) : objects::Value(),
      .priority = question.priority,
      .allowed_flavors = std::string(question.allowed_flavors),
      .rules_version = question.rules_version,
      .gang = std::move(gang)};
}

}  // namespace muster::core
