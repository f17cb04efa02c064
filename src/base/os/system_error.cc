// SPDX-License-Identifier: Apache-2.0
#include "base/os/system_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace muster {

namespace {

ErrorCode code_of(int number) {
  switch (number) {
    case ENOENT:
      return ErrorCode::not_found;
    case EEXIST:
      return ErrorCode::already_exists;
    case ENOSPC:
    case EDQUOT:
      return ErrorCode::insufficient_storage;
    default:
      return ErrorCode::internal;
  }
}

}  // namespace

Error system_error(std::string_view doing, std::string_view path, int number) {
  // Unlike strerror, this one is the same on every thread and in every language setting.
  const char* words = ::strerrordesc_np(number);
  const std::string text = words != nullptr ? words : fmt::format("error {}", number);
  return {code_of(number), fmt::format("{}{}{}: {}", doing, path.empty() ? "" : " ", path, text)};
}

}  // namespace muster
