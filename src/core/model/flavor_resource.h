// FlavorResource: a flavor together with a resource, the thing that quota is given in. Pairs live
// under dense ids that are never reused, so that usage is a short list of ids and amounts, and
// quota a row of cells.
//
//   FlavorResourceId id = pairs.intern(h100, gpu);
//   pairs.flavor(id) == h100
//
// Assumes: who interns a new pair holds the flavor's row for good (Tables::flavor_resource).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/model/ids.h"
#include "core/model/short_list.h"

namespace muster::core {

struct FlavorUsage {
  FlavorResourceId flavor_resource;
  std::int64_t amount = 0;

  friend bool operator==(const FlavorUsage&, const FlavorUsage&) = default;
};

// At most one entry for each pair; sorted by the flavor's name, then the resource's.
using Usage = ShortList<FlavorUsage, 2>;

// Zero where the list does not name it.
std::int64_t usage_of(const Usage& usage, FlavorResourceId flavor_resource);

class FlavorResources {
 public:
  // None beyond flavor_resources_max.
  FlavorResourceId intern(FlavorId flavor, ResourceId resource);
  FlavorResourceId find(FlavorId flavor, ResourceId resource) const;  // none when unknown

  FlavorId flavor(FlavorResourceId id) const { return pairs_[id.index()].first; }
  ResourceId resource(FlavorResourceId id) const { return pairs_[id.index()].second; }
  std::size_t size() const { return pairs_.size(); }

 private:
  struct Entry {
    ResourceId resource;
    FlavorResourceId id;
  };
  std::vector<std::pair<FlavorId, ResourceId>> pairs_;
  std::vector<std::vector<Entry>> by_flavor_;  // a flavor has few resources
};

}  // namespace muster::core
