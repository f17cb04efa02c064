// SPDX-License-Identifier: Apache-2.0
#include "core/model/quota_page.h"

#include <utility>

namespace muster::core {

void count_amounts(QuotaAmounts& sum, const QuotaAmounts& more, const QuotaAmounts& hard,
                   std::int64_t times) {
  if (times == 0) return;
  for (const auto& [name, amount] : more) {
    if (hard.contains(name)) sum[name] += amount * times;
  }
}

void QuotaPage::count_pod(Wall& wall, const QuotaPod& pod, std::int64_t times) {
  if (holds_for(wall.limits, pod)) {
    count_amounts(wall.total, pod.usage, wall.limits.hard, times);
  }
}

void QuotaPage::count_booking(Wall& wall, const QuotaBooking& booking, std::int64_t sign) {
  for (std::size_t i = 0; i < booking.counts.size(); ++i) {
    count_pod(wall, booking.demand->pods[i], sign * booking.counts[i]);
  }
}

bool QuotaPage::show_quota(const std::string& name, std::optional<QuotaLimits> limits) {
  const auto known = walls_.find(name);
  if (!limits) {
    if (known == walls_.end()) return false;
    walls_.erase(known);
    return true;
  }
  if (known != walls_.end() && known->second.limits == *limits) return false;
  Wall wall{.limits = *std::move(limits)};
  for (const auto& [id, pod] : pods_) count_pod(wall, pod, 1);
  for (const auto& [id, booking] : bookings_) count_booking(wall, booking, 1);
  walls_.insert_or_assign(name, std::move(wall));
  return true;
}

void QuotaPage::show_pod(PodId id, std::optional<QuotaPod> pod) {
  const auto known = pods_.find(id);
  if (known != pods_.end()) {
    for (auto& [name, wall] : walls_) count_pod(wall, known->second, -1);
    pods_.erase(known);
  }
  if (!pod) return;
  for (auto& [name, wall] : walls_) count_pod(wall, *pod, 1);
  pods_.emplace(id, *std::move(pod));
}

void QuotaPage::show_booking(WorkloadId id, std::optional<QuotaBooking> booking) {
  const auto known = bookings_.find(id);
  if (known != bookings_.end()) {
    for (auto& [name, wall] : walls_) count_booking(wall, known->second, -1);
    bookings_.erase(known);
  }
  if (!booking) return;
  for (auto& [name, wall] : walls_) count_booking(wall, *booking, 1);
  bookings_.emplace(id, *std::move(booking));
}

const QuotaPod* QuotaPage::pod(PodId id) const {
  const auto found = pods_.find(id);
  return found == pods_.end() ? nullptr : &found->second;
}

const QuotaBooking* QuotaPage::booking(WorkloadId id) const {
  const auto found = bookings_.find(id);
  return found == bookings_.end() ? nullptr : &found->second;
}

QuotaPage::Totals QuotaPage::totals() const {
  Totals totals;
  for (const auto& [name, wall] : walls_) totals.emplace(name, wall.total);
  return totals;
}

bool QuotaPage::has_more_room_than(const Totals& then) const {
  for (const auto& [name, before] : then) {
    const auto wall = walls_.find(name);
    if (wall == walls_.end()) return true;
    for (const auto& [resource, amount] : before) {
      const auto now = wall->second.total.find(resource);
      if (now == wall->second.total.end() || now->second < amount) return true;
    }
  }
  return false;
}

}  // namespace muster::core
