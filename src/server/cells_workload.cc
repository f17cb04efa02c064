// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/quantity.h"
#include "objects/label_selector.h"
#include "objects/metadata.h"
#include "server/cells_table.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::View;

namespace {

constexpr std::string_view none_text = "<none>";
constexpr std::string_view unset_text = "<unset>";

std::string joined(View list, std::string_view member) {
  std::string all;
  for (View each : list.elements()) {
    if (!all.empty()) all += ',';
    all += each[member].string_or("");
  }
  return all;
}

Node selector_cell(View selector, const CellContext& context, std::string_view empty,
                   std::string_view broken) {
  const auto parsed = objects::LabelSelector::of(selector);
  if (!parsed) return cell_text(context, broken);
  const std::string shown = parsed->to_string();
  return cell_text(context, shown.empty() ? empty : shown);
}

// Replicas.

Node replicas_ready(View object, const CellContext& context) {
  return cell_text(context, fmt::format("{}/{}", object["status"]["readyReplicas"].integer_or(0),
                                        object["spec"]["replicas"].integer_or(0)));
}

Node replicas_updated(View object, const CellContext&) {
  return Builder::integer(object["status"]["updatedReplicas"].integer_or(0));
}

Node replicas_available(View object, const CellContext&) {
  return Builder::integer(object["status"]["availableReplicas"].integer_or(0));
}

Node selector(View object, const CellContext& context) {
  return selector_cell(object["spec"]["selector"], context, "", "<invalid>");
}

Node selector_or_none(View object, const CellContext& context) {
  return selector_cell(object["spec"]["selector"], context, none_text, "<error>");
}

Node policy_pod_selector(View object, const CellContext& context) {
  return selector_cell(object["spec"]["podSelector"], context, none_text, "<error>");
}

// Templates.

Node template_node_selector(View object, const CellContext& context) {
  return cell_text(context, cell_labels(object["spec"]["template"]["spec"]["nodeSelector"]));
}

Node pod_template_containers(View object, const CellContext& context) {
  return cell_text(context, joined(object["template"]["spec"]["containers"], "name"));
}

Node pod_template_images(View object, const CellContext& context) {
  return cell_text(context, joined(object["template"]["spec"]["containers"], "image"));
}

Node pod_template_labels(View object, const CellContext& context) {
  return cell_text(context, cell_labels(object["template"]["metadata"]["labels"]));
}

Node revision_controller(View revision, const CellContext& context) {
  for (View owner : revision["metadata"]["ownerReferences"].elements()) {
    if (!owner["controller"].boolean_or(false)) continue;
    const std::string_view api_version = owner["apiVersion"].string_or("");
    const std::size_t slash = api_version.find('/');
    std::string kind(owner["kind"].string_or(""));
    if (slash != std::string_view::npos) kind += fmt::format(".{}", api_version.substr(0, slash));
    for (char& c : kind) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return cell_text(context, fmt::format("{}/{}", kind, owner["name"].string_or("")));
  }
  return cell_text(context, none_text);
}

Node revision_number(View revision, const CellContext&) {
  return Builder::integer(revision["revision"].integer_or(0));
}

// CronJobs.

View job_spec(View cron_job) {
  return cron_job["spec"]["jobTemplate"]["spec"];
}

Node cron_job_time_zone(View cron_job, const CellContext& context) {
  return cell_text(context, cron_job["spec"]["timeZone"].string_or(none_text));
}

Node cron_job_suspend(View cron_job, const CellContext& context) {
  const View suspend = cron_job["spec"]["suspend"];
  if (!suspend) return cell_text(context, unset_text);
  return cell_text(context, suspend.boolean_or(false) ? "True" : "False");
}

Node cron_job_active(View cron_job, const CellContext&) {
  return cell_count(cron_job["status"]["active"].size());
}

Node cron_job_last_schedule(View cron_job, const CellContext& context) {
  const View last = cron_job["status"]["lastScheduleTime"];
  return cell_text(context, last ? age_text(last, context.now) : std::string(none_text));
}

Node cron_job_containers(View cron_job, const CellContext& context) {
  return cell_text(context, joined(job_spec(cron_job)["template"]["spec"]["containers"], "name"));
}

Node cron_job_images(View cron_job, const CellContext& context) {
  return cell_text(context, joined(job_spec(cron_job)["template"]["spec"]["containers"], "image"));
}

Node cron_job_selector(View cron_job, const CellContext& context) {
  return selector_cell(job_spec(cron_job)["selector"], context, none_text, "<error>");
}

// Autoscalers.

Node autoscaler_reference(View autoscaler, const CellContext& context) {
  const View target = autoscaler["spec"]["scaleTargetRef"];
  return cell_text(
      context, fmt::format("{}/{}", target["kind"].string_or(""), target["name"].string_or("")));
}

Node autoscaler_min_pods(View autoscaler, const CellContext& context) {
  const View least = autoscaler["spec"]["minReplicas"];
  return cell_text(context,
                   least ? fmt::format("{}", least.integer_or(0)) : std::string(unset_text));
}

Node autoscaler_max_pods(View autoscaler, const CellContext&) {
  return Builder::integer(autoscaler["spec"]["maxReplicas"].integer_or(0));
}

Node autoscaler_replicas(View autoscaler, const CellContext&) {
  return Builder::integer(autoscaler["status"]["currentReplicas"].integer_or(0));
}

std::string text_or_unknown(View value) {
  return std::string(value.string_or("<unknown>"));
}

std::string percent_or(View value, std::string_view otherwise) {
  const auto percent = value.integer();
  return percent ? fmt::format("{}%", *percent) : std::string(otherwise);
}

// `cpu: 10%/80%`, `5/10 (avg)`: what a metric is and what it should be.
std::string metric_text(View metric, View status) {
  const std::string_view type = metric["type"].string_or("");
  const auto named = [&](std::string_view key) {
    const View target = metric[key]["target"];
    const View current = status[key]["current"];
    const std::string_view name = metric[key]["name"].string_or("");
    if (target["averageValue"]) {
      return fmt::format("{}: {}/{}", name, text_or_unknown(current["averageValue"]),
                         target["averageValue"].string_or(""));
    }
    return fmt::format("{}: {}/{}", name, percent_or(current["averageUtilization"], "<unknown>"),
                       percent_or(target["averageUtilization"], "<auto>"));
  };
  const auto valued = [&](std::string_view key) {
    const View target = metric[key]["target"];
    const View current = status[key]["current"];
    if (target["averageValue"]) {
      return fmt::format("{}/{} (avg)", text_or_unknown(current["averageValue"]),
                         target["averageValue"].string_or(""));
    }
    return fmt::format("{}/{}", text_or_unknown(current["value"]), target["value"].string_or("0"));
  };
  if (type == "Resource") return named("resource");
  if (type == "ContainerResource") return named("containerResource");
  if (type == "External") return valued("external");
  if (type == "Object") return valued("object");
  if (type != "Pods") return "<unknown type>";
  return fmt::format("{}/{}", text_or_unknown(status["pods"]["current"]["averageValue"]),
                     metric["pods"]["target"]["averageValue"].string_or("0"));
}

Node autoscaler_targets(View autoscaler, const CellContext& context) {
  constexpr std::size_t shown_max = 2;
  const View metrics = autoscaler["spec"]["metrics"];
  if (metrics.empty()) return cell_text(context, none_text);
  std::string all;
  for (std::size_t i = 0; i < metrics.size() && i < shown_max; ++i) {
    if (i > 0) all += ", ";
    all += metric_text(metrics[i], autoscaler["status"]["currentMetrics"][i]);
  }
  if (metrics.size() > shown_max) all += fmt::format(" + {} more...", metrics.size() - shown_max);
  return cell_text(context, all);
}

// The containers of PodMetrics together.
Node pod_usage(View metrics, std::string_view resource, const CellContext& context) {
  Quantity sum;
  for (View container : metrics["containers"].elements()) {
    const auto used = Quantity::parse(container["usage"][resource].string_or("0"));
    if (used) sum += *used;
  }
  return cell_text(context, sum.to_string());
}

Node pod_usage_cpu(View metrics, const CellContext& context) {
  return pod_usage(metrics, "cpu", context);
}

Node pod_usage_memory(View metrics, const CellContext& context) {
  return pod_usage(metrics, "memory", context);
}

constexpr NamedCell cells[] = {
    {"autoscaler-max-pods", autoscaler_max_pods},
    {"autoscaler-min-pods", autoscaler_min_pods},
    {"autoscaler-reference", autoscaler_reference},
    {"autoscaler-replicas", autoscaler_replicas},
    {"autoscaler-targets", autoscaler_targets},
    {"cron-job-active", cron_job_active},
    {"cron-job-containers", cron_job_containers},
    {"cron-job-images", cron_job_images},
    {"cron-job-last-schedule", cron_job_last_schedule},
    {"cron-job-selector", cron_job_selector},
    {"cron-job-suspend", cron_job_suspend},
    {"cron-job-time-zone", cron_job_time_zone},
    {"pod-template-containers", pod_template_containers},
    {"pod-template-images", pod_template_images},
    {"pod-template-labels", pod_template_labels},
    {"pod-usage-cpu", pod_usage_cpu},
    {"pod-usage-memory", pod_usage_memory},
    {"policy-pod-selector", policy_pod_selector},
    {"replicas-available", replicas_available},
    {"replicas-ready", replicas_ready},
    {"replicas-updated", replicas_updated},
    {"revision-controller", revision_controller},
    {"revision-number", revision_number},
    {"selector", selector},
    {"selector-or-none", selector_or_none},
    {"template-node-selector", template_node_selector},
};

}  // namespace

std::span<const NamedCell> workload_cells() {
  return cells;
}

}  // namespace muster::server
