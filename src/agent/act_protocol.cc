// SPDX-License-Identifier: Apache-2.0
#include "agent/act_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "agent/limits.h"
#include "base/duration.h"

namespace muster::agent {

namespace {

using Kind = ContainerAct::Kind;
using Verdict = ActOutcome::Verdict;

constexpr std::string_view user_agent = "kube-probe/1.35";

bool equal_names(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  });
}

std::string url_of(const ContainerAct& act) {
  return fmt::format("{}://{}{}", act.is_encrypted ? "https" : "http", authority_of(act), act.path);
}

// ---- HTTP --------------------------------------------------------------------------------------

std::string http_request(const ContainerAct& act) {
  std::string host = authority_of(act);
  std::string agent(user_agent);
  std::string accept = "*/*";
  std::string others;
  for (const auto& [name, value] : act.headers) {
    if (equal_names(name, "Host")) {
      host = value;
    } else if (equal_names(name, "User-Agent")) {
      agent = value;
    } else if (equal_names(name, "Accept")) {
      accept = value;
    } else {
      others += fmt::format("{}: {}\r\n", name, value);
    }
  }
  std::string text = fmt::format("GET {} HTTP/1.1\r\nHost: {}\r\n", act.path, host);
  if (!agent.empty()) text += fmt::format("User-Agent: {}\r\n", agent);
  if (!accept.empty()) text += fmt::format("Accept: {}\r\n", accept);
  return text + others + "Connection: close\r\n\r\n";
}

std::string header_of(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !equal_names(line.substr(0, colon), name)) continue;
    std::string_view value = line.substr(colon + 1);
    while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    return std::string(value);
  }
  return {};
}

// ---- gRPC: one unary call over HTTP/2, its header fields as literals ---------------------------

constexpr std::size_t frame_head_bytes = 9;
enum Frame : unsigned char { data = 0, headers = 1, settings = 4, ping = 6, go_away = 7 };

void put_frame(std::string& out, unsigned char type, unsigned char flags, unsigned char stream,
               std::string_view payload) {
  const auto byte = [](std::size_t value) { return static_cast<char>(value & 0xff); };
  out += byte(payload.size() >> 16);
  out += byte(payload.size() >> 8);
  out += byte(payload.size());
  out += static_cast<char>(type);
  out += static_cast<char>(flags);
  out += std::string(3, '\0');
  out += static_cast<char>(stream);
  out += payload;
}

void put_literal(std::string& out, std::string_view name, std::string_view value) {
  constexpr std::size_t length_max = 126;  // longer lengths have more bytes
  out += '\0';
  out += static_cast<char>(std::min(name.size(), length_max));
  out += name.substr(0, length_max);
  out += static_cast<char>(std::min(value.size(), length_max));
  out += value.substr(0, length_max);
}

std::string grpc_request(const ContainerAct& act) {
  std::string fields;
  put_literal(fields, ":method", "POST");
  put_literal(fields, ":scheme", "http");
  put_literal(fields, ":path", "/grpc.health.v1.Health/Check");
  put_literal(fields, ":authority", authority_of(act));
  put_literal(fields, "content-type", "application/grpc");
  put_literal(fields, "user-agent", user_agent);
  put_literal(fields, "te", "trailers");
  std::string message;
  if (!act.service.empty()) {
    constexpr char service_field = 0x0a;
    constexpr std::size_t service_bytes_max = 127;
    const std::string_view service = std::string_view(act.service).substr(0, service_bytes_max);
    message += service_field;
    message += static_cast<char>(service.size());
    message += service;
  }
  std::string body(4, '\0');  // not compressed, then its length in four bytes
  body += static_cast<char>(message.size());
  body += message;
  std::string out = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
  constexpr unsigned char end_headers = 4;
  constexpr unsigned char end_stream = 1;
  put_frame(out, Frame::settings, 0, 0, "");
  put_frame(out, Frame::headers, end_headers, 1, fields);
  put_frame(out, Frame::data, end_stream, 1, body);
  return out;
}

constexpr std::array<std::string_view, 4> serving_words = {"UNKNOWN", "SERVING", "NOT_SERVING",
                                                           "SERVICE_UNKNOWN"};
constexpr std::size_t serving = 1;

// Of a HealthCheckResponse behind its five bytes: field 1 is the status, absent for zero.
std::size_t health_of(std::string_view body) {
  constexpr std::size_t message_head_bytes = 5;
  constexpr char status_field = 0x08;
  if (body.size() < message_head_bytes + 2 || body[message_head_bytes] != status_field) return 0;
  return std::min<std::size_t>(static_cast<unsigned char>(body[message_head_bytes + 1]), 3);
}

}  // namespace

std::string authority_of(const ContainerAct& act) {
  return fmt::format("{}:{}", act.host, act.port);
}

std::string act_prefix(const ContainerAct& act) {
  return act.kind == Kind::http ? fmt::format("Get \"{}\": ", url_of(act)) : std::string();
}

ActOutcome act_refused(const ContainerAct& act, std::string_view why) {
  if (act.kind == Kind::grpc) {
    return {Verdict::failure,
            fmt::format("timeout: failed to connect service \"{}\" within {}: context deadline "
                        "exceeded",
                        authority_of(act), format_duration(act.timeout))};
  }
  return {Verdict::failure,
          fmt::format("{}dial tcp {}: connect: {}", act_prefix(act), authority_of(act), why)};
}

