// GangClaims: what the claims of a gang ask of its nodes. Pods that share a claim of one node
// (ReadWriteOnce) all go to one: the first by name that takes them all.
//
//   GangClaims claims(tables, parts);
//   if (claims.failure()) …                    // the gang waits
//   place_part(…, claims.filter(i));           // null: nothing is asked
//
// Assumes: made for one placement; parts are of one namespace.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/placement/claim_filter.h"
#include "core/placement/place_gang.h"

namespace muster::core {

class GangClaims {
 public:
  GangClaims(Tables& tables, std::span<const GangPart> parts);

  const std::optional<NoPlace>& failure() const { return failure_; }
  const ClaimFilter* filter(std::size_t part) const {
    return filters_.empty() || !filters_[part] ? nullptr : &*filters_[part];
  }

 private:
  // Parts that have to stand together, and the claim that says so.
  struct Group {
    std::vector<std::size_t> parts;
    std::string claim;
  };

  void make_filters();
  std::vector<Group> groups() const;
  void keep_together(const Group& group);
  std::int64_t fit_on(NodeId node, const Group& group, NoPlace& why) const;

  Tables& tables_;
  std::span<const GangPart> parts_;
  std::vector<std::optional<ClaimFilter>> filters_;
  std::optional<NoPlace> failure_;
};

}  // namespace muster::core
