// ServiceTable: where connections to the addresses of Services go, kept from Services and
// EndpointSlices: for each address and port the endpoints that take it. And where those to the
// host ports of pods go, kept from pods.
//
//   agent.follow([&](const client::CacheChange& change) { table.apply(change); });
//   for (auto& [port, served] : table.take_changes()) proxy.serve(port, std::move(served));
//
//   ready endpoints          take connections, in turn
//   none is ready            those that are going and still serve do
//   none at all              nobody listens: the kernel refuses the connection
//
// Assumes: one thread. An endpoint outside of the network of pods gets nothing: whoever may write
// an EndpointSlice would reach what this machine reaches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "client/object_cache.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::agent {

enum class ServiceProtocol : std::uint8_t { tcp, udp };

// Where somebody listens.
struct ServicePort {
  std::string address;
  std::uint16_t port = 0;
  ServiceProtocol protocol = ServiceProtocol::tcp;

  friend auto operator<=>(const ServicePort&, const ServicePort&) = default;
};

struct ServiceBackend {
  std::string address;
  std::uint16_t port = 0;

  friend auto operator<=>(const ServiceBackend&, const ServiceBackend&) = default;
};

struct ServedPort {
  std::string service = {};                   // `team-a/web`, for people
  std::vector<ServiceBackend> backends = {};  // in order; none: nobody listens
  Span affinity = {};                         // how long a client stays with its endpoint; 0: not

  friend bool operator==(const ServedPort&, const ServedPort&) = default;
};

struct ServiceTableOptions {
  std::string network;       // of pods, "10.71.0.0/16": endpoints are inside of it
  std::string services;      // "10.71.192.0/18": addresses that are ours to listen on
  std::string node_address;  // where node ports are
};

class ServiceTable {
 public:
  explicit ServiceTable(ServiceTableOptions options);

  // Of Services, EndpointSlices and pods; other changes are none of its business.
  void apply(const client::CacheChange& change);

  // What is another since the last time. Without backends: it ends.
  std::map<ServicePort, ServedPort> take_changes();

 private:
  using Ports = std::map<ServicePort, ServedPort>;

  void put_pod(const client::CacheChange& change);
  static void compare(Ports& before, Ports now, Ports& changes, Ports& ended);
  void put_slice(const objects::Value& before, const objects::Value& after);
  Ports ports_of(const objects::ObjectKey& key) const;
  std::vector<ServiceBackend> backends_of(const objects::ObjectKey& key, objects::View port) const;

  const ServiceTableOptions options_;
  std::map<objects::ObjectKey, objects::Value> services_;
  std::map<objects::ObjectKey, std::map<std::string, objects::Value>> slices_;  // by service, name
  std::map<objects::ObjectKey, Ports> told_;
  std::set<objects::ObjectKey> changed_;
  std::map<objects::ObjectKey, Ports> host_ports_;  // of pods
  std::map<objects::ObjectKey, Ports> told_host_ports_;
  std::set<objects::ObjectKey> changed_pods_;
};

// Whether `address` is one of `cidr`; not where either cannot be read.
bool is_in_network(std::string_view address, std::string_view cidr);

}  // namespace muster::agent
