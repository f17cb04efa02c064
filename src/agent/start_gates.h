// StartGates: who of a gang is ready to start and waits for the others, so that all of it starts in
// the same moment.
//
//   for (const std::string& uid : gates.arrive("team-a/train", uid, 64)) go(uid);   // the last
//   opens gates.leave(uid);                                                              // it is
//   gone
//
// Whoever waits has a patience of its own: a member that never comes holds nobody for ever.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

class StartGates {
 public:
  // Those who may go now: nobody while some are missing, all of them with the last.
  std::vector<std::string> arrive(const std::string& gang, const std::string& uid,
                                  std::int64_t members);

  // It waits no longer.
  void leave(std::string_view uid);

 private:
  std::map<std::string, std::set<std::string>, std::less<>> waiting_;  // by gang
  std::map<std::string, std::string, std::less<>> gang_of_;            // by uid
};

}  // namespace muster::agent
