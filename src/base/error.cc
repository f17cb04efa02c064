// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include "base/check.h"

namespace muster {

namespace {

struct Row {
  std::string_view reason;
  int http_status;
};

Row row(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_request:
      return {"BadRequest", 400};
    case ErrorCode::unauthorized:
      return {"Unauthorized", 401};
    case ErrorCode::forbidden:
      return {"Forbidden", 403};
    case ErrorCode::not_found:
      return {"NotFound", 404};
    case ErrorCode::already_exists:
      return {"AlreadyExists", 409};
    case ErrorCode::conflict:
      return {"Conflict", 409};
    case ErrorCode::expired:
      return {"Expired", 410};
    case ErrorCode::too_large:
      return {"RequestEntityTooLarge", 413};
    case ErrorCode::unsupported_media_type:
      return {"UnsupportedMediaType", 415};
    case ErrorCode::invalid:
      return {"Invalid", 422};
    case ErrorCode::too_many_requests:
      return {"TooManyRequests", 429};
    case ErrorCode::internal:
      return {"InternalError", 500};
    case ErrorCode::unavailable:
      return {"ServiceUnavailable", 503};
    case ErrorCode::timeout:
      return {"Timeout", 504};
    case ErrorCode::insufficient_storage:
      return {"InsufficientStorage", 507};
  }
  check_failed("ErrorCode", __FILE__, __LINE__, "every code has a row");
}

}  // namespace

std::string_view reason(ErrorCode code) {
  return row(code).reason;
}

int http_status(ErrorCode code) {
  return row(code).http_status;
}

std::string Error::to_string() const {
  return field.empty() ? message : field + ": " + message;
}

}  // namespace muster
