// DnsMessage: a DNS message (RFC 1035, EDNS0 of RFC 6891) read from and written to bytes. Reading
// takes anything from anybody: damaged input is an Error, never more. Writing compresses names and
// stops at a size, whole records only, with the bit that says so.
//
//   const DnsMessage question = TRY(parse_dns(bytes));
//   const std::string bytes = write_dns(answer, 512);
//
// Names are text: labels joined by dots, no dot at the end, the root is empty. A dot, a backslash
// or an unprintable byte inside of a label stands as \DDD, so that any name survives a round trip.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace muster::agent {

// What these messages carry; any other number passes as it is.
enum class DnsType : std::uint16_t {
  a = 1,
  ns = 2,
  cname = 5,
  soa = 6,
  ptr = 12,
  aaaa = 28,
  srv = 33,
  opt = 41,
  any = 255,
};

enum class DnsCode : std::uint8_t {
  no_error = 0,
  format_error = 1,
  server_failure = 2,
  name_error = 3,  // NXDOMAIN
  not_implemented = 4,
  refused = 5,
};

inline constexpr std::uint16_t dns_class_internet = 1;
inline constexpr std::uint16_t dns_class_any = 255;

struct DnsQuestion {
  std::string name;
  DnsType type = DnsType::a;
  std::uint16_t question_class = dns_class_internet;

  friend bool operator==(const DnsQuestion&, const DnsQuestion&) = default;
};

using DnsAddress = std::array<std::uint8_t, 4>;

// The name that PTR, CNAME and NS point at.
struct DnsTarget {
  std::string name;
  friend bool operator==(const DnsTarget&, const DnsTarget&) = default;
};

struct DnsService {
  std::uint16_t priority = 0;
  std::uint16_t weight = 100;
  std::uint16_t port = 0;
  std::string target;
  friend bool operator==(const DnsService&, const DnsService&) = default;
};

struct DnsAuthority {
  std::string primary;
  std::string mailbox;
  std::uint32_t serial = 0;
  std::uint32_t refresh = 0;
  std::uint32_t retry = 0;
  std::uint32_t expire = 0;
  std::uint32_t minimum = 0;
  friend bool operator==(const DnsAuthority&, const DnsAuthority&) = default;
};

// Of every other type: as it lies in the message.
struct DnsBytes {
  std::string bytes;
  friend bool operator==(const DnsBytes&, const DnsBytes&) = default;
};

struct DnsRecord {
  std::string name;
  DnsType type = DnsType::a;
  std::uint16_t record_class = dns_class_internet;  // of OPT: the bytes its sender takes
  std::uint32_t seconds = 0;                        // to live
  std::variant<DnsBytes, DnsAddress, DnsTarget, DnsService, DnsAuthority> data = {};

  friend bool operator==(const DnsRecord&, const DnsRecord&) = default;
};

struct DnsMessage {
  std::uint16_t id = 0;
  bool is_answer = false;
  std::uint8_t operation = 0;
  bool is_authoritative = false;
  bool is_truncated = false;
  bool wants_recursion = false;
  bool has_recursion = false;
  DnsCode code = DnsCode::no_error;
  std::vector<DnsQuestion> questions = {};
  std::vector<DnsRecord> answers = {};
  std::vector<DnsRecord> authorities = {};
  std::vector<DnsRecord> additionals = {};

  friend bool operator==(const DnsMessage&, const DnsMessage&) = default;
};

// The header is twelve bytes; a shorter message has nothing that could be answered.
inline constexpr std::size_t dns_header_bytes = 12;
inline constexpr std::size_t dns_message_bytes_max = 65'535;
inline constexpr std::size_t dns_name_bytes_max = 255;
inline constexpr std::size_t dns_label_bytes_max = 63;

Result<DnsMessage> parse_dns(std::string_view bytes);

// Records that do not fit are left out, with is_truncated set. Names that no message can carry (a
// label of 64 bytes) make it an empty string: callers make names from objects that were validated.
std::string write_dns(const DnsMessage& message, std::size_t bytes_max = dns_message_bytes_max);

// In lower case: names compare without case, but an answer repeats the question as it came.
std::string lower_dns_name(std::string_view name);

}  // namespace muster::agent
