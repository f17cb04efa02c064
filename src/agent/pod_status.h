// The status of a pod as kubelet would write it, made from what the runtime says and what the agent
// decided. Pure: the same observation gives the same status, so that a write happens only when
// something changed.
//
//   const Value next = pod_with_status(pod, observation);
//   if (!(next["status"] == pod["status"])) …                  // write it
//
// Assumes: what others put into the status (PodScheduled, a condition of a controller, qosClass)
// stays. A phase that is terminal stays too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/pod_runtime.h"
#include "base/instant.h"
#include "objects/value.h"

namespace muster::agent {

// Why containers that nothing runs are waiting.
struct Waiting {
  std::string reason = "ContainerCreating";
  std::string message = {};
};

struct PodObservation {
  std::optional<PodState> state = {};  // nothing: the runtime does not know the pod
  Waiting waiting = {};                // of containers that the runtime does not know
  // … and of single ones among them, by name.
  std::map<std::string, Waiting, std::less<>> waits = {};
  // What a container runs from, by name; absent: as its status says, or this machine's own files.
  struct Image {
    std::string name;
    std::string id;
  };
  std::map<std::string, Image, std::less<>> images = {};
  // How a container ended before its present run, and how often it was started again, by name.
  std::map<std::string, ContainerState, std::less<>> previous = {};
  std::map<std::string, int, std::less<>> restarts = {};
  // Ended containers that wait for their next run, with the sentence that says so.
  std::map<std::string, std::string, std::less<>> backing_off = {};
  // Running containers whose probes say that they have not started, or are not ready.
  std::set<std::string, std::less<>> unstarted = {};
  std::set<std::string, std::less<>> unready = {};
  // Nothing runs any more and nothing will: the end of a deletion, of a deadline, of a lost pod.
  bool is_over = false;
  std::string reason = {};  // of the pod: "DeadlineExceeded"
  std::string message = {};
  std::vector<std::string> ignored_fields = {};
  std::string node_address = {};
  std::string runtime = "muster";  // the scheme of container ids
  Instant started = {};            // when this node took the pod
  Instant now = {};
};

// Fields that nothing here acts upon; True lists them in its message.
inline constexpr std::string_view fields_ignored_condition = "muster.dev/FieldsIgnored";

objects::Value pod_with_status(const objects::Value& pod, const PodObservation& observation);

bool is_terminal(std::string_view phase);
inline bool is_terminal(objects::View pod) {
  return is_terminal(pod["status"]["phase"].string_or(""));
}

// How the run before the present one ended, read back from a container's status; nothing when there
// was none.
std::optional<ContainerState> ended_container_of(objects::View container_status);

// The words of an ended container, for an observation without a runtime.
ContainerState lost_container(std::string_view name, Instant now);

}  // namespace muster::agent
