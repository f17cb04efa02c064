// ServiceAddresses: which addresses and node ports Services have, and which the next one gets. A
// number that was given and whose write is not durable yet is set aside, so that any number of
// writes at once never get the same.
//
//   ServiceAddresses addresses(context, "10.71.192.0/18");
//   addresses.start();                                            // the cache is loaded
//   addresses.give(admission);                                    // part of admission
//   cache.set_on_change([&](const CacheChange& change) { addresses.on_change(change); });
//
// Those whom nobody asked for come from the upper part of a range, by chance, as the peer's do, so
// that somebody who asks for one of the lower part gets it. The first and the last address of the
// network are nobody's.
//
// Assumes: the house thread. IPv4. The range is one that something routes; what lies outside of it
// is not counted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/admission.h"
#include "server/context.h"
#include "server/object_cache.h"
#include "server/outcome.h"

namespace muster::server {

// Numbers of a range that are taken, how often by what is durable and by what is under way.
class NumberPool {
 public:
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t last = 0;     // included
    std::uint32_t reserve = 0;  // how many at the beginning are given last
  };

  explicit NumberPool(Range range) : range_(range) {}

  bool has(std::uint32_t number) const { return range_.first <= number && number <= range_.last; }
  bool is_taken(std::uint32_t number) const { return taken_.contains(number); }
  void take(std::uint32_t number) { ++taken_[number]; }
  void leave(std::uint32_t number);

  // A free one; nothing when there is none.
  std::optional<std::uint32_t> choose(Random& random) const;

 private:
  Range range_;
  std::map<std::uint32_t, int> taken_;
};

// The addresses of a network as numbers; `cidr` is one that we chose ourselves. A sixteenth of them
// is given last, at least 16 and at most 256.
NumberPool::Range service_numbers(std::string_view cidr);

class ServiceAddresses {
 public:
  ServiceAddresses(Context& context, std::string cidr);
  ServiceAddresses(const ServiceAddresses&) = delete;
  ServiceAddresses& operator=(const ServiceAddresses&) = delete;

  void start();
  void on_change(const CacheChange& change);

  // What a Service of its type needs and does not have: an address, node ports. What it asks for
  // must be free: otherwise `errors` say why not.
  Outcome<> give(Admission& admission);

 private:
  struct Given;

  void count(const CachedObject* object, int sign);
  void give_address(Admission& admission, Given& given, Outcome<>& outcome);
  void give_node_ports(Admission& admission, Given& given, Outcome<>& outcome);
  void give_health_port(Admission& admission, Given& given, Outcome<>& outcome);

  Context& context_;
  const std::string cidr_;
  NumberPool addresses_;
  NumberPool node_ports_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::server
