// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/leader_ledger.h"

#include <fmt/format.h>

#include <utility>

#include "client/lifeline.h"
#include "objects/metadata.h"

namespace muster::simulator {

namespace resources = objects::resources;

using client::Verb;

class LeaderLedger::WrappedApi final : public client::Api {
 public:
  WrappedApi(LeaderLedger& ledger, client::Api& api, std::string identity)
      : ledger_(ledger), api_(api), identity_(std::move(identity)) {}

  void call(client::Call call, client::Answer answer) override {
    const bool reads = call.verb == Verb::get || call.verb == Verb::list;
    if (reads || call.resource.plural == "events") {
      return api_.call(std::move(call), std::move(answer));
    }
    if (!is_about_leading(call)) {
      if (ledger_.leader_ != identity_) complain(call);
      return api_.call(std::move(call), std::move(answer));
    }
    api_.call(
        std::move(call),
        lifeline_.guard([this, answer = std::move(answer)](Result<objects::Value> lease) mutable {
          if (lease) ledger_.leader_ = (*lease)["spec"]["holderIdentity"].string_or("");
          answer(std::move(lease));
        }));
  }

  std::unique_ptr<client::Watch> watch(client::WatchCall call, client::WatchSink sink) override {
    return api_.watch(std::move(call), std::move(sink));
  }

 private:
  static bool is_about_leading(const client::Call& call) {
    return call.resource == resources::leases && objects::name_of(call.body) == lease_name;
  }

  void complain(const client::Call& call) {
    ledger_.violate_("I14 one leader",
                     fmt::format("{} wrote {} {}/{} while {} led", identity_, call.resource.plural,
                                 call.name_space, call.name,
                                 ledger_.leader_.empty() ? "nobody" : ledger_.leader_));
  }

  LeaderLedger& ledger_;
  client::Api& api_;
  const std::string identity_;
  client::Lifeline lifeline_;
};

std::unique_ptr<client::Api> LeaderLedger::wrap(client::Api& api, std::string identity) {
  return std::make_unique<WrappedApi>(*this, api, std::move(identity));
}

}  // namespace muster::simulator
