// The program of a visit to a container (`muster enter FOLDER CONTAINER PROCESS plain|terminal
// COMMAND…`): it joins the container's namespaces and limits, runs the command there and tells how
// that ended. One process for each `kubectl exec`; it ends with the platform.
//
//   return muster::agent::enter_main(arguments);
//
// Assumes: started by NodeStreams (agent/node_streams.h). Standard descriptors are the
// visitor's; descriptor 3 takes one line at the end: "exit 3" or "failed exec nope: …"; descriptor
// 4 brings sizes of the terminal, and its end ends the visit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace muster::agent {

inline constexpr int enter_status_descriptor = 3;
inline constexpr int enter_control_descriptor = 4;

int enter_main(std::span<const char* const> arguments);

// What the line says. Anything that is no such line is a failure.
struct VisitOutcome {
  int exit_code = 0;
  std::string failure = {};  // empty: it ran
};
VisitOutcome parse_visit_line(std::string_view line);

}  // namespace muster::agent
