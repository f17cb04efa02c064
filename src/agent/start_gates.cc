// SPDX-License-Identifier: Apache-2.0
#include "agent/start_gates.h"

#include <utility>

namespace muster::agent {

std::vector<std::string> StartGates::arrive(const std::string& gang, const std::string& uid,
                                            std::int64_t members) {
  std::set<std::string>& waiting = waiting_[gang];
  waiting.insert(uid);
  gang_of_[uid] = gang;
  if (static_cast<std::int64_t>(waiting.size()) < members) return {};
  std::vector<std::string> all(waiting.begin(), waiting.end());
  for (const std::string& each : all) {
    gang_of_.erase(each);
    starting_[gang].missing.insert(each);
    starts_with_[each] = gang;
  }
  waiting_.erase(gang);
  return all;
}

std::vector<std::string> StartGates::started(const std::string& uid) {
  const auto known = starts_with_.find(uid);
  if (known == starts_with_.end()) return {uid};
  Starting& starting = starting_[known->second];
  if (starting.missing.erase(uid) > 0) starting.begun.push_back(uid);
  return news_of(known->second);
}

// All of it where nobody is missing any more.
std::vector<std::string> StartGates::news_of(const std::string& gang) {
  const auto starting = starting_.find(gang);
  if (starting == starting_.end() || !starting->second.missing.empty()) return {};
  return give_up(gang);
}

std::vector<std::string> StartGates::give_up(const std::string& gang) {
  const auto starting = starting_.find(gang);
  if (starting == starting_.end()) return {};
  std::vector<std::string> begun = std::move(starting->second.begun);
  for (const std::string& each : begun) starts_with_.erase(each);
  for (const std::string& each : starting->second.missing) starts_with_.erase(each);
  starting_.erase(starting);
  return begun;
}

std::vector<std::string> StartGates::leave(const std::string& uid) {
  if (const auto known = gang_of_.find(uid); known != gang_of_.end()) {
    const auto waiting = waiting_.find(known->second);
    waiting->second.erase(known->first);
    if (waiting->second.empty()) waiting_.erase(waiting);
    gang_of_.erase(known);
  }
  const auto known = starts_with_.find(uid);
  if (known == starts_with_.end()) return {};
  const std::string gang = std::move(known->second);
  starts_with_.erase(known);
  Starting& starting = starting_[gang];
  starting.missing.erase(uid);
  std::erase(starting.begun, uid);
  return news_of(gang);
}

}  // namespace muster::agent
