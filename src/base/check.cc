// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace muster {

void check_failed(std::string_view condition, std::string_view file, int line,
                  std::string_view sentence) {
  std::fprintf(stderr, "CHECK failed: %.*s at %.*s:%d%s%.*s\n", static_cast<int>(condition.size()),
               condition.data(), static_cast<int>(file.size()), file.data(), line,
               sentence.empty() ? "" : ": ", static_cast<int>(sentence.size()), sentence.data());
  std::abort();
}

}  // namespace muster
