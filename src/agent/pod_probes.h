// PodProbes: the probes of one pod's containers: when each is asked, what its answers add up to,
// and what a kubelet would say about them. A container has started when its startup probe has
// succeeded once (or it has none); only then are the others asked.
//
//   PodProbes probes(runtime, house, events, [this] { sync(); });
//   probes.follow(pod, state);                    // at every look
//   probes.is_ready("main"), probes.has_started("main")
//   if (auto failed = probes.take_failure("main")) …        // liveness or startup: kill it
//
//   asked ─► success/failure, counted in a row ─► threshold reached: the result holds
//     ▲ periodSeconds                                  └ liveness or startup failed: not asked
//     └──────────────────────────────────────────────────  until the container runs anew
//
// Assumes: the house thread. A runtime that pretends needs no questions: is_asked = false.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/pod_events.h"
#include "agent/pod_runtime.h"
#include "client/lifeline.h"
#include "client/list_watch.h"
#include "objects/value.h"

namespace muster::agent {

enum class ProbeKind : std::uint8_t { startup, liveness, readiness };

struct ProbeFailure {
  ProbeKind kind = ProbeKind::liveness;
  std::optional<std::int64_t> grace_seconds = {};  // the probe's own
};

// The act that a probe or a hook asks for. `port` may be a name of one of the container's.
Result<ContainerAct> act_of(objects::View handler, objects::View container,
                            std::string_view pod_address, std::int64_t process_id);

class PodProbes {
 public:
  PodProbes(PodRuntime& runtime, client::House house, PodEvents& events, Task changed)
      : runtime_(runtime), house_(house), events_(events), changed_(std::move(changed)) {}
  ~PodProbes();
  PodProbes(const PodProbes&) = delete;
  PodProbes& operator=(const PodProbes&) = delete;

  // What was ready and started before this process: its container goes on being so until it is
  // asked.
  void remember(objects::View container_status, int attempt);

  // `is_ending`: only readiness is asked any more.
  void follow(const objects::Value& pod, const PodState& state, bool is_ending);

  bool has_started(std::string_view container) const;
  bool is_ready(std::string_view container) const;
  std::optional<ProbeFailure> take_failure(std::string_view container);

 private:
  struct Probe {
    objects::Value spec = {};
    bool is_given = false;
    std::optional<bool> result = {};  // as it holds
    bool last = false;
    std::int64_t in_a_row = 0;
    bool is_on_hold = false;  // until the container runs anew
    bool is_under_way = false;
    std::optional<TimerId> timer = {};
  };
  struct Container {
    objects::Value spec = {};
    int attempt = -1;
    bool runs = false;
    std::int64_t process_id = 0;
    Instant started = {};
    std::array<Probe, 3> probes = {};
    std::optional<ProbeFailure> failure = {};
  };

  static constexpr std::size_t index_of(ProbeKind kind) { return static_cast<std::size_t>(kind); }

  void begin(const std::string& name, objects::View spec, const ContainerState& state);
  void pause(Container& container);
  void plan(const std::string& name, ProbeKind kind, Span after);
  void ask(const std::string& name, ProbeKind kind);
  void hear(const std::string& name, ProbeKind kind, const ActOutcome& outcome);
  void hold(const std::string& name, ProbeKind kind, bool success);
  bool is_wanted(const Container& container, ProbeKind kind) const;

  PodRuntime& runtime_;
  client::House house_;
  PodEvents& events_;
  Task changed_;
  objects::Value pod_;
  bool is_ending_ = false;
  std::map<std::string, Container, std::less<>> containers_;
  client::Lifeline lifeline_;
};

}  // namespace muster::agent
