// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/lifecycle/run_cron_job.h"
#include "objects/json.h"
#include "simulator/house/requests.h"

namespace muster::simulator {

using client::Call;
using client::Verb;
using objects::Resource;

namespace resources = objects::resources;

namespace {

constexpr Resource provisioning_configs{resources::kueue_group, "v1beta2",
                                        "provisioningrequestconfigs", "ProvisioningRequestConfig",
                                        objects::Scope::cluster};

const Resource& resource_of(std::string_view plural) {
  static constexpr std::array<Resource, 7> known{
      resources::pods,         resources::deployments,    resources::stateful_sets,
      resources::local_queues, resources::cluster_queues, resources::resource_flavors,
      core::cron_jobs};
  const auto found = std::ranges::find(known, plural, &Resource::plural);
  return found == known.end() ? known.front() : *found;
}

Call patch(const Resource& resource, const Line& line, const std::string& text) {
  Call call{.verb = Verb::patch, .resource = resource};
  call.name_space = line.text("namespace");
  call.name = line.text("name");
  call.body = objects::parse_json(text).must();
  return call;
}

Call pod(const Line& line) {
  std::string labels;
  if (!line.text("queue").empty()) {
    labels = fmt::format(R"("kueue.x-k8s.io/queue-name":"{}")", line.text("queue"));
  }
  std::string annotations = pretend_annotations(line);
  if (!line.text("group").empty()) {
    labels += fmt::format(R"(,"kueue.x-k8s.io/pod-group-name":"{}")", line.text("group"));
    annotations +=
        fmt::format(R"(,"kueue.x-k8s.io/pod-group-total-count":"{}")", line.text("total"));
  }
  return creation(
      resources::pods, line.text("namespace"),
      fmt::format(
          R"({{"metadata":{{"name":"{}","labels":{{{}}},"annotations":{{{}}}}},"spec":{}}})",
          line.text("name"), labels, annotations, pod_spec_of(line)));
}

Call cron_job(const Line& line) {
  return creation(
      core::cron_jobs, line.text("namespace"),
      fmt::format(
          R"({{"metadata":{{"name":"{}"}},"spec":{{"schedule":"* * * * *","concurrencyPolicy":"{}",
             "jobTemplate":{{"metadata":{{"labels":{{"kueue.x-k8s.io/queue-name":"{}"}}}},"spec":{{
             "template":{{"metadata":{{"annotations":{{{}}}}},"spec":{{"restartPolicy":"Never",
             "containers":[{{"name":"main","image":"trainer",
             "resources":{{"requests":{{"cpu":"1"}}}}}}]}}}}}}}}}}}})",
          line.text("name"), line.text("policy"), line.text("queue"), pretend_annotations(line)));
}

// On the dedicated node or in a queue, and little enough for everybody else to fit in between.
Call app(const Resource& resource, const Line& line) {
  const std::string& queue = line.text("queue");
  const std::string labels =
      queue.empty() ? std::string() : fmt::format(R"("kueue.x-k8s.io/queue-name":"{}")", queue);
  return creation(resource, line.text("namespace"),
                  fmt::format(
                      R"({{"metadata":{{"name":"{0}","labels":{{{2}}}}},"spec":{{"replicas":{1},
             "serviceName":"{0}",
             "selector":{{"matchLabels":{{"app":"{0}"}}}},"template":{{"metadata":{{"labels":{{
             "app":"{0}"}}}},"spec":{{"terminationGracePeriodSeconds":3,
             "tolerations":[{{"key":"dedicated","operator":"Exists"}}],"containers":[{{
             "name":"main","image":"web","resources":{{"requests":{{"cpu":"500m"}}}}}}]}}}}}}}})",
                      line.text("name"), line.number("replicas"), labels));
}

std::string configuration_of(const Line& line) {
  return fmt::format(R"("data":{{"controller_manager_config.yaml":
                         "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n{}"}})",
                     line.text("fair") == "true"
                         ? R"(fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare]}\n)"
                         : "");
}

std::optional<Call> stage_request_of(const Line& line) {
  const std::string& verb = line.verb;
  const std::string& name = line.text("name");
  if (verb == "topology") {
    return creation(resources::topologies, "",
                    fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"levels":[
                                  {{"nodeLabel":"rack"}},
                                  {{"nodeLabel":"kubernetes.io/hostname"}}]}}}})",
                                name));
  }
  if (verb == "check-config") {
    return creation(provisioning_configs, "",
                    fmt::format(R"({{"metadata":{{"name":"{}"}},"spec":{{"managedResources":["cpu"],
                      "provisioningClassName":"check-capacity.autoscaling.x-k8s.io","retryStrategy":
                      {{"backoffLimitCount":1000,"backoffBaseSeconds":1,
                       "backoffMaxSeconds":10}}}}}})",
                                name));
  }
  if (verb == "check") {
    return creation(resources::admission_checks, "",
                    fmt::format(R"({{"metadata":{{"name":"{0}"}},"spec":{{
                      "controllerName":"kueue.x-k8s.io/provisioning-request","parameters":{{
                      "apiGroup":"kueue.x-k8s.io","kind":"ProvisioningRequestConfig",
                      "name":"{0}"}}}}}})",
                                name));
  }
  if (verb == "configuration") {
    return creation(resources::config_maps, "kueue-system",
                    fmt::format(R"({{"metadata":{{"name":"kueue-manager-config"}},{}}})",
                                configuration_of(line)));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Call> room_request_of(const Line& line) {
  const std::string& verb = line.verb;
  if (verb == "pod") return pod(line);
  if (verb == "cron-job") return cron_job(line);
  if (verb == "deployment") return app(resources::deployments, line);
  if (verb == "stateful-set") return app(resources::stateful_sets, line);
  if (verb == "delete") {
    return removal_of(resource_of(line.text("kind")), {line.text("namespace"), line.text("name")});
  }
  if (verb == "scale") {
    return patch(resource_of(line.text("kind")), line,
                 fmt::format(R"({{"spec":{{"replicas":{}}}}})", line.number("replicas")));
  }
  if (verb == "stop-policy") {
    return patch(resource_of(line.text("kind")), line,
                 fmt::format(R"({{"spec":{{"stopPolicy":"{}"}}}})", line.text("policy")));
  }
  if (verb == "priority-change") {
    return patch(
        resources::jobs, line,
        fmt::format(R"({{"metadata":{{"labels":{{"kueue.x-k8s.io/priority-class":"{}"}}}}}})",
                    line.text("priority")));
  }
  if (verb == "nonsense") return nonsense_of(line);
  if (verb == "cordon") {
    return patch(resources::nodes, line,
                 fmt::format(R"({{"spec":{{"unschedulable":{}}}}})", line.text("is")));
  }
  if (verb == "relabel") {
    return patch(resources::nodes, line,
                 fmt::format(R"({{"metadata":{{"labels":{{"tier":"{}"}}}}}})", line.text("tier")));
  }
  if (verb == "configure") {
    Call call{.verb = Verb::patch, .resource = resources::config_maps};
    call.name_space = "kueue-system";
    call.name = "kueue-manager-config";
    call.body = objects::parse_json("{" + configuration_of(line) + "}").must();
    return call;
  }
  return stage_request_of(line);
}

}  // namespace muster::simulator
