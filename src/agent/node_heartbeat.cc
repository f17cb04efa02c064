// SPDX-License-Identifier: Apache-2.0
#include "agent/node_heartbeat.h"

#include <string>
#include <utility>

namespace muster::agent {

namespace {

using client::Call;
using client::Verb;
using objects::Value;
namespace resources = objects::resources;

// Until the node is registered nothing runs on it.
constexpr Span registration_retry_span = Span::of_seconds(1);

}  // namespace

NodeHeartbeat::NodeHeartbeat(NodeOptions options, MachineFacts machine, client::Api& api,
                             client::House house)
    : options_(std::move(options)), machine_(std::move(machine)), api_(api), house_(house) {}

void NodeHeartbeat::beat() {
  ask({.verb = Verb::get, .resource = resources::nodes, .name = options_.name},
      &NodeHeartbeat::node_, &NodeHeartbeat::write_node);
}

void NodeHeartbeat::create_node() {
  ask({.verb = Verb::create,
       .resource = resources::nodes,
       .body = node_to_register(options_, machine_, house_.clock.wall())},
      &NodeHeartbeat::node_, &NodeHeartbeat::write_node);
}

void NodeHeartbeat::write_node() {
  Value next = registered_node(node_, options_);
  if (next.view() == node_.view()) return write_status();
  ask({.verb = Verb::update,
       .resource = resources::nodes,
       .name = options_.name,
       .body = std::move(next)},
      &NodeHeartbeat::node_, &NodeHeartbeat::write_status);
}

void NodeHeartbeat::write_status() {
  Value next = node_with_status(node_, options_, machine_, house_.clock.wall());
  if (images_ != nullptr) next = node_with_images(next, images_->list());
  if (next.view() == node_.view()) return find_lease();
  ask({.verb = Verb::update,
       .resource = resources::nodes,
       .name = options_.name,
       .subresource = "status",
       .body = std::move(next)},
      &NodeHeartbeat::node_, &NodeHeartbeat::find_lease);
}

void NodeHeartbeat::find_lease() {
  if (lease_.is_object()) return renew_lease();
  ask({.verb = Verb::get,
       .resource = resources::leases,
       .name_space = std::string(lease_namespace),
       .name = options_.name},
      &NodeHeartbeat::lease_, &NodeHeartbeat::renew_lease);
}

void NodeHeartbeat::create_lease() {
  ask({.verb = Verb::create,
       .resource = resources::leases,
       .name_space = std::string(lease_namespace),
       .body = lease_to_create(node_, house_.clock.wall())},
      &NodeHeartbeat::lease_, &NodeHeartbeat::rest);
}

void NodeHeartbeat::renew_lease() {
  ask({.verb = Verb::update,
       .resource = resources::leases,
       .name_space = std::string(lease_namespace),
       .name = options_.name,
       .body = renewed_lease(lease_, node_, house_.clock.wall())},
      &NodeHeartbeat::lease_, &NodeHeartbeat::rest);
}

void NodeHeartbeat::rest() {
  is_registered_ = true;
  house_.executor.post_at(house_.clock.monotonic() + lease_renewal_span,
                          lifeline_.guard([this] { beat(); }));
}

void NodeHeartbeat::ask(Call call, Value NodeHeartbeat::*kept, Step then) {
  const Call asked{.verb = call.verb, .resource = call.resource};
  api_.call(std::move(call), lifeline_.guard([this, asked, kept, then](Result<Value> answer) {
    if (!answer) return on_refused(asked, answer.error());
    this->*kept = std::move(*answer);
    (this->*then)();
  }));
}

void NodeHeartbeat::on_refused(const Call& call, const Error& error) {
  const bool is_lease = call.resource == resources::leases;
  if (is_lease) lease_ = {};
  if (error.code == ErrorCode::not_found && call.verb == Verb::get) {
    return is_lease ? create_lease() : create_node();
  }
  const Span pause = is_registered_ && error.code != ErrorCode::conflict ? lease_renewal_span
                                                                         : registration_retry_span;
  house_.executor.post_at(house_.clock.monotonic() + pause, lifeline_.guard([this] { beat(); }));
}

}  // namespace muster::agent
