// The tables of cells by topic, each in a file of its own (cells_<topic>.cc), and the few words
// that they share. find_cell() of cells.h looks through all of them.
//
//   Node kind(View binding, const CellContext& context) { return cell_text(context, "Role"); }
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "server/cells.h"

namespace muster::server {

struct NamedCell {
  std::string_view name;
  Cell cell;
};

// Secrets, RBAC, quotas, webhooks and what extends the API.
std::span<const NamedCell> access_cells();

inline objects::Node cell_text(const CellContext& context, std::string_view value) {
  return context.builder.text(value);
}

inline objects::Node cell_count(std::size_t count) {
  return objects::Builder::integer(static_cast<std::int64_t>(count));
}

}  // namespace muster::server
