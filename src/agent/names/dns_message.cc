// SPDX-License-Identifier: Apache-2.0
#include "agent/names/dns_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/ascii.h"

namespace muster::agent {

namespace {

// As many as a name has labels.
constexpr std::size_t pointers_per_name_max = 127;

Error damaged(std::string_view what) {
  return Error::bad_request(fmt::format("damaged DNS message: {}", what));
}

unsigned byte_of(char c) {
  return static_cast<unsigned char>(c);
}

// A label's bytes as text, escaped where they would be taken for something else.
void append_label(std::string_view label, std::string& out) {
  for (const char c : label) {
    const unsigned byte = byte_of(c);
    if (byte <= ' ' || byte >= 0x7f || c == '.' || c == '\\') {
      out += fmt::format("\\{:03}", byte);
    } else {
      out += c;
    }
  }
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool has(std::size_t count) const { return bytes_.size() - at_ >= count; }
  std::size_t at() const { return at_; }

  Result<std::uint16_t> number16() {
    if (!has(2)) return damaged("it ends inside of a number");
    const unsigned value = byte_of(bytes_[at_]) << 8U | byte_of(bytes_[at_ + 1]);
    at_ += 2;
    return static_cast<std::uint16_t>(value);
  }

  Result<std::uint32_t> number32() {
    const std::uint32_t high = TRY(number16());
    const std::uint32_t low = TRY(number16());
    return high << 16U | low;
  }

  Result<std::string_view> take(std::size_t count) {
    if (!has(count)) return damaged("it ends inside of a record");
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }

  // Pointers lead backwards only, so that the reading ends.
  Result<std::string> name() {
    std::string out;
    std::size_t at = at_;
    std::size_t limit = at_;  // a pointer must lead before this
    std::size_t length = 1;
    std::size_t jumps = 0;
    for (;;) {
      if (at >= bytes_.size()) return damaged("it ends inside of a name");
      const unsigned size = byte_of(bytes_[at]);
      if (size == 0) break;
      if (size >= 0xC0) {
        if (at + 1 >= bytes_.size()) return damaged("it ends inside of a pointer");
        const std::size_t to = (size & 0x3FU) << 8U | byte_of(bytes_[at + 1]);
        if (to >= limit) return damaged("a pointer does not lead backwards");
        if (jumps == 0) at_ = at + 2;
        if (++jumps > pointers_per_name_max) return damaged("a name has too many pointers");
        at = limit = to;
        continue;
      }
      if (size > dns_label_bytes_max) return damaged("a label has an unknown form");
      if (at + 1 + size > bytes_.size()) return damaged("it ends inside of a label");
      length += size + 1;
      if (length > dns_name_bytes_max) return damaged("a name is too long");
      if (!out.empty()) out += '.';
      append_label(bytes_.substr(at + 1, size), out);
      at += size + 1;
    }
    if (jumps == 0) at_ = at + 1;
    return out;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

Result<DnsQuestion> read_question(Reader& reader) {
  DnsQuestion question;
  question.name = TRY(reader.name());
  question.type = static_cast<DnsType>(TRY(reader.number16()));
  question.question_class = TRY(reader.number16());
  return question;
}

Result<> read_typed(Reader& reader, std::size_t size, DnsRecord& record) {
  std::string target;
  switch (record.type) {
    case DnsType::a: {
      if (size != 4) return damaged("an address has not four bytes");
      const std::string_view bytes = TRY(reader.take(4));
      DnsAddress address{};
      for (std::size_t i = 0; i < 4; ++i) address[i] = static_cast<std::uint8_t>(bytes[i]);
      record.data = address;
      return {};
    }
    case DnsType::ns:
    case DnsType::cname:
    case DnsType::ptr:
      target = TRY(reader.name());
      record.data = DnsTarget{std::move(target)};
      return {};
    case DnsType::srv: {
      DnsService service;
      service.priority = TRY(reader.number16());
      service.weight = TRY(reader.number16());
      service.port = TRY(reader.number16());
      service.target = TRY(reader.name());
      record.data = std::move(service);
      return {};
    }
    case DnsType::soa: {
      DnsAuthority authority;
      authority.primary = TRY(reader.name());
      authority.mailbox = TRY(reader.name());
      for (std::uint32_t* field : {&authority.serial, &authority.refresh, &authority.retry,
                                   &authority.expire, &authority.minimum}) {
        *field = TRY(reader.number32());
      }
      record.data = std::move(authority);
      return {};
    }
    case DnsType::aaaa:
    case DnsType::opt:
    case DnsType::any:
      break;
  }
  target = TRY(reader.take(size));
  record.data = DnsBytes{std::move(target)};
  return {};
}

Result<DnsRecord> read_record(Reader& reader) {
  DnsRecord record;
  record.name = TRY(reader.name());
  record.type = static_cast<DnsType>(TRY(reader.number16()));
  record.record_class = TRY(reader.number16());
  record.seconds = TRY(reader.number32());
  const std::size_t size = TRY(reader.number16());
  if (!reader.has(size)) return damaged("it ends inside of a record");
  const std::size_t end = reader.at() + size;
  TRY(read_typed(reader, size, record));
  if (reader.at() != end) return damaged("a record has another size than it says");
  return record;
}

Result<> read_records(Reader& reader, std::size_t count, std::vector<DnsRecord>& out) {
  for (std::size_t i = 0; i < count; ++i) out.push_back(TRY(read_record(reader)));
  return {};
}

class Writer {
 public:
  void number16(unsigned value) {
    out_ += static_cast<char>(value >> 8U & 0xFFU);
    out_ += static_cast<char>(value & 0xFFU);
  }
  void number32(std::uint32_t value) {
    number16(value >> 16U);
    number16(value & 0xFFFFU);
  }
  void bytes(std::string_view text) { out_ += text; }

  // Refers to an earlier place where the rest of the name stands in the same spelling: who asks
  // with letters of mixed case checks that the answer has them. Names inside of SRV records are
  // not compressed (RFC 2782).
  void name(std::string_view text, bool compresses = true) {
    while (!text.empty()) {
      const auto known = places_.find(text);
      if (compresses && known != places_.end()) {
        number16(0xC000U | static_cast<unsigned>(known->second));
        return;
      }
      if (out_.size() < 0x4000) places_.try_emplace(std::string(text), out_.size());
      text = label(text);
    }
    out_ += '\0';
  }

  void record(const DnsRecord& record) {
    name(record.name);
    number16(static_cast<unsigned>(record.type));
    number16(record.record_class);
    number32(record.seconds);
    const std::size_t size_at = out_.size();
    number16(0);
    std::visit([this](const auto& data) { payload(data); }, record.data);
    const std::size_t size = out_.size() - size_at - 2;
    if (size > 0xFFFF) is_possible_ = false;
    set16(size_at, static_cast<unsigned>(size));
  }

  void set16(std::size_t at, unsigned value) {
    out_[at] = static_cast<char>(value >> 8U & 0xFFU);
    out_[at + 1] = static_cast<char>(value & 0xFFU);
  }

  std::size_t size() const { return out_.size(); }
  bool is_possible() const { return is_possible_; }

  // Forgets what was written from there on.
  void cut(std::size_t size) {
    out_.resize(size);
    std::erase_if(places_, [size](const auto& place) { return place.second >= size; });
  }

  std::string take() && { return std::move(out_); }

 private:
  // Writes the first label and returns the rest.
  std::string_view label(std::string_view text) {
    const std::size_t size_at = out_.size();
    out_ += '\0';
    std::size_t at = 0;
    for (; at < text.size() && text[at] != '.'; ++at) {
      if (text[at] != '\\') {
        out_ += text[at];
        continue;
      }
      unsigned value = 0;
      for (int i = 0; i < 3 && at + 1 < text.size() && is_digit(text[at + 1]); ++i) {
        value = value * 10 + static_cast<unsigned>(text[++at] - '0');
      }
      out_ += static_cast<char>(value & 0xFFU);
    }
    const std::size_t size = out_.size() - size_at - 1;
    if (size == 0 || size > dns_label_bytes_max) is_possible_ = false;
    out_[size_at] = static_cast<char>(size & 0x3FU);
    return at < text.size() ? text.substr(at + 1) : std::string_view();
  }

  void payload(const DnsBytes& data) { bytes(data.bytes); }
  void payload(const DnsAddress& address) {
    for (const std::uint8_t byte : address) out_ += static_cast<char>(byte);
  }
  void payload(const DnsTarget& target) { name(target.name); }
  void payload(const DnsService& service) {
    number16(service.priority);
    number16(service.weight);
    number16(service.port);
    name(service.target, false);
  }
  void payload(const DnsAuthority& authority) {
    name(authority.primary);
    name(authority.mailbox);
    for (const std::uint32_t field : {authority.serial, authority.refresh, authority.retry,
                                      authority.expire, authority.minimum}) {
      number32(field);
    }
  }

  std::string out_;
  std::map<std::string, std::size_t, std::less<>> places_;  // of names, as they are spelled
  bool is_possible_ = true;
};

constexpr unsigned flag_answer = 0x8000;
constexpr unsigned flag_authoritative = 0x0400;
constexpr unsigned flag_truncated = 0x0200;
constexpr unsigned flag_wants_recursion = 0x0100;
constexpr unsigned flag_has_recursion = 0x0080;
constexpr std::size_t flags_at = 2;

unsigned flags_of(const DnsMessage& message) {
  unsigned flags = static_cast<unsigned>(message.operation & 0xFU) << 11U;
  if (message.is_answer) flags |= flag_answer;
  if (message.is_authoritative) flags |= flag_authoritative;
  if (message.is_truncated) flags |= flag_truncated;
  if (message.wants_recursion) flags |= flag_wants_recursion;
  if (message.has_recursion) flags |= flag_has_recursion;
  return flags | (static_cast<unsigned>(message.code) & 0xFU);
}

}  // namespace

std::string lower_dns_name(std::string_view name) {
  std::string out(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

Result<DnsMessage> parse_dns(std::string_view bytes) {
  if (bytes.size() > dns_message_bytes_max) return Error::too_large("the DNS message is too long");
  Reader reader(bytes);
  DnsMessage message;
  message.id = TRY(reader.number16());
  const unsigned flags = TRY(reader.number16());
  message.is_answer = (flags & flag_answer) != 0;
  message.operation = static_cast<std::uint8_t>(flags >> 11U & 0xFU);
  message.is_authoritative = (flags & flag_authoritative) != 0;
  message.is_truncated = (flags & flag_truncated) != 0;
  message.wants_recursion = (flags & flag_wants_recursion) != 0;
  message.has_recursion = (flags & flag_has_recursion) != 0;
  message.code = static_cast<DnsCode>(flags & 0xFU);
  std::array<std::size_t, 4> counts{};
  for (std::size_t& count : counts) count = TRY(reader.number16());
  for (std::size_t i = 0; i < counts[0]; ++i) {
    message.questions.push_back(TRY(read_question(reader)));
  }
  TRY(read_records(reader, counts[1], message.answers));
  TRY(read_records(reader, counts[2], message.authorities));
  TRY(read_records(reader, counts[3], message.additionals));
  return message;
}

std::string write_dns(const DnsMessage& message, std::size_t bytes_max) {
  Writer writer;
  writer.number16(message.id);
  writer.number16(flags_of(message));
  for (int i = 0; i < 4; ++i) writer.number16(0);
  for (const DnsQuestion& question : message.questions) {
    writer.name(question.name);
    writer.number16(static_cast<unsigned>(question.type));
    writer.number16(question.question_class);
  }
  writer.set16(4, static_cast<unsigned>(message.questions.size()));
  std::size_t count_at = 6;
  bool is_full = false;
  for (const auto* section : {&message.answers, &message.authorities, &message.additionals}) {
    unsigned count = 0;
    for (const DnsRecord& record : *section) {
      const std::size_t before = writer.size();
      // EDNS needs its record even in an answer that is cut.
      if (is_full && record.type != DnsType::opt) continue;
      writer.record(record);
      if (writer.size() > bytes_max || count == 0xFFFF) {
        writer.cut(before);
        is_full = true;
        continue;
      }
      ++count;
    }
    writer.set16(count_at, count);
    count_at += 2;
  }
  if (!writer.is_possible()) return {};
  if (is_full) writer.set16(flags_at, flags_of(message) | flag_truncated);
  return std::move(writer).take();
}

}  // namespace muster::agent
