// SPDX-License-Identifier: Apache-2.0
#include "base/os/network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <string_view>

#include "base/os/descriptor.h"
#include "base/os/files.h"
#include "base/os/folders.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

constexpr std::size_t message_bytes_max = 8192;
constexpr std::size_t label_bytes_max = 4096;  // a page of the kernel's

std::string link_folder(const std::string& name) {
  return "/sys/class/net/" + name;
}

Error network_error(std::string_view doing, std::string_view name, int number) {
  Error error = system_error(doing, name, number);
  if (number == EPERM || number == EACCES) error.code = ErrorCode::forbidden;
  if (number == ENODEV) error.code = ErrorCode::not_found;
  return error;
}

// One request with its memory.
class Message {
 public:
  Message(std::uint16_t type, int flags) : header_(mnl_nlmsg_put_header(memory_.data())) {
    header_->nlmsg_type = type;
    header_->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags);
  }

  template <class Extra>
  Extra& extra() {
    return *static_cast<Extra*>(mnl_nlmsg_put_extra_header(header_, sizeof(Extra)));
  }
  void put(std::uint16_t type, std::uint32_t value) { mnl_attr_put_u32(header_, type, value); }
  void put(std::uint16_t type, const std::string& text) {
    mnl_attr_put_strz(header_, type, text.c_str());
  }
  void put_bytes(std::uint16_t type, const void* bytes, std::size_t size) {
    mnl_attr_put(header_, type, size, bytes);
  }
  nlattr* open(std::uint16_t type) { return mnl_attr_nest_start(header_, type); }
  void close(nlattr* nest) { mnl_attr_nest_end(header_, nest); }

  nlmsghdr* header() { return header_; }

 private:
  alignas(nlmsghdr) std::array<char, message_bytes_max> memory_{};
  nlmsghdr* header_;
};

ifinfomsg up_link(int index = 0) {
  ifinfomsg link{};
  link.ifi_family = AF_UNSPEC;
  link.ifi_index = index;
  link.ifi_flags = IFF_UP;
  link.ifi_change = IFF_UP;
  return link;
}

// Locally administered, and the same for the same address.
std::array<std::uint8_t, 6> hardware_address(std::uint32_t ipv4) {
  return {0x02,
          0x4d,
          static_cast<std::uint8_t>(ipv4 >> 24U),
          static_cast<std::uint8_t>(ipv4 >> 16U),
          static_cast<std::uint8_t>(ipv4 >> 8U),
          static_cast<std::uint8_t>(ipv4)};
}

Result<> check_name(const std::string& name) {
  if (!name.empty() && name.size() <= link_name_bytes_max) return {};
  return Error::invalid(fmt::format("'{}' cannot be the name of a link", name));
}

}  // namespace

void Netlink::Close::operator()(mnl_socket* socket) const {
  mnl_socket_close(socket);
}

Result<Netlink> Netlink::open() {
  Netlink netlink(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC));
  if (netlink.socket_ == nullptr) return network_error("open netlink", "", errno);
  if (mnl_socket_bind(netlink.socket_.get(), 0, MNL_SOCKET_AUTOPID) < 0) {
    return network_error("bind netlink", "", errno);
  }
  return netlink;
}

Result<> Netlink::ask(nlmsghdr* request, std::string_view doing, const std::string& name) {
  request->nlmsg_seq = ++sequence_;
  if (mnl_socket_sendto(socket_.get(), request, request->nlmsg_len) < 0) {
    return network_error(doing, name, errno);
  }
  std::array<char, message_bytes_max> answer{};
  while (true) {
    const ssize_t got =
        retry([&] { return mnl_socket_recvfrom(socket_.get(), answer.data(), answer.size()); });
    if (got < 0) return network_error(doing, name, errno);
    const int outcome = mnl_cb_run(answer.data(), static_cast<std::size_t>(got), sequence_,
                                   mnl_socket_get_portid(socket_.get()), nullptr, nullptr);
    if (outcome < 0) return network_error(doing, name, errno);
    if (outcome == MNL_CB_STOP) return {};
  }
}

Result<> Netlink::plug_into_bridge(const std::string& outside_name, std::uint32_t bridge_index,
                                   const LinkAddress& inside) {
  TRY(check_name(outside_name));
  TRY(check_name(inside.name));
  const auto hardware = hardware_address(TRY(parse_ipv4(inside.address)));
  const Descriptor here(::open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC));
  if (!here) return system_error("open", "/proc/self/ns/net", errno);
  Message message(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
  message.extra<ifinfomsg>() = up_link();
  message.put(IFLA_IFNAME, outside_name);
  message.put(IFLA_MASTER, bridge_index);
  nlattr* kind = message.open(IFLA_LINKINFO);
  message.put(IFLA_INFO_KIND, std::string("veth"));
  nlattr* details = message.open(IFLA_INFO_DATA);
  nlattr* peer = message.open(VETH_INFO_PEER);
  message.extra<ifinfomsg>() = ifinfomsg{};  // an end cannot be up before it has its other end
  message.put(IFLA_IFNAME, inside.name);
  message.put_bytes(IFLA_ADDRESS, hardware.data(), hardware.size());
  message.put(IFLA_NET_NS_FD, static_cast<std::uint32_t>(here.number()));
  message.close(peer);
  message.close(details);
  message.close(kind);
  return ask(message.header(), "plug in", outside_name);
}

