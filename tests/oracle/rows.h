// Oracle tables: one JSON object in each line, what another implementation answered. They are
// included into tests as one string literal, so that a test needs no file when it runs.
// tests/oracle/README.md says how each table was made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "objects/json.h"
#include "objects/value.h"

namespace muster::testing {

inline std::vector<objects::Value> oracle_rows_of(std::string_view table) {
  std::vector<objects::Value> rows;
  while (!table.empty()) {
    const std::string_view line = table.substr(0, table.find('\n'));
    table.remove_prefix(line.size() < table.size() ? line.size() + 1 : line.size());
    if (!line.empty()) rows.push_back(objects::parse_json(line).must());
  }
  return rows;
}

}  // namespace muster::testing
