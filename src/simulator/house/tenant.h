// Tenant: the people who use the platform. What they ask for they ask again until they have an
// answer, across restarts: a create that is answered "already exists" was heard the first time. Of
// one object they ask one thing after the other: who takes an edit back waits for its answer.
//
//   tenant.connect(process.tenant(), house, clock);
//   tenant.ask({.verb = Verb::create, .resource = resources::jobs, …});
//   tenant.disconnect();                    // the platform died
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "client/api.h"
#include "client/lifeline.h"

namespace muster::simulator {

class Tenant {
 public:
  void connect(client::Api& api, Executor& house, const Clock& clock);
  void disconnect();

  void ask(client::Call call);

  bool is_waiting() const { return !waiting_.empty(); }

  // Answers that no try would change, one sentence each.
  const std::map<std::string, int>& refusals() const { return refusals_; }

 private:
  struct Wish {
    client::Call call;
    int attempts = 0;
  };

  void send(std::uint64_t number);
  bool has_turn(std::uint64_t number) const;
  void settle(std::map<std::uint64_t, Wish>::iterator wish);
  void on_answer(std::uint64_t number, const Result<objects::Value>& answer);

  client::Api* api_ = nullptr;
  Executor* house_ = nullptr;
  const Clock* clock_ = nullptr;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Wish> waiting_;
  std::map<std::string, int> refusals_;
  client::Lifeline lifeline_;
};

}  // namespace muster::simulator
