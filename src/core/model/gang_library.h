// GangLibrary: gangs that were read before. Of a thousand workloads from one template the pod sets
// are read once and kept once.
//
//   const GangLibrary::Question question{…};
//   if (const Gang* known = library.find(question)) return *known;
//   library.keep(object, question, gang);
//
// Assumes: it forgets at will (gangs_kept_max places, by hash, the last one stays), so that it is
// never more than a short cut.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/read_workload.h"
#include "objects/value.h"

namespace muster::core {

// What is read of spec.podSets.
struct Gang {
  GangPodSets pod_sets = {};
  std::string resources_objection = {};
  std::string unsupported = {};
  std::uint64_t equivalence = 0;
};

class GangLibrary {
 public:
  // Everything that a gang depends on.
  struct Question {
    objects::View pod_sets;
    objects::View reclaimable;
    std::int64_t priority = 0;
    std::string_view allowed_flavors;
    std::uint64_t rules_version = 0;
  };

  // Null: not known. Valid until the next keep().
  const Gang* find(const Question& question) const;

  // The question's views are those of the object.
  void keep(const objects::Value& object, const Question& question, Gang gang);

 private:
  struct Shelf {
    std::uint64_t hash = 0;
    objects::Value pod_sets = {};
    objects::Value reclaimable = {};
    std::int64_t priority = 0;
    std::string allowed_flavors = {};
    std::uint64_t rules_version = 0;
    Gang gang = {};
  };

  static std::uint64_t hash_of(const Question& question);

  std::vector<Shelf> shelves_;  // by hash
};

}  // namespace muster::core
