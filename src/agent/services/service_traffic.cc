// SPDX-License-Identifier: Apache-2.0
#include "agent/services/service_traffic.h"

#include <utility>

namespace muster::agent {

ServiceTraffic::ServiceTraffic(Executor& house, PollLoop& loop, ServiceTableOptions options,
                               Log log)
    : house_(house), loop_(loop), table_(std::move(options)), proxy_(loop, std::move(log)) {}

void ServiceTraffic::apply(const client::CacheChange& change) {
  table_.apply(change);
  if (!std::exchange(is_posted_, true)) house_.post([this] { tell(); });
}

void ServiceTraffic::tell() {
  is_posted_ = false;
  auto changes = table_.take_changes();
  if (changes.empty()) return;
  loop_.post([this, changes = std::move(changes)]() mutable {
    for (auto& [port, served] : changes) proxy_.serve(port, std::move(served));
  });
}

}  // namespace muster::agent
