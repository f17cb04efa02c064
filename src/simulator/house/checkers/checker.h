// Checker: holds one invariant. It hears every durable change of an object in the order of the
// store's revisions, every pod that a runtime is told to start, and about every simulated second a
// moment to look around; and after the trouble, when everything should have come right (on_quiet)
// and when everything was deleted (on_empty).
//
//   class States final : public Checker { … void on_change(const Change& change) override; };
//
// Assumes: what it is told is the truth (the witness reads the store itself, no fault in between).
// It must be cheap: a seed has some twenty thousand changes and half a second.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/pod_runtime.h"
#include "base/instant.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::simulator {

struct Change {
  std::string_view plural;  // "pods"
  const objects::ObjectKey& key;
  const objects::Value& before;  // absent: it is new
  const objects::Value& after;   // absent: it is gone

  const objects::Value& object() const { return after.is_absent() ? before : after; }
};

// What a checker may look at.
class Evidence {
 public:
  using Objects = std::map<objects::ObjectKey, objects::Value>;
  virtual ~Evidence() = default;

  virtual MonotonicInstant now() const = 0;

  // The durable objects of a kind that is followed.
  virtual const Objects& all(std::string_view plural) const = 0;

  // What is at work on the machines: the node, the pod as it was started, its newest state. What
  // has ended is not.
  struct Running {
    const std::string& node;
    const objects::Value& pod;
    const agent::PodState& state;
    std::uint64_t runs = 0;
  };
  virtual void for_each_running(const std::function<void(const Running&)>& visit) const = 0;

  // What the runtimes keep, also of what has ended.
  virtual std::size_t pods_kept() const = 0;

  // What can grow, and how far it may.
  struct Size {
    std::string_view what;
    std::uint64_t size = 0;
    std::uint64_t most = 0;
  };
  virtual std::vector<Size> sizes() const = 0;

  // Since when the platform has been up without a break; nothing while it is down.
  virtual std::optional<MonotonicInstant> up_since() const = 0;

  // Writes down the first violation; later ones are consequences.
  virtual void violate(std::string_view invariant, std::string message) = 0;

  const objects::Value& find(std::string_view plural, const objects::ObjectKey& key) const {
    static const objects::Value nothing;
    const auto& objects = all(plural);
    const auto found = objects.find(key);
    return found == objects.end() ? nothing : found->second;
  }
};

class Checker {
 public:
  explicit Checker(Evidence& evidence) : evidence_(evidence) {}
  virtual ~Checker() = default;

  virtual void on_change(const Change& /*change*/) {}
  virtual void on_start(const agent::PodSpec& /*pod*/) {}
  virtual void on_moment() {}
  virtual void on_quiet() {}
  virtual void on_empty() {}

 protected:
  Evidence& evidence_;
};

}  // namespace muster::simulator
