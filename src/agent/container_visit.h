// A visit to a container of this machine: a command that runs beside its program, in a process of
// its own (agent/enter.h), with pipes to it.
//
//   RelayEnds ends = TRY(begin_visit({.folder = pods + "/" + uid, .container = "main", …}));
//
// Assumes: called on the machine's loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/relayed_stream.h"
#include "base/result.h"

namespace muster::agent {

struct VisitWish {
  std::string folder;  // of the pod
  std::string container;
  std::int64_t process_id = 0;  // of the container
  std::vector<std::string> command = {};
  bool has_input = false;
  bool has_terminal = false;
};

Result<RelayEnds> begin_visit(const VisitWish& wish);

}  // namespace muster::agent
