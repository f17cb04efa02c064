// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/strange_world.h"

#include <fstream>
#include <sstream>

namespace muster::tests {

std::string strange_world() {
  std::ifstream file(MUSTER_SOURCE_FOLDER "/tests/data/plan/strange_world.yaml");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace muster::tests
