// Error: why something expected did not succeed. The codes follow the reasons of a Kubernetes
// Status, because most errors end as one; the message is a sentence for a person; the field is
// the path of the offending value ("spec.containers[0].image"), empty when there is none.
//
//   return Error::invalid("must be a whole number", "spec.replicas");
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

enum class ErrorCode : std::uint8_t {
  bad_request,             // 400: cannot be understood
  unauthorized,            // 401
  forbidden,               // 403
  not_found,               // 404
  already_exists,          // 409
  conflict,                // 409: the precondition does not hold any more
  expired,                 // 410: the revision was compacted away
  too_large,               // 413: a named maximum was exceeded
  unsupported_media_type,  // 415
  invalid,                 // 422: understood, but not allowed
  too_many_requests,       // 429: a named maximum of outstanding work was reached
  internal,                // 500: also damaged data on disk
  unavailable,             // 503: stopped, or not started yet
  timeout,                 // 504
  insufficient_storage,    // 507: the disk is full
};

// The reason as it stands in a Kubernetes Status, such as "NotFound".
std::string_view reason(ErrorCode code);

// The HTTP status that carries it.
int http_status(ErrorCode code);

struct Error {
  ErrorCode code;
  std::string message;
  std::string field = {};

  static Error bad_request(std::string message, std::string field = {}) {
    return {ErrorCode::bad_request, std::move(message), std::move(field)};
  }
  static Error invalid(std::string message, std::string field = {}) {
    return {ErrorCode::invalid, std::move(message), std::move(field)};
  }
  static Error too_large(std::string message, std::string field = {}) {
    return {ErrorCode::too_large, std::move(message), std::move(field)};
  }
  static Error internal(std::string message) { return {ErrorCode::internal, std::move(message)}; }

  // "field: message", or the message alone.
  std::string to_string() const;

  friend bool operator==(const Error&, const Error&) = default;
};

}  // namespace muster
