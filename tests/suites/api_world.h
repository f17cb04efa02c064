// ApiWorld: a client::Api with the house it is called on, for tests that do not care whether time
// and threads are real (tests/suites/api_suite.h).
//
//   world.on_house([&] { world.api().call(…, [&](Result<Value> result) { answer = result; }); });
//   world.run_until([&] { return answer.has_value(); });
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/unique_function.h"
#include "client/api.h"

namespace muster::suites {

class ApiWorld {
 public:
  virtual ~ApiWorld() = default;

  virtual client::Api& api() = 0;

  // Runs it on the house thread and returns when it has run.
  virtual void on_house(UniqueFunction<void()> body) = 0;

  // Lets the house run until the condition, asked on its thread, holds. False when it does not
  // within a generous time.
  virtual bool run_until(UniqueFunction<bool()> condition) = 0;

  // Forgets history up to now. False where the suite cannot make it so.
  virtual bool compact() = 0;

  // A namespace that exists and is empty.
  virtual std::string name_space() = 0;
};

using ApiWorldFactory = std::unique_ptr<ApiWorld> (*)();

}  // namespace muster::suites
