// World: a whole simulated cluster, from its disk to its tenants, that lives through one script:
// machines, one platform process that dies and comes back, the network between its parts, the
// witness and the checkers. One thread, virtual time; a script gives the same world every time.
//
//   World world(script, seams);
//   Outcome outcome = world.run();
//   if (!outcome.is_well()) print(outcome.invariant, outcome.message, outcome.script);
//
//   ┌ platform process ────────────────────────────────────────┐   ┌ machines ──────┐
//   │ tenant ─► ApiServer ─► AcknowledgedStore ─► SQLite ───────┼─► │ VirtualDisk    │
//   │              ▲ FaultyApi ◄ Controllers                    │   │ PretendRuntime │
//   │              └ FaultyApi ◄ NodeAgent × machine ───────────┼─► │   × machine    │
//   └───────────────────────────────────────────────────────────┘   └────────────────┘
//        witness: reads the store itself ─► checkers ◄─ what runtimes are told to start
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/house/checkers/checkers.h"
#include "simulator/house/machine.h"
#include "simulator/house/platform_process.h"
#include "simulator/house/script.h"
#include "simulator/house/seams.h"
#include "simulator/house/tenant.h"
#include "simulator/house/witness.h"
#include "simulator/virtual_disk.h"
#include "simulator/virtual_time.h"

namespace muster::simulator {

struct Outcome {
  std::string invariant = {};  // empty: none was violated
  std::string message = {};
  std::uint64_t step = 0;  // when it was, or all of them
  Span simulated = {};
  std::uint64_t fingerprint = 0;  // of the durable state at the end
  std::uint64_t writes = 0;
  std::uint64_t lives = 0;  // of the platform process
  std::string ends = {};    // of all jobs, after the trouble and before all is deleted
  std::uint64_t disk_operations_at_stage = 0;  // when the stage was set
  std::uint64_t disk_operations_at_end = 0;    // when all had ended

  bool is_well() const { return invariant.empty(); }

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

class World final : private Evidence {
 public:
  using Trace = std::function<void(std::string_view line)>;

  World(const Script& script, const Seams& seams);
  ~World() override;

  Outcome run();

  // Before run(): hears every durable change and every event of the script.
  void set_trace(Trace trace) { trace_ = std::move(trace); }

  // What tenants were refused, and how often.
  const std::map<std::string, int>& refusals() const { return tenant_.refusals(); }

 private:
  // Evidence.
  MonotonicInstant now() const override { return time_.now(); }
  const Objects& all(std::string_view plural) const override { return witness_.all(plural); }
  void for_each_running(const std::function<void(const Running&)>& visit) const override;
  std::optional<MonotonicInstant> up_since() const override;
  void violate(std::string_view invariant, std::string message) override;
  std::vector<Size> sizes() const override;
  std::string ends_of_jobs() const;

  std::size_t pods_kept() const override;

  void on_change(const Change& change);
  void set_the_stage();
  void run_until(MonotonicInstant end);
  MonotonicInstant rested_by() const;
  bool run_until_settled();
  void step();
  void moment();

  void perform(const Line& line);
  void crash();
  void restart();
  void make_queue_again(const Line& line);
  void delete_flavor(const Line& line);
  void delete_pod(const Line& line);
  void delete_plain_pods();
  void delete_workload(const Line& line);
  void delete_everything();
  // From outside, between two steps.
  void after(Span span, std::function<void()> task);

  // world_trouble.cc
  void make_trouble(const Line& line);
  void set_faults(const Line& line);
  void prepare_crash(const Line& line);
  void machine_dies(const Line& line);
  void machine_returns(Machine& machine);
  void shim_dies(const Line& line);
  void agent_dies(const Line& line);
  void control_dies(const Line& line);
  void control_returns(const std::string& who);
  void hold_up(Span span);
  void fill_disk(const Line& line);
  void break_disk(const Line& line);
  void compact(const Line& line);
  void calm();
  Machine* machine(std::string_view name);

  const Script& script_;
  const Seams& seams_;
  SeededRandom random_;
  VirtualTime time_;
  VirtualClock clock_;
  VirtualExecutor house_;
  VirtualExecutor outside_;
  VirtualDisk disk_;
  std::unique_ptr<Disk> disk_seam_;
  std::vector<std::unique_ptr<Machine>> machines_;
  Witness witness_;
  LeaderLedger leaders_;
  std::vector<std::unique_ptr<Checker>> checkers_;
  std::unique_ptr<Progress> progress_;
  Tenant tenant_;
  std::unique_ptr<PlatformProcess> process_;

  Trace trace_;
  MonotonicInstant began_;
  std::optional<MonotonicInstant> up_since_;
  MonotonicInstant works_again_at_ = {};  // something keeps it from deciding or writing until then
  std::vector<std::function<void()>> due_;  // what happens from outside before the next step
  Faults faults_;
  CrashPolicy crash_policy_;
  Span down_for_ = Span::of_milliseconds(100);
  int failed_starts_ = 0;  // in a row
  bool is_calm_ = false;
  bool is_fatal_ = false;
  Outcome outcome_;
};

}  // namespace muster::simulator
