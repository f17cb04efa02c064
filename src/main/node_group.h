// NodeGroups: the nodes of this machine, as `muster up --node …` declared them: those whose pods
// are processes here, and those that only pretend. Each group is one agent with one runtime.
//
//   auto nodes = TRY(NodeGroups::make({…}));
//   nodes->start();                       // on the house thread
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/disk.h"
#include "base/log.h"
#include "base/os/poll_loop.h"
#include "base/result.h"
#include "cli/settings.h"
#include "client/api.h"
#include "client/list_watch.h"
#include "server/pod_logs.h"
#include "server/pod_streams.h"

namespace muster {

struct NodeGroupsOptions {
  std::string data;
  const cli::Settings& settings;
  client::House house;
  client::Api& api;
  PollLoop& machine;
  Disk& disk;
  Log log;
};

class NodeGroups {
 public:
  // Finds out what isolation and network this machine permits. Blocks; before the loops run.
  static Result<std::unique_ptr<NodeGroups>> make(NodeGroupsOptions options);
  ~NodeGroups();

  void start();
  bool are_ready() const;

  server::PodLogs& logs();
  server::PodStreams& streams();

  // On the house thread: nothing is heard of the nodes afterwards. Pods run on.
  void stop();

 private:
  struct Parts;
  explicit NodeGroups(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace muster
