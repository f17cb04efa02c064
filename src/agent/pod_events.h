// PodEvents: the core/v1 Events that a node tells about its pods, in kubelet's words. An event that
// cannot be written is lost: it is a message to people, nothing depends on it. What is said again
// is counted on the event that said it first; who has much to say is heard less often, as client-go
// does it: 25 events of a pod at once, then one in five minutes.
//
//   events.normal(pod, "main", "Started", "Container started");
//   events.warning(pod, "", "FailedMount", message);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "client/api.h"
#include "client/list_watch.h"
#include "objects/value.h"

namespace muster::agent {

class PodEvents {
 public:
  PodEvents(client::Api& api, client::House house)
      : api_(api), house_(house), said_(std::make_shared<Said>()) {}

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
  struct Entry {
    std::string name;  // of the event
    std::int64_t count = 1;
  };
  struct Patience {
    std::int64_t left = 0;
    MonotonicInstant since = {};
  };
  // Shared with answers that are under way.
  struct Said {
    std::map<std::string, Entry, std::less<>> entries;  // by pod, container, type, reason, message
    std::map<std::string, Patience, std::less<>> pods;  // by uid
  };

  bool is_heard(const std::string& uid);
  void count_again(const objects::Value& pod, const std::string& key, Entry& entry);
  void record(const objects::Value& pod, std::string_view container, std::string_view type,
              std::string_view reason, std::string_view message);

  client::Api& api_;
  client::House house_;
  std::shared_ptr<Said> said_;
};

}  // namespace muster::agent
