// ResourceNames: the names of resources (cpu, nvidia.com/gpu …) as dense ids; and lists of amounts
// under such ids, read from Kubernetes' resource lists. Names are never forgotten: there are few.
//
//   ResourceNames names;
//   Amounts requests = TRY(read_amounts(container["resources"]["requests"], names));
//
// Assumes: amounts are counted as Kueue does it, in thousandths of a cpu and whole units of all
// else, rounded up. A list of amounts is sorted by name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/model/ids.h"
#include "core/model/short_list.h"
#include "objects/value.h"

namespace muster::core {

class ResourceNames {
 public:
  ResourceNames();

  // too_large beyond resource_names_max.
  Result<ResourceId> intern(std::string_view name);
  ResourceId find(std::string_view name) const;  // none when unknown
  const std::string& name(ResourceId id) const { return names_[id.index()]; }
  std::size_t size() const { return names_.size(); }

  // The order in which Kueue v0.19 walks through requests: by the FNV-1a hash of the name. It
  // decides which of several missing resources is told.
  bool comes_before(ResourceId a, ResourceId b) const {
    const std::uint64_t of_a = hashes_[a.index()];
    const std::uint64_t of_b = hashes_[b.index()];
    return of_a != of_b ? of_a < of_b : name(a) < name(b);
  }

  ResourceId pods() const {
    return pods_;
  }  // counts pods; every node has it, no tenant asks for it

 private:
  std::vector<std::string> names_;
  std::vector<std::uint64_t> hashes_;  // beside names_
  std::map<std::string, ResourceId, std::less<>> ids_;
  ResourceId pods_;
};

struct Amount {
  ResourceId resource;
  std::int64_t amount = 0;

  friend bool operator==(const Amount&, const Amount&) = default;
};
using Amounts = ShortList<Amount, 2>;

// Zero where the list does not name it.
std::int64_t amount_of(const Amounts& amounts, ResourceId resource);

// Sets or adds; keeps the list sorted by name. Sums stop at the ends of int64.
void add_amount(Amounts& amounts, ResourceId resource, std::int64_t amount,
                const ResourceNames& names);

// A resource list of an object: name → quantity. invalid: no quantity. Negative amounts count as
// zero, as Kueue counts them; those that no int64 holds are the largest one.
Result<Amounts> read_amounts(objects::View list, ResourceNames& names);

// Whether read_amounts() would give these.
bool shows_amounts(objects::View list, const Amounts& amounts, const ResourceNames& names);

// The quantity as people write it: "2500m", "4Gi", "8".
std::string amount_text(std::string_view resource, std::int64_t amount);

// A resource list of these amounts.
objects::Value to_value(const Amounts& amounts, const ResourceNames& names);

}  // namespace muster::core
