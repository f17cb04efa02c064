// The answer to a DNS question, from the zone: a pure function of bytes. It serves the names of the
// cluster and refuses all others (REFUSED): pods of this node have no way to the world's names.
//
//   if (auto answer = answer_dns(datagram, zone, dns_datagram_bytes)) socket.send(from, *answer);
//
//   a name of the cluster          its records, authoritative, kept for five seconds
//   … without records of that type NOERROR and none (AAAA: there are only IPv4 addresses)
//   an unknown one                 NXDOMAIN, with the SOA
//   outside of the cluster         REFUSED
//   what cannot be read            FORMERR; nothing when not even the header is there
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "agent/names/zone.h"

namespace muster::agent {

// What a datagram holds for somebody who does not say more (EDNS0), and the most he may ask for.
inline constexpr std::size_t dns_datagram_bytes = 512;
inline constexpr std::size_t dns_datagram_bytes_max = 4'096;

// `bytes_max` is what the transport carries: dns_datagram_bytes, which EDNS0 may raise, or
// dns_message_bytes_max on a stream. Nothing when the bytes deserve no answer.
std::optional<std::string> answer_dns(std::string_view question, const Zone& zone,
                                      std::size_t bytes_max);

}  // namespace muster::agent
