// PodLogs: where the API server gets a container's log from. Declared here, implemented by agent/,
// joined in main/.
//
//   auto stream = logs.open({.pod_uid = uid, .container = "main", .follow = true});
//
// Assumes: called on the house thread; the pod exists, the container is one of its own and the
// caller may read it: the server has checked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/instant.h"
#include "base/result.h"
#include "server/request.h"

namespace muster::server {

struct LogRequest {
  std::string pod_uid;
  std::string container;
  bool follow = false;
  bool previous = false;
  bool timestamps = false;
  std::optional<std::int64_t> tail_lines = {};
  std::optional<std::int64_t> limit_bytes = {};
  std::optional<Instant> since = {};
};

class PodLogs {
 public:
  virtual ~PodLogs() = default;

  // Plain text, line by line. Ends at the end of the log or, when followed, with the container.
  virtual Result<std::unique_ptr<Stream>> open(const LogRequest& request) = 0;
};

}  // namespace muster::server
