// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/validate_kueue.h"

#include <fmt/format.h>

#include <string>

#include "core/queueing/validate_cluster_queue.h"
#include "core/queueing/validate_names.h"
#include "core/queueing/validate_quotas.h"
#include "core/queueing/validate_workload.h"
#include "core/queueing/validate_workload_update.h"

namespace muster::core {

using objects::FieldError;
using objects::FieldErrors;
using objects::Value;
using objects::View;

namespace {

struct InventedField {
  std::string_view name;
  std::string_view meant;
};

constexpr InventedField invented_fields[] = {
    {"borrowingLimitPercent", "borrowingLimit"},
    {"lendablePercent", "lendingLimit"},
    {"lendingLimitPercent", "lendingLimit"},
};

void check_cohort(const Value& cohort, WebhookReport& report) {
  const View spec = cohort["spec"];
  check_fair_sharing(spec["fairSharing"], report);
  check_resource_groups(spec["resourceGroups"],
                        {.has_parent = !spec["parentName"].string_or("").empty(),
                         .lends_within_nominal = false,
                         .parent_word = "parent"},
                        report);
}

void check_resource_flavor(const Value& flavor, WebhookReport& report) {
  const View spec = flavor["spec"];
  check_labels(spec["nodeLabels"], "spec.nodeLabels", report);
  check_taints(flavor.part(spec["nodeTaints"]), "spec.nodeTaints", report);
  check_tolerations(spec["tolerations"], "spec.tolerations", report);
}

void check_invented(View object, const std::string& path, FieldErrors& errors) {
  for (const InventedField& field : invented_fields) {
    if (!object[field.name]) continue;
    errors.add(FieldError::forbidden(
        fmt::format("{}{}{}", path, path.empty() ? "" : ".", field.name),
        fmt::format("no version of Kueue has this field; use {}, a quantity of the resource",
                    field.meant)));
  }
}

}  // namespace

WebhookReport check_kueue(const WebhookRequest& request) {
  WebhookReport report;
  // Of the statuses only that of a Workload is looked at.
  if (request.kind == "Workload") {
    check_workload(request.object, request.old_object, request.gates, report);
    if (request.old_object) {
      check_workload_update(request.object, request.old_object, request.gates, report);
    }
  } else if (request.kind == "ResourceFlavor") {
    check_resource_flavor(request.object, report);
  } else if (request.is_status) {
    return report;
  } else if (request.kind == "ClusterQueue") {
    check_cluster_queue(request.object, request.old_object, request.gates, report);
  } else if (request.kind == "Cohort") {
    check_cohort(request.object, report);
  }
  return report;
}

FieldErrors check_invented_fields(View object) {
  FieldErrors errors;
  check_invented(object["spec"], "spec", errors);
  const View groups = object["spec"]["resourceGroups"];
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const View flavors = groups[i]["flavors"];
    for (std::size_t j = 0; j < flavors.size(); ++j) {
      const std::string path = fmt::format("spec.resourceGroups[{}].flavors[{}]", i, j);
      check_invented(flavors[j], path, errors);
      const View quotas = flavors[j]["resources"];
      for (std::size_t k = 0; k < quotas.size(); ++k) {
        check_invented(quotas[k], fmt::format("{}.resources[{}]", path, k), errors);
      }
    }
  }
  return errors;
}

}  // namespace muster::core
