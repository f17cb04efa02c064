// The checks of labels, annotations, selectors, tolerations, taints and conditions that Kueue's
// webhooks borrow from Kubernetes, with its sentences.
//
//   check_labels(spec["nodeLabels"], "spec.nodeLabels", report);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/queueing/webhook_report.h"
#include "objects/value.h"

namespace muster::core {

void check_label_key(std::string_view key, const std::string& path, WebhookReport& report);
void check_labels(objects::View labels, const std::string& path, WebhookReport& report);
void check_annotations(objects::View annotations, const std::string& path, WebhookReport& report);
void check_label_selector(objects::View selector, const std::string& path, WebhookReport& report);
void check_tolerations(objects::View tolerations, const std::string& path, WebhookReport& report);
void check_taints(const objects::Value& taints, const std::string& path, WebhookReport& report);
void check_conditions(objects::View conditions, const std::string& path, WebhookReport& report);

// `acme.io/foo`, which is what a gate is called.
void check_domain_prefixed_path(std::string_view text, const std::string& path,
                                WebhookReport& report);

}  // namespace muster::core