ActOutcome act_timed_out(const ContainerAct& act, bool was_connected) {
  switch (act.kind) {
    case Kind::http:
      return {Verdict::failure, act_prefix(act) +
                                    "context deadline exceeded (Client.Timeout exceeded while "
                                    "awaiting headers)"};
    case Kind::grpc:
      if (!was_connected) return act_refused(act, "");
      return {Verdict::failure, fmt::format("timeout: health rpc did not complete within {}",
                                            format_duration(act.timeout))};
    case Kind::tcp:
      return {Verdict::failure, fmt::format("dial tcp {}: i/o timeout", authority_of(act))};
    case Kind::exec:
      break;
  }
  return {Verdict::failure, fmt::format("command timed out: \"{}\" timed out after {}",
                                        fmt::join(act.command, " "), format_duration(act.timeout))};
}

std::string ActConversation::request() const {
  if (act_.kind == Kind::http) return http_request(act_);
  return act_.kind == Kind::grpc ? grpc_request(act_) : std::string();
}

std::optional<ActOutcome> ActConversation::take(std::string_view bytes) {
  bytes_ += bytes;
  auto outcome = act_.kind == Kind::http ? take_http() : take_grpc();
  if (!outcome && bytes_.size() > 4 * act_output_bytes_max) {
    outcome = {Verdict::failure, act_prefix(act_) + "the answer has no end"};
  }
  return outcome;
}

ActOutcome ActConversation::on_closed() const {
  if (act_.kind == Kind::http) return {Verdict::failure, act_prefix(act_) + "EOF"};
  return {Verdict::failure,
          "error: health rpc probe failed: rpc error: code = Unavailable desc = connection closed"};
}

std::optional<ActOutcome> ActConversation::take_http() {
  const std::size_t end = bytes_.find("\r\n\r\n");
  if (end == std::string::npos) return std::nullopt;
  const std::string_view head = std::string_view(bytes_).substr(0, end);
  // "HTTP/1.1 200 OK"
  const std::size_t space = head.find(' ');
  int status = 0;
  if (head.starts_with("HTTP/") && space != std::string_view::npos) {
    for (const char digit : head.substr(space + 1, 3)) {
      if (digit < '0' || digit > '9')
        return ActOutcome{Verdict::failure, act_prefix(act_) + "malformed HTTP status code"};
      status = status * 10 + (digit - '0');
    }
  } else {
    return ActOutcome{Verdict::failure, act_prefix(act_) + "malformed HTTP response"};
  }
  if (status == 100) {
    bytes_.erase(0, end + 4);
    return take_http();
  }
  return judge_status(status, head);
}

std::optional<ActOutcome> ActConversation::judge_status(int status, std::string_view head) {
  constexpr int first_well = 200;
  constexpr int first_redirect = 300;
  constexpr int first_bad = 400;
  if (status < first_well || status >= first_bad) {
    return ActOutcome{Verdict::failure,
                      fmt::format("HTTP probe failed with statuscode: {}", status)};
  }
  if (status < first_redirect) return ActOutcome{};
  std::string to = header_of(head, "Location");
  const std::string own =
      fmt::format("{}://{}", act_.is_encrypted ? "https" : "http", authority_of(act_));
  if (to.starts_with(own)) to.erase(0, own.size());
  if (to.empty() || to.front() != '/' || to.starts_with("//")) {
    return ActOutcome{Verdict::warning, "Probe terminated redirects, Response body: "};
  }
  redirected_ = act_;
  redirected_->path = to;
  return ActOutcome{Verdict::warning, "Probe terminated redirects, Response body: "};
}

// Headers without data before them end a call that failed; what they say is compressed, and its
// number is not needed to know that.
std::optional<ActOutcome> ActConversation::take_grpc() {
  const auto byte = [this](std::size_t at) { return static_cast<unsigned char>(bytes_[at]); };
  while (bytes_.size() >= frame_head_bytes) {
    const std::size_t length = (std::size_t{byte(0)} << 16) | (std::size_t{byte(1)} << 8) | byte(2);
    const unsigned char type = byte(3);
    const unsigned char flags = byte(4);
    if (bytes_.size() < frame_head_bytes + length) return std::nullopt;
    const std::string body = bytes_.substr(frame_head_bytes, length);
    bytes_.erase(0, frame_head_bytes + length);
    constexpr unsigned char end_stream = 1;
    if (type == Frame::data && !body.empty()) {
      const std::size_t health = health_of(body);
      if (health == serving) return ActOutcome{Verdict::success, "service healthy"};
      return ActOutcome{Verdict::failure, fmt::format("service unhealthy (responded with \"{}\")",
                                                      serving_words[health])};
    }
    if (type == Frame::headers && (flags & end_stream) != 0) {
      return ActOutcome{Verdict::failure,
                        "error: health rpc probe failed: the server answered without a message"};
    }
    if (type == Frame::go_away) return on_closed();
  }
  return std::nullopt;
}

}  // namespace muster::agent
