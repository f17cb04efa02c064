// StartGates: who of a gang is ready to start and waits for the others, so that all of it starts in
// the same moment; and who of it has started, so that the news of it does not take the processor
// from those who are still about to.
//
//   for (const std::string& uid : gates.arrive("team-a/train", uid, 64)) go(uid);  // with the last
//   for (const std::string& uid : gates.started(uid)) tell(uid);                   // with the last
//   for (const std::string& uid : gates.leave(uid)) tell(uid);                     // it is gone
//   for (const std::string& uid : gates.give_up("team-a/train")) tell(uid);        // long enough
//
// Whoever waits to start has a patience of its own: a member that never comes holds nobody for
// ever. Whoever has let them go gives up on the news after a while.
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

  // Of whose start to tell now: nobody while others that were let go with it are about to start,
  // all of them with the last. Of one that nobody let go, at once.
  std::vector<std::string> started(const std::string& uid);

  // It waits no longer, and nobody for it. Of whose start to tell now.
  std::vector<std::string> leave(const std::string& uid);

  // Nobody waits for news of this gang any longer. Of whose start to tell now.
  std::vector<std::string> give_up(const std::string& gang);

 private:
  struct Starting {
    std::set<std::string> missing;   // let go, and not started yet
    std::vector<std::string> begun;  // and not told of yet
  };

  std::vector<std::string> news_of(const std::string& gang);

  std::map<std::string, std::set<std::string>, std::less<>> waiting_;  // by gang
  std::map<std::string, std::string, std::less<>> gang_of_;            // by uid
  std::map<std::string, Starting, std::less<>> starting_;              // by gang
  std::map<std::string, std::string, std::less<>> starts_with_;        // their gang, by uid
};

}  // namespace muster::agent
