// BelievedQuota: the quota that whoever admits may count on. An edit, and a deletion, needs a while
// to be known, so of the quotas of the last minute the one that allows most counts; and what stands
// in a cohort may be lent within its limits.
//
//   believed.hear(change);
//   if (std::string wrong = believed.exceeded("broad", {"default", "cpu"}, usage); !wrong.empty())
//   …
//
// Assumes: cohorts have neither limits nor edits, and lent quota is not lent on under a limit; so
// everything below one root is one pool. Written anew, not taken from core/.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "simulator/house/checkers/checker.h"
#include "simulator/house/checkers/read.h"

namespace muster::simulator {

class BelievedQuota {
 public:
  using What = std::pair<std::string, std::string>;  // flavor, resource
  using UsageOfQueues = std::map<std::string, Usage, std::less<>>;

  explicit BelievedQuota(const Evidence& evidence) : evidence_(evidence) {}

  void hear(const Change& change);

  // What an admission that led to this usage broke, in a few words; empty when it did not.
  std::string exceeded(const std::string& queue, const What& what, const UsageOfQueues& usage);

 private:
  struct Quota {
    std::int64_t nominal = 0;
    std::optional<std::int64_t> borrowing_limit = {};
    std::optional<std::int64_t> lending_limit = {};

    std::int64_t kept() const;  // what nobody else can borrow
    friend bool operator==(const Quota&, const Quota&) = default;
  };
  using Quotas = std::map<What, Quota>;
  struct Edit {
    MonotonicInstant since;
    Quotas quotas;
  };

  static Quotas quotas_of(objects::View object);
  Quota most(const std::string& queue, const What& what);
  std::string root_of(const std::string& queue) const;

  const Evidence& evidence_;
  std::map<std::string, std::deque<Edit>, std::less<>> edits_;  // by ClusterQueue
  std::map<std::string, std::string, std::less<>> cohorts_;     // of those that were ever there
};

}  // namespace muster::simulator
