// `muster logs`: what a pod's container wrote; of a job or the like, what its first pod's wrote.
//
//   return logs(session, {.follows = true});
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/object_session.h"

namespace muster::cli {

struct LogOptions {
  std::string container = {};
  bool follows = false;
  bool is_previous = false;
  bool with_timestamps = false;
  std::optional<std::int64_t> tail_lines = {};
  std::optional<std::int64_t> limit_bytes = {};
  std::string since = {};  // a duration such as 5m
};

Result<> logs(ObjectSession& session, const LogOptions& options);

}  // namespace muster::cli
