// Any bytes are read without harm, what is read is written and read again as the same, and the
// responder answers whatever has a header.
// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/names/dns_message.h"
#include "agent/names/dns_responder.h"
#include "base/check.h"

using muster::agent::answer_dns;
using muster::agent::parse_dns;
using muster::agent::write_dns;
using muster::agent::Zone;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto message = parse_dns(bytes)) {
    const std::string written = write_dns(*message);
    if (written.size() <= muster::agent::dns_message_bytes_max && !written.empty()) {
      const auto again = parse_dns(written);
      CHECK(again.has_value());
      CHECK(again->is_truncated || *again == *message);
    }
  }
  static const Zone zone;
  if (const auto answer = answer_dns(bytes, zone, muster::agent::dns_datagram_bytes)) {
    CHECK(answer->size() <= muster::agent::dns_datagram_bytes_max);
    CHECK(parse_dns(*answer).has_value());
  }
  return 0;
}