Result<> Netlink::make_bridge(const LinkAddress& bridge) {
  TRY(check_name(bridge.name));
  const auto hardware = hardware_address(TRY(parse_ipv4(bridge.address)));
  Message message(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
  message.extra<ifinfomsg>() = up_link();
  message.put(IFLA_IFNAME, bridge.name);
  message.put_bytes(IFLA_ADDRESS, hardware.data(), hardware.size());
  nlattr* kind = message.open(IFLA_LINKINFO);
  message.put(IFLA_INFO_KIND, std::string("bridge"));
  message.close(kind);
  return ask(message.header(), "make bridge", bridge.name);
}

Result<> Netlink::remove_link(const std::string& name) {
  TRY(check_name(name));
  Message message(RTM_DELLINK, 0);
  message.extra<ifinfomsg>() = ifinfomsg{};
  message.put(IFLA_IFNAME, name);
  return ask(message.header(), "remove link", name);
}

Result<> Netlink::add_address(const LinkAddress& address) {
  const std::uint32_t network_order = htonl(TRY(parse_ipv4(address.address)));
  const std::uint32_t index = TRY(link_index(address.name));
  Message message(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL);
  ifaddrmsg& details = message.extra<ifaddrmsg>();
  details.ifa_family = AF_INET;
  details.ifa_prefixlen = static_cast<std::uint8_t>(address.prefix);
  details.ifa_index = index;
  message.put_bytes(IFA_LOCAL, &network_order, sizeof network_order);
  message.put_bytes(IFA_ADDRESS, &network_order, sizeof network_order);
  return ask(message.header(), "add address to", address.name);
}

Result<> Netlink::set_up(const std::string& name) {
  const std::uint32_t index = TRY(link_index(name));
  Message message(RTM_NEWLINK, 0);
  message.extra<ifinfomsg>() = up_link(static_cast<int>(index));
  return ask(message.header(), "set up link", name);
}

Result<> Netlink::add_default_route(const std::string& gateway) {
  const std::uint32_t network_order = htonl(TRY(parse_ipv4(gateway)));
  Message message(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL);
  rtmsg& route = message.extra<rtmsg>();
  route.rtm_family = AF_INET;
  route.rtm_table = RT_TABLE_MAIN;
  route.rtm_protocol = RTPROT_BOOT;
  route.rtm_scope = RT_SCOPE_UNIVERSE;
  route.rtm_type = RTN_UNICAST;
  message.put_bytes(RTA_GATEWAY, &network_order, sizeof network_order);
  return ask(message.header(), "add default route by", gateway);
}

Result<> Netlink::own_network(const LinkAddress& network) {
  const std::uint32_t network_order = htonl(TRY(parse_ipv4(network.address)));
  const std::uint32_t index = TRY(link_index(network.name));
  Message message(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL);
  rtmsg& route = message.extra<rtmsg>();
  route.rtm_family = AF_INET;
  route.rtm_dst_len = static_cast<std::uint8_t>(network.prefix);
  route.rtm_table = RT_TABLE_LOCAL;
  route.rtm_protocol = RTPROT_BOOT;
  route.rtm_scope = RT_SCOPE_HOST;
  route.rtm_type = RTN_LOCAL;
  message.put_bytes(RTA_DST, &network_order, sizeof network_order);
  message.put(RTA_OIF, index);
  return ask(message.header(), "own the network of", network.name);
}

Result<std::uint32_t> link_index(const std::string& name) {
  const unsigned index = ::if_nametoindex(name.c_str());
  if (index == 0) return network_error("find link", name, errno);
  return index;
}

Result<> ensure_bridge(const LinkAddress& bridge) {
  Netlink netlink = TRY(Netlink::open());
  const auto is_fine = [](const Result<>& made) {
    return made.has_value() || made.error().code == ErrorCode::already_exists;
  };
  if (auto made = netlink.make_bridge(bridge); !is_fine(made)) return made;
  if (auto added = netlink.add_address(bridge); !is_fine(added)) return added;
  return netlink.set_up(bridge.name);
}

Result<std::vector<LinkAddress>> link_addresses() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) < 0) return network_error("list addresses", "", errno);
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, &::freeifaddrs);
  const auto ipv4_of = [](const sockaddr* address) {
    sockaddr_in ipv4{};
    std::copy_n(reinterpret_cast<const char*>(address), sizeof ipv4,
                reinterpret_cast<char*>(&ipv4));
    return ntohl(ipv4.sin_addr.s_addr);
  };
  std::vector<LinkAddress> found;
  for (const ifaddrs* link = first; link != nullptr; link = link->ifa_next) {
    if (link->ifa_addr == nullptr || link->ifa_addr->sa_family != AF_INET) continue;
    if (link->ifa_netmask == nullptr) continue;
    found.push_back({link->ifa_name, format_ipv4(ipv4_of(link->ifa_addr)),
                     std::popcount(ipv4_of(link->ifa_netmask))});
  }
  return found;
}

Result<> label_link(const std::string& name, std::string_view label) {
  const std::string path = link_folder(name) + "/ifalias";
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return network_error("open", path, errno);
  if (::write(file.number(), label.data(), label.size()) < 0) {
    return network_error("label", name, errno);
  }
  return {};
}

std::string link_label(const std::string& name) {
  const auto text = read_whole_file(link_folder(name) + "/ifalias", label_bytes_max);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

bool has_cables(const std::string& bridge) {
  const auto cables = names_in_folder(link_folder(bridge) + "/brif");
  return !cables || !cables->empty();  // who cannot look takes nothing away
}

Result<std::uint32_t> parse_ipv4(const std::string& text) {
  in_addr address{};
  if (::inet_pton(AF_INET, text.c_str(), &address) != 1) {
    return Error::invalid(fmt::format("'{}' is not an IPv4 address", text));
  }
  return ntohl(address.s_addr);
}

std::string format_ipv4(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24U, (address >> 16U) & 255U, (address >> 8U) & 255U,
                     address & 255U);
}

}  // namespace muster
