// PodWorker: brings one pod from its binding to its end, level-triggered: each look compares the
// newest object with what the runtime says and does the next thing. It never starts a pod twice:
// workers are kept by uid, and what the runtime already has is adopted first.
//
//         all members bound,        files written
//         specification complete                             every container ended,
//   held ──────────────────► preparing ─────────► started ─────────────────────────► over
//    │                                               │   not to be run again          │
//    │ deleted, past its deadline                    │ deleted, past its deadline:    │
//    └──────────────────────► over                   └ stop(), and when it is quiet ──┘
//
//   over: status is written, then, if it is being deleted, DELETE with grace 0.
//
// Which container runs when is agent/container_turn.h. To end one is: the hook preStop, SIGTERM,
// the rest of its grace, SIGKILL; to end the pod is that for its main containers at once, and then
// for its sidecars, last to first.
//
// Assumes: the house thread; the desk outlives it. Its own end is on_gone().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "agent/container_turn.h"
#include "agent/gang.h"
#include "agent/images.h"
#include "agent/node_objects.h"
#include "agent/pod_events.h"
#include "agent/pod_images.h"
#include "agent/pod_probes.h"
#include "agent/pod_runtime.h"
#include "agent/pod_status.h"
#include "agent/pod_tokens.h"
#include "agent/start_plan.h"
#include "agent/volume_files.h"
#include "client/lifeline.h"
#include "client/object_cache.h"

namespace muster::agent {

// What the workers of one agent share.
struct PodDesk {
  using Nodes = std::map<std::string, NodeOptions, std::less<>>;

  client::Api& api;
  client::House house;
  PodRuntime& runtime;
  VolumeFiles& files;
  client::ObjectCache& cache;  // pods, services, config maps, secrets
  const GangIndex& gangs;
  PodEvents events;
  PodDefaults defaults;
  std::string runtime_name;
  const Nodes& nodes;        // of this agent
  Images* images = nullptr;  // null: every image is this machine's own
};

class PodWorker {
 public:
  PodWorker(PodDesk& desk, const NodeOptions& node, objects::Value pod);

  // The runtime has it from an earlier life. Before anything else.
  void adopt(PodState state);

  void on_object(objects::Value pod);
  void on_state(PodState state);

  // Something that it may be waiting for has changed.
  void look_again() { sync(); }

  // A ConfigMap or Secret of its namespace has changed.
  void on_reference(const objects::Resource& resource, std::string_view name);
  bool is_held() const { return stage_ == Stage::held; }
  objects::View pod() const { return pod_; }
  const std::optional<PodState>& state() const { return state_; }

  // The object is gone: nothing of the pod is left behind.
  void on_gone();

 private:
  enum class Stage : std::uint8_t { held, preparing, started };

  // What is remembered of a container between its runs.
  struct Memory {
    std::optional<ContainerState> previous = {};       // how its last run but this one ended
    int restarts_before = 0;                           // that the runtime does not count
    int back_off_level = 0;                            // restarts in a row
    std::int64_t back_off_seconds = 0;                 // the pause before the next one
    std::optional<int> ended_attempt = {};             // the run whose end was taken notice of
    std::optional<MonotonicInstant> restart_due = {};  // nothing: no restart is owed
    bool told_start = false;                           // events of this run
    bool told_run = false;                             // its first run was asked for
    std::string told_trouble = {};                     // reason of the last warning
    int hooked_attempt = -1;                           // the run whose postStart was begun
    bool is_hooking = false;                           // it has not come back
    int ending_attempt = -1;                           // the run that is being ended
    MonotonicInstant end_at = {};                      // the end of its grace
    bool is_saying_goodbye = false;                    // its preStop has not come back
  };

  void sync();
  bool is_stopping() const;
  bool is_over() const;
  bool is_quiet() const;

  void try_start();
  bool have_tokens();
  bool have_images();
  std::set<std::string> from_images() const;
  Surroundings surroundings() const;
  void refresh_volumes();
  void on_refreshed(std::vector<VolumeContents> written, const Result<>& answer);
  void tell_volume_trouble(const std::string& why);
  std::string folder() const;
  void refuse(StartRefusal refusal);
  void join_gang(PodSpec& spec, const std::vector<objects::Value>& members) const;
  void prepare(StartPlan plan);
  void on_written(PodSpec spec, const Result<>& written);
  void remember_from_status();

  void notice_ends();
  void run_containers();
  void run_due(const ContainerState& ended);
  void begin_hooks();
  void heed_probes();
  void run_hook(objects::View hook, const ContainerState& state, Span limit,
                UniqueFunction<void(bool)> done);
  bool has_started(const std::string& container) const;
  ContainerTurn turn() const;

  void stop(Span grace, const std::string& why);
  void stop_for_end();
  void go_on_stopping();
  void end_container(const ContainerState& state, Span grace, const std::string& message);
  void say_goodbye(const ContainerState& state, Span grace);
  void close();
  bool ends_in_order() const;
  Span own_grace() const;
  void check_deadline();
  void check_folders();
  void on_folders(const std::vector<std::uint64_t>& bytes);

  PodObservation observe() const;
  void publish();
  bool is_worth_telling(objects::View next) const;
  void on_published(Result<objects::Value> answer);
  void see(const objects::Value& answer);
  void finish_deletion();

  void tell_changes(const PodState& next);
  void tell_running(const ContainerState& state);

  void wake_at(MonotonicInstant due);
  MonotonicInstant now() const { return desk_.house.clock.monotonic(); }

  PodDesk& desk_;
  const NodeOptions& node_;
  objects::Value pod_;
  const std::string uid_;
  const Instant taken_;  // when this node first saw the pod
  const MonotonicInstant first_look_;

  Stage stage_ = Stage::held;
  std::optional<PodState> state_;
  std::map<std::string, Memory, std::less<>> memory_;
  Waiting waiting_;
  std::optional<StartRefusal> refusal_;          // told already
  bool is_lost_ = false;                         // it ran, and the runtime knows nothing of it
  bool is_expired_ = false;                      // past activeDeadlineSeconds
  std::string evicted_;                          // why this node ends it; empty: it does not
  std::optional<MonotonicInstant> folders_due_;  // when its folders are measured next
  bool has_files_ = false;                       // prepared, not started
  PodTokens tokens_;
  PodImages images_;
  std::vector<VolumeContents> volumes_;  // as they were last written
  bool is_stale_ = false;                // they may have to be written again
  bool is_refreshing_ = false;
  std::string told_volume_trouble_;
  std::string stopped_for_;                  // why stop() was last called
  std::optional<MonotonicInstant> stop_at_;  // the end of its grace
  bool is_closed_ = false;                   // the runtime knows that it will not run again
  PodProbes probes_;

  bool is_writing_ = false;
  bool is_removing_ = false;
  objects::Value sent_;       // the last status that was accepted, as it was sent
  std::string sent_version_;  // and the version that it got

  std::optional<TimerId> timer_;
  MonotonicInstant timer_due_ = {};
  client::Lifeline lifeline_;
};

}  // namespace muster::agent
