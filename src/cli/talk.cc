// SPDX-License-Identifier: Apache-2.0
#include "cli/talk.h"

#include <fmt/format.h>

#include <iterator>

#include "base/ascii.h"
#include "objects/json.h"

namespace muster::cli {

using objects::Value;

namespace {

constexpr std::size_t answer_bytes_max = std::size_t{512} * 1024 * 1024;

ErrorCode code_of(int status) {
  switch (status) {
    case 404:
      return ErrorCode::not_found;
    case 409:
      return ErrorCode::conflict;
    case 415:
      return ErrorCode::unsupported_media_type;
    default:
      return ErrorCode::internal;
  }
}

}  // namespace

Error server_error(const Reply& reply) {
  const auto status = objects::parse_json(reply.body, {.bytes_max = answer_bytes_max});
  std::string reason;
  std::string message;
  if (status && (*status)["kind"].string_or("") == "Status") {
    reason = (*status)["reason"].string_or("");
    message = (*status)["message"].string_or("");
  }
  if (reply.status == 404 && message.empty()) {
    reason = "NotFound";
    message = "the server could not find the requested resource";
  }
  if (message.empty()) message = fmt::format("the server answered {}", reply.status);
  if (reason == "Unauthorized") {
    return {code_of(reply.status), "error: You must be logged in to the server (Unauthorized)"};
  }
  // kubectl says what is wrong with an object without naming the server.
  if (reason == "Invalid") return {code_of(reply.status), "The " + message};
  const std::string named = reason.empty() ? "" : fmt::format(" ({})", reason);
  return {code_of(reply.status), fmt::format("Error from server{}: {}", named, message)};
}

Result<Value> value_of(const Reply& reply) {
  if (reply.status < 200 || reply.status >= 300) return server_error(reply);
  auto value = objects::parse_json(reply.body, {.bytes_max = answer_bytes_max});
  if (!value) return Error::internal("error: the server's answer is not JSON");
  return value;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '~') {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace muster::cli
