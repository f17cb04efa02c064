// SPDX-License-Identifier: Apache-2.0
#include "agent/names/dns_responder.h"

#include <algorithm>
#include <utility>

namespace muster::agent {

namespace {

constexpr std::uint8_t operation_query = 0;

// The bits that can be read of a message that cannot.
DnsMessage header_of(std::string_view bytes) {
  DnsMessage header;
  const auto byte = [bytes](std::size_t at) {
    return static_cast<unsigned>(static_cast<unsigned char>(bytes[at]));
  };
  header.id = static_cast<std::uint16_t>(byte(0) << 8U | byte(1));
  header.is_answer = (byte(2) & 0x80U) != 0;
  header.operation = static_cast<std::uint8_t>(byte(2) >> 3U & 0xFU);
  header.wants_recursion = (byte(2) & 1U) != 0;
  return header;
}

void fill(DnsMessage& answer, const DnsQuestion& question, const Zone& zone) {
  if (question.question_class != dns_class_internet && question.question_class != dns_class_any) {
    answer.code = DnsCode::refused;
    return;
  }
  ZoneAnswer found = zone.resolve(lower_dns_name(question.name), question.type);
  if (found.kind == ZoneAnswer::Kind::outside) {
    answer.code = DnsCode::refused;
    return;
  }
  answer.is_authoritative = true;
  if (found.kind == ZoneAnswer::Kind::unknown) answer.code = DnsCode::name_error;
  if (found.records.empty()) answer.authorities.push_back(zone.authority());
  // The name as it was asked, for clients that draw its case by lot and compare.
  for (DnsRecord& record : found.records) {
    if (record.type != DnsType::soa) record.name = question.name;
  }
  answer.answers = std::move(found.records);
  answer.additionals = std::move(found.additionals);
}

}  // namespace

std::optional<std::string> answer_dns(std::string_view bytes, const Zone& zone,
                                      std::size_t bytes_max) {
  if (bytes.size() < dns_header_bytes) return std::nullopt;
  DnsMessage answer = header_of(bytes);
  if (answer.is_answer) return std::nullopt;  // two responders must not talk to each other
  answer.is_answer = true;
  if (answer.operation != operation_query) {
    answer.code = DnsCode::not_implemented;
    return write_dns(answer);
  }
  const auto question = parse_dns(bytes);
  if (!question || question->questions.size() != 1) {
    answer.code = DnsCode::format_error;
    return write_dns(answer);
  }
  answer.questions = question->questions;
  fill(answer, question->questions.front(), zone);
  for (const DnsRecord& record : question->additionals) {
    if (record.type != DnsType::opt) continue;
    bytes_max =
        std::max(bytes_max, std::min<std::size_t>(record.record_class, dns_datagram_bytes_max));
    answer.additionals.push_back(
        {.name = "", .type = DnsType::opt, .record_class = dns_datagram_bytes_max});
    break;
  }
  return write_dns(answer, bytes_max);
}

}  // namespace muster::agent
