// SPDX-License-Identifier: Apache-2.0
#include "agent/services/service_proxy.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/limits.h"
#include "base/os/pipe.h"
#include "base/os/system_clock.h"
#include "base/os/unix_socket.h"

namespace muster::agent {

namespace {

// How long an address may be somebody else's before it is tried again.
constexpr Span listen_retry_span = Span::of_seconds(2);

// Datagrams have no end: an answer that has not come by then is for nobody.
constexpr Span flow_span_max = Span::of_seconds(60);

MonotonicInstant now() {
  return SystemClock().monotonic();
}

}  // namespace

ServiceProxy::ServiceProxy(PollLoop& loop, Log log) : loop_(loop), log_(std::move(log)) {}

ServiceProxy::~ServiceProxy() {
  close();
}

void ServiceProxy::close() {
  while (!connections_.empty()) drop(connections_.begin()->first);
  while (!listeners_.empty()) end(listeners_.begin()->first);
}

void ServiceProxy::serve(const ServicePort& port, ServedPort served) {
  if (served.backends.empty()) return end(port);
  const auto at = listeners_.find(port);
  if (at == listeners_.end() && listeners_.size() >= service_ports_max) {
    log_.warning("too many ports of Services: one is not served",
                 {{"service", served.service}, {"port", fmt::to_string(port.port)}});
    return;
  }
  Listener& listener = at == listeners_.end() ? listeners_[port] : at->second;
  listener.served = std::move(served);
  const auto& backends = listener.served.backends;
  const auto is_gone = [&](const ServiceBackend& backend) {
    return !std::binary_search(backends.begin(), backends.end(), backend);
  };
  for (auto flow = listener.flows.begin(); flow != listener.flows.end();) {
    const auto here = flow++;
    if (is_gone(here->second.backend)) drop_flow(listener, here);
  }
  std::erase_if(listener.stays, [&](const auto& stay) { return is_gone(stay.second.backend); });
  if (!listener.socket) open(port, listener);
}

void ServiceProxy::open(const ServicePort& port, Listener& listener) {
  const bool is_stream = port.protocol == ServiceProtocol::tcp;
  auto socket =
      is_stream ? listen_on(port.address, port.port) : bind_datagrams(port.address, port.port);
  if (!socket) {
    log_.warning("a Service is not served yet",
                 {{"service", listener.served.service}, {"error", socket.error().message}});
    loop_.cancel(listener.retry);
    listener.retry = loop_.post_at(now() + listen_retry_span, [this, port] {
      const auto at = listeners_.find(port);
      if (at != listeners_.end() && !at->second.socket) open(port, at->second);
    });
    return;
  }
  listener.socket = std::move(*socket);
  listener.watch = loop_.watch(listener.socket.number(), Interest::readable, [this, port] {
    if (port.protocol == ServiceProtocol::tcp) {
      on_client(port);
    } else {
      on_datagrams(port);
    }
  });
}

void ServiceProxy::end(const ServicePort& port) {
  const auto at = listeners_.find(port);
  if (at == listeners_.end()) return;
  Listener& listener = at->second;
  while (!listener.flows.empty()) drop_flow(listener, listener.flows.begin());
  loop_.cancel(listener.retry);
  loop_.unwatch(listener.watch);
  listeners_.erase(at);
}

// Whom to try, the first one first: he with whom the client stays, or whose turn it is.
std::vector<ServiceBackend> ServiceProxy::order_for(Listener& listener, std::uint32_t client) {
  const auto& backends = listener.served.backends;
  std::size_t first = listener.next++ % backends.size();
  if (listener.served.affinity > Span()) {
    if (listener.stays.size() >= service_stays_max) listener.stays.clear();
    Stay& stay = listener.stays[client];
    const auto at = std::lower_bound(backends.begin(), backends.end(), stay.backend);
    const bool stays = stay.until > now() && at != backends.end() && *at == stay.backend;
    if (stays) first = static_cast<std::size_t>(at - backends.begin());
    stay = {.backend = backends[first], .until = now() + listener.served.affinity};
  }
  std::vector<ServiceBackend> order(backends.begin() + static_cast<std::ptrdiff_t>(first),
                                    backends.end());
  order.insert(order.end(), backends.begin(),
               backends.begin() + static_cast<std::ptrdiff_t>(first));
  if (order.size() > service_tries_max) order.resize(service_tries_max);
  return order;
}

// --- streams ----------------------------------------------------------------------------------

void ServiceProxy::on_client(const ServicePort& port) {
  const auto known = listeners_.find(port);
  if (known == listeners_.end()) return;  // served no more since the socket woke us
  Listener& listener = known->second;
  while (auto socket = accept_from(listener.socket.number())) {
    if (connections_.size() >= service_connections_max) continue;  // it is closed again
    const auto peer = peer_of(*socket);
    if (!peer) continue;
    const std::uint64_t number = connection_next_++;
    Connection& connection = connections_[number];
    connection.client.socket = std::move(*socket);
    connection.untried = order_for(listener, peer->address);
    std::reverse(connection.untried.begin(), connection.untried.end());
    connection.client.watch = loop_.watch(connection.client.socket.number(), Interest::neither,
                                          [this, number] { pass(number); });
    try_next(number);
  }
}

void ServiceProxy::try_next(std::uint64_t number) {
  Connection& connection = connections_.at(number);
  while (!connection.untried.empty()) {
    const ServiceBackend backend = std::move(connection.untried.back());
    connection.untried.pop_back();
    auto socket = connect_stream(backend.address, backend.port);
    if (!socket) continue;
    End& endpoint = connection.endpoint;
    loop_.unwatch(endpoint.watch);
    endpoint.socket = std::move(*socket);
    endpoint.interest = Interest::writable;
    endpoint.watch = loop_.watch(endpoint.socket.number(), Interest::writable,
                                 [this, number] { on_endpoint(number); });
    return;
  }
  drop(number);
}

void ServiceProxy::on_endpoint(std::uint64_t number) {
  const auto at = connections_.find(number);
  if (at == connections_.end()) return;
  if (!at->second.is_connected) {
    if (connection_failure(at->second.endpoint.socket)) return try_next(number);
    at->second.is_connected = true;
  }
  pass(number);
}

// Both ways as far as they go now.
void ServiceProxy::pass(std::uint64_t number) {
  const auto at = connections_.find(number);
  if (at == connections_.end()) return;
  Connection& connection = at->second;
  // A client that has gone before anybody took him.
  if (!connection.is_connected) return drop(number);
  const bool is_well = pass_way(connection.client, connection.endpoint, connection.up) &&
                       pass_way(connection.endpoint, connection.client, connection.down);
  if (!is_well || (connection.up.is_told && connection.down.is_told)) return drop(number);
  if (!watch_for(connection.client, connection.up, connection.down) ||
      !watch_for(connection.endpoint, connection.down, connection.up)) {
    drop(number);
  }
}

bool ServiceProxy::pass_way(End& from, End& to, Way& way) {
  if (!way.has_ended && way.waiting.size() < service_window_bytes) {
    way.has_ended = !read_stream(from.socket, way.waiting).has_value();
  }
  while (!way.waiting.empty()) {
    const auto count = write_stream(to.socket, way.waiting);
    if (!count) return false;
    if (*count == 0) break;
    way.waiting.erase(0, *count);
  }
  if (way.has_ended && way.waiting.empty() && !way.is_told) {
    end_sending(to.socket);
    way.is_told = true;
  }
  return true;
}

// `in` is read from this end, `out` is written to it. An end with which we are through is left
// alone, and one that is waited for and has broken is the end of all: either would wake us for
// ever.
bool ServiceProxy::watch_for(End& end, const Way& in, const Way& out) {
  if (in.has_ended && out.is_told) {
    loop_.unwatch(std::exchange(end.watch, {}));
    return true;
  }
  const bool reads = !in.has_ended && in.waiting.size() < service_window_bytes;
  const bool writes = !out.waiting.empty();
  const Interest wanted = reads && writes ? Interest::both
                          : reads         ? Interest::readable
                          : writes        ? Interest::writable
                                          : Interest::neither;
  if (std::exchange(end.interest, wanted) != wanted) loop_.rewatch(end.watch, wanted);
  return wanted != Interest::neither || !is_broken(end.socket);
}

void ServiceProxy::drop(std::uint64_t number) {
  const auto at = connections_.find(number);
  if (at == connections_.end()) return;
  loop_.unwatch(at->second.client.watch);
  loop_.unwatch(at->second.endpoint.watch);
  connections_.erase(at);
}

// --- datagrams --------------------------------------------------------------------------------

void ServiceProxy::on_datagrams(const ServicePort& port) {
  const auto known = listeners_.find(port);
  if (known == listeners_.end()) return;  // served no more since the socket woke us
  Listener& listener = known->second;
  for (std::size_t turn = 0; turn < service_datagrams_per_turn_max; ++turn) {
    const auto datagram = receive_datagram(listener.socket);
    if (!datagram) return;
    Flow* flow = flow_for(port, listener, datagram->from);
    if (flow == nullptr) continue;
    flow->used = now();
    static_cast<void>(write_stream(flow->socket, datagram->bytes));  // it may always be lost
  }
}

ServiceProxy::Flow* ServiceProxy::flow_for(const ServicePort& port, Listener& listener,
                                           InternetPeer from) {
  const Peer peer{from.address, from.port};
  const auto at = listener.flows.find(peer);
  if (at != listener.flows.end()) return &at->second;
  forget_flows(listener, now() - flow_span_max);
  if (flows_ >= service_flows_max) return nullptr;
  const ServiceBackend backend = order_for(listener, from.address).front();
  auto socket = connect_datagrams(backend.address, backend.port);
  if (!socket) return nullptr;
  ++flows_;
  Flow& flow = listener.flows[peer];
  flow.backend = backend;
  flow.socket = std::move(*socket);
  flow.watch = loop_.watch(flow.socket.number(), Interest::readable,
                           [this, port, peer] { on_answer(port, peer); });
  return &flow;
}

void ServiceProxy::on_answer(const ServicePort& port, Peer peer) {
  const auto known = listeners_.find(port);
  if (known == listeners_.end()) return;  // served no more since the socket woke us
  Listener& listener = known->second;
  const auto at = listener.flows.find(peer);
  if (at == listener.flows.end()) return;
  // Taken even where it is an error (nobody listens there): it would wake us for ever.
  if (connection_failure(at->second.socket)) return drop_flow(listener, at);
  const auto datagram = receive_datagram(at->second.socket);
  if (!datagram) return;
  at->second.used = now();
  send_datagram(listener.socket, {.address = peer.first, .port = peer.second}, datagram->bytes);
}

void ServiceProxy::forget_flows(Listener& listener, MonotonicInstant used_before) {
  for (auto flow = listener.flows.begin(); flow != listener.flows.end();) {
    const auto here = flow++;
    if (here->second.used < used_before) drop_flow(listener, here);
  }
}

void ServiceProxy::drop_flow(Listener& listener, std::map<Peer, Flow>::iterator at) {
  loop_.unwatch(at->second.watch);
  listener.flows.erase(at);
  --flows_;
}

}  // namespace muster::agent
