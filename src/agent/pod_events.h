// PodEvents: the core/v1 Events that a node tells about its pods, in kubelet's words. An event that
// cannot be written is lost: it is a message to people, nothing depends on it.
//
//   events.normal(pod, "main", "Started", "Container started");
//   events.warning(pod, "", "FailedMount", message);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "client/api.h"
#include "client/list_watch.h"
#include "objects/value.h"

namespace muster::agent {

class PodEvents {
 public:
  PodEvents(client::Api& api, client::House house) : api_(api), house_(house) {}

  // About a container of the pod; about the pod where it is empty.
  void normal(const objects::Value& pod, std::string_view container, std::string_view reason,
              std::string_view message) {
    record(pod, container, "Normal", reason, message);
  }
  void warning(const objects::Value& pod, std::string_view container, std::string_view reason,
               std::string_view message) {
    record(pod, container, "Warning", reason, message);
  }

 private:
  void record(const objects::Value& pod, std::string_view container, std::string_view type,
              std::string_view reason, std::string_view message);

  client::Api& api_;
  client::House house_;
};

}  // namespace muster::agent
