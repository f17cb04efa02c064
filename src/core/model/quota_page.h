// QuotaPage: the ResourceQuotas of one namespace, and what counts against each: the pods that are
// there, and those of admitted Workloads that are still to be made (bookings). So two Workloads
// that are admitted one right after the other never count on the same room.
//
//   page.show_pod(id, quota_pod_of(object, names));
//   page.show_booking(workload, {demand, {4}});        // four pods of its first set are to come
//   page.total("compute")                              // both together, under the names of `hard`
//
// Assumes: one thread; pods and Workloads by the ids of the state, each shown again when it
// changes. What a pod uses is counted here from the pods: status.used of a quota follows them, and
// may be late.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/ids.h"
#include "core/model/quota_pod.h"

namespace muster::core {

// What the pods of a Workload will be to quotas, by pod set.
struct QuotaDemand {
  std::vector<QuotaPod> pods;
  std::uint64_t kind = 0;  // the same for all that ask the same of the same quotas
};

struct QuotaBooking {
  std::shared_ptr<const QuotaDemand> demand;
  std::vector<std::int64_t> counts;  // of pods to come, by pod set
};

class QuotaPage {
 public:
  using Totals = std::map<std::string, QuotaAmounts, std::less<>>;  // by quota

  struct Wall {
    QuotaLimits limits;
    QuotaAmounts total = {};
  };

  // Nothing: the quota is gone. Answers whether anything changed.
  bool show_quota(const std::string& name, std::optional<QuotaLimits> limits);
  void show_pod(PodId id, std::optional<QuotaPod> pod);
  void show_booking(WorkloadId id, std::optional<QuotaBooking> booking);

  bool empty() const { return walls_.empty(); }
  const std::map<std::string, Wall, std::less<>>& walls() const { return walls_; }
  const QuotaPod* pod(PodId id) const;
  const QuotaBooking* booking(WorkloadId id) const;

  Totals totals() const;
  // Whether less counts against some quota than did then.
  bool has_more_room_than(const Totals& then) const;

  // ClusterQueues in which somebody waits for room here, by name.
  std::set<std::string> blocked = {};

 private:
  void count_pod(Wall& wall, const QuotaPod& pod, std::int64_t times);
  void count_booking(Wall& wall, const QuotaBooking& booking, std::int64_t sign);

  std::map<std::string, Wall, std::less<>> walls_;
  std::map<PodId, QuotaPod> pods_;
  std::map<WorkloadId, QuotaBooking> bookings_;
};

// Adds so many times what `more` has of the names in `hard`.
void count_amounts(QuotaAmounts& sum, const QuotaAmounts& more, const QuotaAmounts& hard,
                   std::int64_t times);

}  // namespace muster::core
