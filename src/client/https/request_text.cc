// SPDX-License-Identifier: Apache-2.0
#include "client/https/request_text.h"

#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "base/ascii.h"
#include "base/go_quote.h"
#include "objects/json.h"

namespace muster::client {

using objects::Value;
using objects::View;

namespace {

void append_escaped(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '~') {
      out += c;
    } else {
      fmt::format_to(std::back_inserter(out), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
}

Result<> append_segment(std::string_view name, std::string& path) {
  if (name == "." || name == "..") {
    return Error::bad_request(
        fmt::format("invalid resource name {}: [may not be '{}']", go_quote(name), name));
  }
  for (const char banned : {'/', '%'}) {
    if (name.find(banned) != std::string_view::npos) {
      return Error::bad_request(
          fmt::format("invalid resource name {}: [may not contain '{}']", go_quote(name), banned));
    }
  }
  path += '/';
  append_escaped(name, path);
  return {};
}

Result<std::string> collection_path(const objects::Resource& resource,
                                    std::string_view name_space) {
  std::string path = resource.group.empty()
                         ? fmt::format("/api/{}", resource.version)
                         : fmt::format("/apis/{}/{}", resource.group, resource.version);
  if (resource.is_namespaced() && !name_space.empty()) {
    path += "/namespaces";
    TRY(append_segment(name_space, path));
  }
  TRY(append_segment(resource.plural, path));
  return path;
}

void append_query(std::string_view key, std::string_view value, std::string& target) {
  if (value.empty()) return;
  target += target.find('?') == std::string::npos ? '?' : '&';
  target += key;
  target += '=';
  append_escaped(value, target);
}

std::string_view policy_name(Propagation propagation) {
  switch (propagation) {
    case Propagation::background:
      return "Background";
    case Propagation::foreground:
      return "Foreground";
    case Propagation::orphan:
      return "Orphan";
  }
  return "Background";
}

std::string delete_options(const Call& call) {
  std::string text =
      fmt::format(R"({{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"{}")",
                  policy_name(call.propagation));
  if (call.grace_period_seconds) {
    text += fmt::format(R"(,"gracePeriodSeconds":{})", *call.grace_period_seconds);
  }
  const Preconditions& conditions = call.preconditions;
  if (!conditions.uid.empty() || !conditions.resource_version.empty()) {
    text += R"(,"preconditions":{)";
    if (!conditions.uid.empty()) {
      text += R"("uid":)" + objects::to_json(Value::string(conditions.uid));
    }
    if (!conditions.resource_version.empty()) {
      if (!conditions.uid.empty()) text += ',';
      text +=
          R"("resourceVersion":)" + objects::to_json(Value::string(conditions.resource_version));
    }
    text += '}';
  }
  return text + '}';
}

Result<HttpRequest> collection_request(const Call& call, std::string path) {
  if (call.verb == Verb::list) {
    append_query("labelSelector", call.label_selector, path);
    append_query("fieldSelector", call.field_selector, path);
    return HttpRequest{.method = "GET", .target = std::move(path)};
  }
  if (!call.subresource.empty()) {
    if (call.name.empty()) return Error::bad_request("resource name may not be empty");
    TRY(append_segment(call.name, path));
    TRY(append_segment(call.subresource, path));
  }
  return HttpRequest{.method = "POST",
                     .target = std::move(path),
                     .content_type = "application/json",
                     .body = objects::to_json(call.body)};
}

struct ReasonCode {
  std::string_view reason;
  ErrorCode code;
};

// Reasons that have no code of their own here.
constexpr std::array other_reasons = {
    ReasonCode{"Gone", ErrorCode::expired},
    ReasonCode{"MethodNotAllowed", ErrorCode::bad_request},
    ReasonCode{"NotAcceptable", ErrorCode::unsupported_media_type},
    ReasonCode{"ServerTimeout", ErrorCode::timeout},
};

constexpr std::array all_codes = {
    ErrorCode::bad_request, ErrorCode::unauthorized,      ErrorCode::forbidden,
    ErrorCode::not_found,   ErrorCode::already_exists,    ErrorCode::conflict,
    ErrorCode::expired,     ErrorCode::too_large,         ErrorCode::unsupported_media_type,
    ErrorCode::invalid,     ErrorCode::too_many_requests, ErrorCode::internal,
    ErrorCode::unavailable, ErrorCode::timeout,           ErrorCode::insufficient_storage,
};

ErrorCode code_of(int status, std::string_view reason_text) {
  for (const ErrorCode code : all_codes) {
    if (!reason_text.empty() && reason(code) == reason_text) return code;
  }
  for (const ReasonCode& row : other_reasons) {
    if (row.reason == reason_text) return row.code;
  }
  if (status == 409) return ErrorCode::conflict;  // two codes share the number
  for (const ErrorCode code : all_codes) {
    if (http_status(code) == status) return code;
  }
  if (status == 408) return ErrorCode::timeout;
  if (status == 502) return ErrorCode::unavailable;
  return status >= 500 ? ErrorCode::internal : ErrorCode::bad_request;
}

}  // namespace

Result<HttpRequest> http_request(const Call& call) {
  std::string path = TRY(collection_path(call.resource, call.name_space));
  if (call.verb == Verb::list || call.verb == Verb::create) {
    return collection_request(call, std::move(path));
  }
  if (call.name.empty()) return Error::bad_request("resource name may not be empty");
  TRY(append_segment(call.name, path));
  if (!call.subresource.empty()) TRY(append_segment(call.subresource, path));
  HttpRequest request{.method = "GET", .target = std::move(path)};
  if (call.verb == Verb::get) return request;
  request.content_type = "application/json";
  if (call.verb == Verb::remove) {
    request.method = "DELETE";
    request.body = delete_options(call);
    return request;
  }
  request.method = call.verb == Verb::update ? "PUT" : "PATCH";
  if (call.verb == Verb::patch) request.content_type = objects::media_type(call.patch_type);
  request.body = objects::to_json(call.body);
  return request;
}

Result<HttpRequest> http_request(const WatchCall& call) {
  std::string target = TRY(collection_path(call.resource, call.name_space));
  target += "?watch=true&allowWatchBookmarks=true";
  append_query("resourceVersion", call.resource_version, target);
  append_query("labelSelector", call.label_selector, target);
  append_query("fieldSelector", call.field_selector, target);
  return HttpRequest{.method = "GET", .target = std::move(target)};
}

std::string to_text(const HttpRequest& request, const RequestManners& manners) {
  std::string text = fmt::format("{} {}{} HTTP/1.1\r\nHost: {}\r\nUser-Agent: {}\r\nAccept: {}\r\n",
                                 request.method, manners.path_prefix, request.target, manners.host,
                                 manners.user_agent, request.accept);
  if (!manners.token.is_empty()) {
    text.append("Authorization: Bearer ").append(manners.token.reveal()).append("\r\n");
  }
  if (!request.content_type.empty()) {
    fmt::format_to(std::back_inserter(text), "Content-Type: {}\r\nContent-Length: {}\r\n",
                   request.content_type, request.body.size());
  }
  return text.append("\r\n").append(request.body);
}

Error error_of_status(int status, View object) {
  const auto code = static_cast<int>(object["code"].integer_or(status));
  const std::string_view message = object["message"].string_or("");
  const ErrorCode meaning = code_of(code == 0 ? status : code, object["reason"].string_or(""));
  if (!message.empty()) return {meaning, std::string(message)};
  return {meaning, fmt::format("the server answered {}", status)};
}

Result<Value> value_of_answer(int status, std::string_view body, std::size_t bytes_max) {
  auto object = objects::parse_json(body, {.bytes_max = bytes_max});
  if (status >= 200 && status < 300) {
    if (object) return object;
    return Error::internal("the server's answer is not JSON: " + object.error().message);
  }
  return error_of_status(status, object ? object->view() : View());
}

Result<WatchEvent> watch_event(std::string_view line, std::size_t bytes_max) {
  const Value event = TRY(objects::parse_json(line, {.bytes_max = bytes_max}));
  const std::string_view type = event["type"].string_or("");
  Value object = event.part(event["object"]);
  if (type == "ADDED") return WatchEvent{WatchEvent::Type::added, std::move(object)};
  if (type == "MODIFIED") return WatchEvent{WatchEvent::Type::modified, std::move(object)};
  if (type == "DELETED") return WatchEvent{WatchEvent::Type::deleted, std::move(object)};
  if (type == "BOOKMARK") return WatchEvent{WatchEvent::Type::bookmark, std::move(object)};
  if (type == "ERROR") return error_of_status(500, object);
  return Error::internal("the server sent an event of an unknown type");
}

}  // namespace muster::client
