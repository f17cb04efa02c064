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
// Deployments and their like, CronJobs, autoscalers.
std::span<const NamedCell> workload_cells();
std::span<const NamedCell> network_cells();
std::span<const NamedCell> storage_cells();
std::span<const NamedCell> device_cells();

inline objects::Node cell_text(const CellContext& context, std::string_view value) {
  return context.builder.text(value);
}

// `a=b,c=d` by key, or `<none>`.
std::string cell_labels(objects::View labels);

inline objects::Node cell_count(std::size_t count) {
  return objects::Builder::integer(static_cast<std::int64_t>(count));
}

}  // namespace muster::server
