// PlatformProcess: one life of the platform: store, API server, controllers and node agents on one
// executor, composed as main/ does it, with a network of its own for every part. Destroying it is
// kill -9; what it left behind is on the disk and on the machines.
//
//   auto process = TRY(PlatformProcess::start(surroundings, seed));
//   process->set_faults(faults);
//   process.reset();  house.drop_all();  disk.crash(policy);
//
// Assumes: made and destroyed outside of any callback.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/disk.h"
#include "base/result.h"
#include "client/api.h"
#include "core/plan/policy.h"
#include "simulator/house/acknowledged_store.h"
#include "simulator/house/api_ledger.h"
#include "simulator/house/faulty_api.h"
#include "simulator/house/leader_ledger.h"
#include "simulator/house/machine.h"
#include "simulator/house/seams.h"
#include "simulator/virtual_time.h"

namespace muster::simulator {

struct Surroundings {
  VirtualExecutor& house;
  VirtualClock& clock;
  Disk& disk;
  AckLedger& ledger;
  ApiLedger& api_ledger;
  LeaderLedger& leaders;
  const Seams& seams;
  core::Policy policy = {};
  bool keeps_record = false;                        // of the controllers' decisions
  bool keeps_notes = true;                          // Events reach the server
  bool has_standby = false;                         // two controllers, of which one leads
  std::function<void(const Error&)> on_fatal = {};  // the store stopped for good
};

class PlatformProcess {
 public:
  static Result<std::unique_ptr<PlatformProcess>> start(const Surroundings& surroundings,
                                                        std::uint64_t seed);
  ~PlatformProcess();

  store::Store& store();

  // For people: no fault but the crash itself.
  client::Api& tenant();

  void start_agent(Machine& machine);
  void stop_agent(const Machine& machine);
  bool has_agent(const Machine& machine) const;

  // "control" or "standby": its controllers die, between any two of their writes; new ones begin.
  void stop_control(const std::string& who);
  void start_control(const std::string& who);

  // Whether something that it sent has still to reach the server, and be done there.
  bool is_heard_from(const std::string& who) const;

  // Of the network, from now on.
  void set_faults(const Faults& faults);

  // Between the server and "control", "standby" or a machine.
  void cut(std::string_view who, Span span);

  // Whatever passes between the server and a machine takes up to so long, until set_faults().
  void slow(std::string_view machine, Span delay_max);

 private:
  struct Parts;
  explicit PlatformProcess(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace muster::simulator
