// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "objects/metadata.h"
#include "server/cells_table.h"

namespace muster::server {

using objects::MemberView;
using objects::Node;
using objects::View;

namespace {

Node secret_data(View secret, const CellContext&) {
  return cell_count(secret["data"].size());
}

// Bindings.

Node binding_role(View binding, const CellContext& context) {
  const View role = binding["roleRef"];
  return cell_text(context,
                   fmt::format("{}/{}", role["kind"].string_or(""), role["name"].string_or("")));
}

Node subjects(View binding, const CellContext& context, std::string_view kind) {
  std::string all;
  for (View subject : binding["subjects"].elements()) {
    if (subject["kind"].string_or("") != kind) continue;
    if (!all.empty()) all += ", ";
    const std::string_view space = subject["namespace"].string_or("");
    if (kind == "ServiceAccount" && !space.empty()) all += fmt::format("{}/", space);
    all += subject["name"].string_or("");
  }
  return cell_text(context, all);
}

Node binding_users(View binding, const CellContext& context) {
  return subjects(binding, context, "User");
}

Node binding_groups(View binding, const CellContext& context) {
  return subjects(binding, context, "Group");
}

Node binding_service_accounts(View binding, const CellContext& context) {
  return subjects(binding, context, "ServiceAccount");
}

// Quotas and budgets.

Node quota_column(View quota, const CellContext& context, bool wants_limits) {
  const View hard = quota["status"]["hard"];
  std::vector<std::string_view> names;
  for (const MemberView member : hard.members()) {
    if (member.key.starts_with("limits.") == wants_limits) names.push_back(member.key);
  }
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string_view name : names) {
    if (!all.empty()) all += ", ";
    all += fmt::format("{}: {}/{}", name, quota["status"]["used"][name].string_or("0"),
                       hard[name].string_or("0"));
  }
  return cell_text(context, all);
}

Node quota_requests(View quota, const CellContext& context) {
  return quota_column(quota, context, false);
}

Node quota_limits(View quota, const CellContext& context) {
  return quota_column(quota, context, true);
}

Node count_or_percentage(View value, const CellContext& context) {
  if (!value) return cell_text(context, "N/A");
  if (const auto count = value.integer()) return cell_text(context, fmt::format("{}", *count));
  return cell_text(context, value.string_or(""));
}

Node budget_min_available(View budget, const CellContext& context) {
  return count_or_percentage(budget["spec"]["minAvailable"], context);
}

Node budget_max_unavailable(View budget, const CellContext& context) {
  return count_or_percentage(budget["spec"]["maxUnavailable"], context);
}

// What extends the API.

Node webhook_count(View configuration, const CellContext&) {
  return cell_count(configuration["webhooks"].size());
}

Node api_service_service(View service, const CellContext& context) {
  const View where = service["spec"]["service"];
  if (!where) return cell_text(context, "Local");
  return cell_text(
      context, fmt::format("{}/{}", where["namespace"].string_or(""), where["name"].string_or("")));
}

Node api_service_available(View service, const CellContext& context) {
  const View available = objects::condition(service, "Available");
  if (!available) return cell_text(context, "Unknown");
  const std::string_view status = available["status"].string_or("");
  const std::string_view reason = available["reason"].string_or("");
  if (status == "True" || reason.empty()) return cell_text(context, status);
  return cell_text(context, fmt::format("{} ({})", status, reason));
}

constexpr NamedCell cells[] = {
    {"api-service-available", api_service_available},
    {"api-service-service", api_service_service},
    {"binding-groups", binding_groups},
    {"binding-role", binding_role},
    {"binding-service-accounts", binding_service_accounts},
    {"binding-users", binding_users},
    {"budget-max-unavailable", budget_max_unavailable},
    {"budget-min-available", budget_min_available},
    {"quota-limits", quota_limits},
    {"quota-requests", quota_requests},
    {"secret-data", secret_data},
    {"webhook-count", webhook_count},
};

}  // namespace

std::span<const NamedCell> access_cells() {
  return cells;
}

}  // namespace muster::server
