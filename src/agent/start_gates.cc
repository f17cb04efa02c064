// SPDX-License-Identifier: Apache-2.0
#include "agent/start_gates.h"

namespace muster::agent {

std::vector<std::string> StartGates::arrive(const std::string& gang, const std::string& uid,
                                            std::int64_t members) {
  std::set<std::string>& waiting = waiting_[gang];
  waiting.insert(uid);
  gang_of_[uid] = gang;
  if (static_cast<std::int64_t>(waiting.size()) < members) return {};
  std::vector<std::string> all(waiting.begin(), waiting.end());
  for (const std::string& each : all) gang_of_.erase(each);
  waiting_.erase(gang);
  return all;
}

void StartGates::leave(std::string_view uid) {
  const auto known = gang_of_.find(uid);
  if (known == gang_of_.end()) return;
  const auto waiting = waiting_.find(known->second);
  waiting->second.erase(known->first);
  if (waiting->second.empty()) waiting_.erase(waiting);
  gang_of_.erase(known);
}

}  // namespace muster::agent
