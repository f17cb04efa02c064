// SPDX-License-Identifier: Apache-2.0
#include "server/http/answer_text.h"

#include <fmt/format.h>

#include <iterator>

#include "objects/json.h"

namespace muster::server {

namespace {

// Header texts may hold parts of what a client sent: no line end may come through.
void append_field(std::string_view name, std::string_view value, std::string& out) {
  out += name;
  out += ": ";
  for (const char c : value) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    out += is_control ? ' ' : c;
  }
  out += "\r\n";
}

}  // namespace

std::string_view status_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Request Entity Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Entity";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 507:
      return "Insufficient Storage";
    default:
      return "";
  }
}

void append_head(const AnswerHead& head, const Framing& framing, std::string& out) {
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\n", head.status,
                 status_phrase(head.status));
  if (!head.content_type.empty()) append_field("Content-Type", head.content_type, out);
  bool says_cache = false;
  for (const auto& [name, value] : head.headers) {
    append_field(name, value, out);
    says_cache = says_cache || name == "Cache-Control";
  }
  if (!says_cache) out += "Cache-Control: no-cache, private\r\n";
  if (framing.is_chunked) {
    out += "Transfer-Encoding: chunked\r\n";
  } else if (framing.content_length) {
    fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", *framing.content_length);
  }
  if (!framing.keep_alive) out += "Connection: close\r\n";
  out += "\r\n";
}

void append_chunk_line(std::size_t size, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:x}\r\n", size);
}

Response refusal(const Failure& failure) {
  Response response{.status = failure.code};
  if (failure.details && failure.details->retry_after_seconds > 0) {
    response.headers.emplace_back("Retry-After",
                                  fmt::to_string(failure.details->retry_after_seconds));
  }
  response.body = Piece::copy_of(objects::to_json(status_of(failure)) + "\n");
  return response;
}

}  // namespace muster::server
