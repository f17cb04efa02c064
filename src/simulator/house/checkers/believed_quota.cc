// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/checkers/believed_quota.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::simulator {

using objects::View;

namespace {

constexpr Span known_after = Span::of_seconds(60);

std::optional<std::int64_t> limit_of(View resource, std::string_view name) {
  const View limit = resource[name];
  if (!limit) return std::nullopt;
  return milli_of(limit);
}

std::int64_t used(const BelievedQuota::UsageOfQueues& usage, const std::string& queue,
                  const BelievedQuota::What& what) {
  const auto of_queue = usage.find(queue);
  if (of_queue == usage.end()) return 0;
  const auto found = of_queue->second.find(what);
  return found == of_queue->second.end() ? 0 : found->second;
}

}  // namespace

std::int64_t BelievedQuota::Quota::kept() const {
  return lending_limit ? std::max<std::int64_t>(nominal - *lending_limit, 0) : 0;
}

BelievedQuota::Quotas BelievedQuota::quotas_of(View object) {
  Quotas quotas;
  for (const View group : object["spec"]["resourceGroups"].elements()) {
    for (const View flavor : group["flavors"].elements()) {
      for (const View resource : flavor["resources"].elements()) {
        quotas[{std::string(flavor["name"].string_or("")),
                std::string(resource["name"].string_or(""))}] = {
            .nominal = milli_of(resource["nominalQuota"]),
            .borrowing_limit = limit_of(resource, "borrowingLimit"),
            .lending_limit = limit_of(resource, "lendingLimit")};
      }
    }
  }
  return quotas;
}

void BelievedQuota::hear(const Change& change) {
  if (change.plural != "clusterqueues") return;
  std::deque<Edit>& edits = edits_[change.key.name];
  if (change.after) cohorts_[change.key.name] = change.after["spec"]["cohortName"].string_or("");
  Quotas quotas = quotas_of(change.after);
  if (!edits.empty() && edits.back().quotas == quotas) return;
  edits.push_back({evidence_.now(), std::move(quotas)});
}

// Only the nominal quota is ever edited.
BelievedQuota::Quota BelievedQuota::most(const std::string& queue, const What& what) {
  std::deque<Edit>& edits = edits_[queue];
  while (edits.size() > 1 && edits[1].since + known_after < evidence_.now()) edits.pop_front();
  Quota most;
  for (const Edit& each : edits) {
    const auto found = each.quotas.find(what);
    if (found == each.quotas.end()) continue;
    const std::int64_t nominal = std::max(most.nominal, found->second.nominal);
    most = found->second;
    most.nominal = nominal;
  }
  return most;
}

std::string BelievedQuota::root_of(const std::string& queue) const {
  const auto own = cohorts_.find(queue);
  std::string root = own == cohorts_.end() ? std::string() : own->second;
  while (!root.empty()) {
    const std::string above(
        evidence_.find("cohorts", {"", root})["spec"]["parentName"].string_or(""));
    if (above.empty()) break;
    root = above;
  }
  return root;
}

std::string BelievedQuota::exceeded(const std::string& queue, const What& what,
                                    const UsageOfQueues& usage) {
  const Quota mine = most(queue, what);
  const std::int64_t now = used(usage, queue, what);
  const std::string root = root_of(queue);
  if (root.empty()) {
    return now <= mine.nominal ? "" : fmt::format("it holds {}m of {}m", now, mine.nominal);
  }
  if (mine.borrowing_limit && now > mine.nominal + *mine.borrowing_limit) {
    return fmt::format("it holds {}m of {}m and may borrow {}m", now, mine.nominal,
                       *mine.borrowing_limit);
  }
  if (now <= mine.kept()) return "";
  std::int64_t taken = 0;
  std::int64_t there = 0;
  std::string holders;
  for (const auto& [name, edits] : edits_) {
    if (root_of(name) != root) continue;
    const Quota quota = most(name, what);
    taken += std::max<std::int64_t>(used(usage, name, what) - quota.kept(), 0);
    there += quota.nominal - quota.kept();
    holders += fmt::format(" {} {}m of {}m,", name, used(usage, name, what), quota.nominal);
  }
  for (const auto& [key, cohort] : evidence_.all("cohorts")) {
    const Quotas quotas = quotas_of(cohort);
    const auto found = quotas.find(what);
    if (found != quotas.end()) there += found->second.nominal;
  }
  if (taken <= there) return "";
  return fmt::format("{}m of {}m are taken below {}:{} the rest is its own", taken, there, root,
                     holders);
}

}  // namespace muster::simulator
