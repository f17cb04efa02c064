// LeaderLedger: where several controllers stand by, only the one that holds the Lease writes (I14).
// It sits at the server's door: what counts is who leads when a write arrives, not when it was
// sent.
//
//   LeaderLedger leaders(violate);
//   auto api = leaders.wrap(*server.in_process(identity), "standby");
//
// Assumes: one house thread; wrapped Apis die before the ledger. Events decide nothing, so a late
// one is no harm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "client/api.h"

namespace muster::simulator {

class LeaderLedger {
 public:
  using Violate = std::function<void(std::string_view invariant, std::string message)>;

  static constexpr std::string_view lease_name = "muster-controller";

  explicit LeaderLedger(Violate violate) : violate_(std::move(violate)) {}

  std::unique_ptr<client::Api> wrap(client::Api& api, std::string identity);

 private:
  class WrappedApi;

  Violate violate_;
  std::string leader_;  // whom the server last acknowledged
};

}  // namespace muster::simulator
