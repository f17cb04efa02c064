// Links, addresses and routes of this machine, over netlink: a bridge, and cables (veth pairs)
// from it into network namespaces. Needs CAP_NET_ADMIN; without it every call is refused with
// forbidden, which is how a caller finds out.
//
//   TRY(ensure_bridge({.name = "muster12ab34cd", .address = "10.71.0.1", .prefix = 16}));
//   auto outside = TRY(Netlink::open());                      // in the machine's namespace
//   …unshare(CLONE_NEWNET)…
//   TRY(outside.plug_into_bridge("mu0123456789", "muster12ab34cd", {.name = "eth0", …}));
//
// Assumes: IPv4. The end of a cable goes with the namespace it is in, and takes the other along,
// so nothing is left behind when a sandbox ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct mnl_socket;
struct nlmsghdr;

namespace muster {

inline constexpr std::size_t link_name_bytes_max = 15;

struct LinkAddress {
  std::string name;     // of the link
  std::string address;  // "10.71.0.1"
  int prefix = 0;
};

class Netlink {
 public:
  // Of the network namespace that this process is in now; it stays with it.
  static Result<Netlink> open();

  // A cable from a bridge of the socket's namespace into the namespace that this process is in
  // now, where its end gets the name and a hardware address that follows from the IPv4 address:
  // whoever had the address before, neighbours remember the right one.
  Result<> plug_into_bridge(const std::string& outside_name, std::uint32_t bridge_index,
                            const LinkAddress& inside);

  Result<> make_bridge(const LinkAddress& bridge);
  Result<> remove_link(const std::string& name);  // not_found when absent

  // already_exists when it has the address.
  Result<> add_address(const LinkAddress& address);
  Result<> set_up(const std::string& name);
  Result<> add_default_route(const std::string& gateway);

  // Every address of the network is this machine's own, as if the link had it: sockets may be bound
  // to any of them, and neighbours on the link are answered. already_exists when it is so.
  Result<> own_network(const LinkAddress& network);

 private:
  struct Close {
    void operator()(mnl_socket* socket) const;
  };
  explicit Netlink(mnl_socket* socket) : socket_(socket) {}
  Result<> ask(nlmsghdr* request, std::string_view doing, const std::string& name);

  std::unique_ptr<mnl_socket, Close> socket_;
  std::uint32_t sequence_ = 0;
};

// The index of a link of the current namespace.
Result<std::uint32_t> link_index(const std::string& name);

// Makes what is missing of the bridge, its address included.
Result<> ensure_bridge(const LinkAddress& bridge);

// The IPv4 addresses of the links of the current namespace.
Result<std::vector<LinkAddress>> link_addresses();

// What stands on a link for people and programs that find it (its alias); empty: nothing.
Result<> label_link(const std::string& name, std::string_view label);
std::string link_label(const std::string& name);

// Whether a cable is plugged into the bridge.
bool has_cables(const std::string& bridge);

Result<std::uint32_t> parse_ipv4(const std::string& text);
std::string format_ipv4(std::uint32_t address);

}  // namespace muster
