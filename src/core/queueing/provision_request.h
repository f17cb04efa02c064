// The objects that core/queueing/provision.h makes: what a ProvisioningRequest asks for, its
// PodTemplates, and what a request that was served adds to the pods.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/queueing/provision.h"
#include "core/queueing/shape.h"
#include "objects/value.h"

namespace muster::core {

// The pod sets that ask for what the configuration manages, with their admitted counts; those that
// are alike are one where its podSetMergePolicy says so.
std::vector<PodSet> provisioned_sets(const Provisioning& given, objects::View config);

Result<objects::Value> pod_template_of(const Provisioning& given, std::string_view name,
                                       const PodSet& set);

objects::Value request_of(const Provisioning& given, objects::View config, std::string_view name,
                          std::span<const PodSet> sets);

// podSetUpdates of the check's state.
objects::Value updates_of(objects::View workload, objects::View request, objects::View config);

}  // namespace muster::core
