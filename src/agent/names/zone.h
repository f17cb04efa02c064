// Zone: the names of the cluster, kept from the Services and pods that the agent sees, as the DNS
// specification of Kubernetes has them. All below the domain cluster.local:
//
//   train.team-a.svc                 A    the ready pods of a headless Service (all of them with
//                                         publishNotReadyAddresses); CNAME of an ExternalName;
//                                         the address of a Service that has one
//   rank-0.train.team-a.svc          A    one pod, by spec.hostname and spec.subdomain, from the
//                                         moment it is bound: before it is ready, before it runs
//   10-64-1-2.train.team-a.svc       A    the same by its address
//   _http._tcp.train.team-a.svc      SRV  the pods and the port, or the Service and its own
//   10-64-1-2.team-a.pod             A    a pod by its address
//   2.1.64.10.in-addr.arpa           PTR  back to the first of these names
//
//   agent.follow([&zone](const client::CacheChange& change) { zone.apply(change); });
//   const ZoneAnswer answer = zone.resolve("rank-0.train.team-a.svc.cluster.local", DnsType::a);
//
// Assumes: one thread. Names come in lower case. A pod that has ended has no name any more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "agent/names/dns_message.h"
#include "client/object_cache.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::agent {

// How long an answer may be kept.
inline constexpr std::uint32_t name_seconds = 5;

struct ZoneAnswer {
  enum class Kind : std::uint8_t {
    found,    // records, or none of that type for a name that exists
    unknown,  // no such name in the zone
    outside,  // not a name of this zone
  };
  Kind kind = Kind::unknown;
  std::vector<DnsRecord> records = {};
  std::vector<DnsRecord> additionals = {};  // the addresses of what SRV records name
};

class Zone {
 public:
  explicit Zone(std::string domain = "cluster.local") : domain_(std::move(domain)) {}

  // Of pods and services; other changes are none of its business.
  void apply(const client::CacheChange& change);

  ZoneAnswer resolve(std::string_view name, DnsType type) const;

  // What a refusal is signed with.
  DnsRecord authority() const;

  const std::string& domain() const { return domain_; }

 private:
  struct Pod {
    std::string hostname;  // empty: it has no name of its own
    std::string subdomain;
    DnsAddress address = {};
    bool is_ready = false;
    bool is_leaving = false;  // being deleted
    objects::Value object;
  };
  struct Service {
    bool is_headless = false;
    std::string external_name;
    bool publishes_unready = false;
    objects::Value object;
  };
  using HostKey = std::tuple<std::string, std::string, std::string>;  // namespace, subdomain, host
  using Labels = std::span<const std::string_view>;

  void put_pod(const objects::Value& pod);
  void drop_pod(const objects::ObjectKey& key);

  const Service* service_of(std::string_view name_space, std::string_view name) const;
  static bool selects(const Service& service, objects::View pod);
  std::vector<const Pod*> pods_of(std::string_view name_space, const Service& service) const;
  std::vector<const Pod*> pods_named(std::string_view name_space, std::string_view subdomain,
                                     std::string_view host) const;

  ZoneAnswer resolve_service(std::string_view name, DnsType type, Labels labels) const;
  ZoneAnswer resolve_port(std::string_view name, DnsType type, Labels labels) const;
  ZoneAnswer resolve_host(std::string_view name, DnsType type, Labels labels) const;
  ZoneAnswer resolve_pod(std::string_view name, DnsType type, Labels labels) const;
  ZoneAnswer resolve_address(std::string_view name, DnsType type) const;
  ZoneAnswer resolve_service_address(std::string_view name, DnsType type,
                                     const DnsAddress& address) const;
  void add_own_port(ZoneAnswer& answer, std::string_view name, const Service& service,
                    objects::View port) const;

  // `rank-0.train.team-a.svc.cluster.local`
  std::string name_of(const Pod& pod) const;

  const std::string domain_;
  std::map<objects::ObjectKey, Pod> pods_;
  std::map<HostKey, std::set<objects::ObjectKey>> by_host_;
  std::map<DnsAddress, std::set<objects::ObjectKey>> by_address_;
  std::map<objects::ObjectKey, Service> services_;
  std::map<DnsAddress, objects::ObjectKey> by_service_address_;
};

// Nothing when the text is no IPv4 address.
std::optional<DnsAddress> dns_address_of(std::string_view text);

}  // namespace muster::agent
