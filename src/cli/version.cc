// SPDX-License-Identifier: Apache-2.0
#include "cli/version.h"

#include <fmt/format.h>

namespace muster::cli {

namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

std::string version_number() {
  return MUSTER_VERSION;
}

std::string version_line() {
  return fmt::format("muster {} ({}, {})", MUSTER_VERSION, MUSTER_BUILD, compiler());
}

}  // namespace muster::cli
