// IPv4 sockets for a small server of this machine: datagrams and streams, non-blocking and closed
// on exec.
//
//   const Descriptor socket = TRY(bind_datagrams("127.0.0.53", 53));
//   while (auto datagram = receive_datagram(socket)) send_datagram(socket, datagram->from, answer);
//
// Assumes: send_datagram and receive_datagram may be called from different threads at once, as the
// kernel allows it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/os/descriptor.h"
#include "base/result.h"

namespace muster {

// Both in the order of the network.
struct InternetPeer {
  std::uint32_t address = 0;
  std::uint16_t port = 0;
};

struct Datagram {
  InternetPeer from;
  std::string bytes;
};

// Port 0: any that is free.
Result<Descriptor> bind_datagrams(const std::string& address, std::uint16_t port);
Result<Descriptor> listen_on(const std::string& address, std::uint16_t port);
Result<std::uint16_t> port_of(const Descriptor& socket);

// Nothing when there is none now. Longer ones than a datagram of IPv4 do not exist.
std::optional<Datagram> receive_datagram(const Descriptor& socket);

// False when the kernel had no room for it: a datagram may always be lost.
bool send_datagram(const Descriptor& socket, InternetPeer to, std::string_view bytes);

// A client's end: all it sends goes to the address and it hears nobody else.
Result<Descriptor> connect_datagrams(const std::string& address, std::uint16_t port);
Result<Descriptor> connect_stream(const std::string& address, std::uint16_t port);

// Once it is writable: why a stream could not be connected, in the words of Go's errors
// ("connection refused"); nothing when it is.
std::optional<std::string> connection_failure(const Descriptor& socket);

// Who is at the other end of a stream.
Result<InternetPeer> peer_of(const Descriptor& socket);

// Neither way works any more: both ends have said all, or one is gone.
bool is_broken(const Descriptor& socket);

// How much was taken or given now, also none; an error when the connection is over.
Result<std::size_t> read_stream(const Descriptor& socket, std::string& into);
Result<std::size_t> write_stream(const Descriptor& socket, std::string_view bytes);

}  // namespace muster
