// SPDX-License-Identifier: Apache-2.0
// Deployments and their like, and CronJobs.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <iterator>
#include <string>

#include "objects/label_selector.h"
#include "objects/schema/checks_pod.h"
#include "objects/schema/cron.h"
#include "objects/schema/struct_text.h"

namespace muster::objects {

namespace {

std::string printed(View value) {
  return value ? go_printed(value) : std::string("null");
}

// Whether the selector of a workload can be used: a broken one was told of, field by field.
bool check_selector(CheckScope& scope, std::string_view kind, bool is_required) {
  const View selector = scope["selector"];
  if (!selector) {
    if (is_required) scope.required(".selector");
    return true;
  }
  if (selector["matchLabels"].empty() && selector["matchExpressions"].empty()) {
    scope.invalid(".selector", selector, fmt::format("empty selector is invalid for {}", kind));
    return true;
  }
  bool is_broken = !LabelSelector::of(selector);
  for (MemberView label : selector["matchLabels"].members()) {
    is_broken = is_broken || !qualified_name_violations(label.key).empty() ||
                !label_value_violations(label.value.string_or("")).empty();
  }
  if (is_broken && kind != "daemonset") {
    const std::string_view why = kind == "statefulset" ? "" : "invalid label selector";
    scope.invalid_printed(".selector", printed_selector(selector), std::string(why));
  }
  return !is_broken;
}

bool is_empty_selector(View selector) {
  return selector && selector["matchLabels"].empty() && selector["matchExpressions"].empty();
}

// The pods of a workload must be found by it, and never end by themselves.
void check_template(CheckScope& scope, std::string_view kind) {
  const View pod = scope["template"];
  const View selector = scope["selector"];
  if (!is_empty_selector(selector)) {
    const View labels = pod["metadata"]["labels"];
    const auto parsed = LabelSelector::of(selector);
    if (!selector || !parsed || !parsed->matches(labels)) {
      scope.invalid_printed(".template.metadata.labels", printed(labels),
                            "`selector` does not match template `labels`");
    }
  }
  const std::string_view restart = pod["spec"]["restartPolicy"].string_or("Always");
  if (restart == "Never" || restart == "OnFailure") {
    scope.not_supported(".template.spec.restartPolicy", restart, {"Always"});
  }
  if (pod["spec"]["activeDeadlineSeconds"]) {
    scope.forbidden(".template.spec.activeDeadlineSeconds",
                    fmt::format("activeDeadlineSeconds in {} is not Supported", kind));
  }
}

// `0`, `0%` and what cannot be read are none.
bool is_none(View count) {
  if (const auto number = count.integer()) return *number == 0;
  std::string_view text = count.string_or("");
  if (text.ends_with('%')) text.remove_suffix(1);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error != std::errc() || end != text.data() + text.size() || number == 0;
}

std::string printed_rolling_update(View rolling) {
  if (!rolling) return "null";
  const auto number = [](View count) { return count ? go_printed(count) : std::string("0"); };
  return fmt::format(R"({{"MaxUnavailable":{},"MaxSurge":{}}})", number(rolling["maxUnavailable"]),
                     number(rolling["maxSurge"]));
}

void refuse_strategy(CheckScope& scope, std::string_view place, View strategy,
                     std::string_view first, std::string_view second) {
  scope.add(
      {FieldError::Type::not_supported, scope.at(place),
       fmt::format(R"({{"Type":{},"RollingUpdate":{}}})", go_quoted(strategy["type"].string_or("")),
                   printed_rolling_update(strategy["rollingUpdate"])),
       fmt::format("supported values: {}, {}", go_quoted(first), go_quoted(second))});
}

// Deployments.

void check_strategy(CheckScope& scope) {
  const View strategy = scope["strategy"];
  const std::string_view type = strategy["type"].string_or("");
  const View rolling = strategy["rollingUpdate"];
  if (type == "Recreate") {
    if (rolling) {
      scope.forbidden(".strategy.rollingUpdate",
                      "may not be specified when strategy `type` is 'Recreate'");
    }
  } else if (type != "RollingUpdate") {
    refuse_strategy(scope, ".strategy", strategy, "Recreate", "RollingUpdate");
  } else if (rolling["maxUnavailable"].string_or("0").empty()) {
    scope.invalid(".strategy.rollingUpdate.maxUnavailable", rolling["maxUnavailable"],
                  "a valid percent string must be a numeric string followed by an ending '%' (e.g. "
                  "'1%',  or '93%', regex used for validation is '[0-9]+%')");
  } else if (is_none(rolling["maxUnavailable"]) && is_none(rolling["maxSurge"])) {
    scope.invalid(".strategy.rollingUpdate.maxUnavailable", rolling["maxUnavailable"],
                  "may not be 0 when `maxSurge` is 0");
  }
}

void check_deployment(CheckScope& scope) {
  if (check_selector(scope, "deployment", true)) check_template(scope, "ReplicaSet");
  check_strategy(scope);
  const auto deadline = scope["progressDeadlineSeconds"].integer();
  if (deadline && *deadline <= scope["minReadySeconds"].integer_or(0)) {
    add_late(scope, FieldError::invalid(scope.at(".progressDeadlineSeconds"),
                                        scope["progressDeadlineSeconds"],
                                        "must be greater than minReadySeconds"));
  }
}

void check_replica_set(CheckScope& scope) {
  if (check_selector(scope, "deployment", true)) check_template(scope, "ReplicaSet");
}

void check_replication_controller(CheckScope& scope) {
  if (scope["selector"].empty()) scope.required(".selector");
  const View pod = scope["template"];
  if (!pod) return scope.required(".template");
  for (MemberView label : scope["selector"].members()) {
    if (pod["metadata"]["labels"][label.key] == label.value) continue;
    scope.invalid_printed(".template.metadata.labels", printed(pod["metadata"]["labels"]),
                          "`selector` does not match template `labels`");
    break;
  }
  const std::string_view restart = pod["spec"]["restartPolicy"].string_or("Always");
  if (restart == "Never" || restart == "OnFailure") {
    scope.not_supported(".template.spec.restartPolicy", restart, {"Always"});
  }
  if (pod["spec"]["activeDeadlineSeconds"]) {
    scope.forbidden(".template.spec.activeDeadlineSeconds",
                    "activeDeadlineSeconds in ReplicationController is not Supported");
  }
}

// DaemonSets.

void check_daemon_set(CheckScope& scope) {
  if (check_selector(scope, "daemonset", false)) check_template(scope, "DaemonSet");
  const View strategy = scope["updateStrategy"];
  const std::string_view type = strategy["type"].string_or("");
  if (type == "OnDelete") return;
  if (type != "RollingUpdate") {
    return refuse_strategy(scope, ".updateStrategy", strategy, "RollingUpdate", "OnDelete");
  }
  const View rolling = strategy["rollingUpdate"];
  const bool no_surge = is_none(rolling["maxSurge"]);
  const bool no_absence = is_none(rolling["maxUnavailable"]);
  if (!no_surge && !no_absence) {
    scope.invalid(".updateStrategy.rollingUpdate.maxSurge", rolling["maxSurge"],
                  "may not be set when maxUnavailable is non-zero");
  } else if (no_surge && no_absence) {
    add_late(scope, FieldError::required(scope.at(".updateStrategy.rollingUpdate.maxUnavailable"),
                                         "cannot be 0 when maxSurge is 0"));
  }
}

// StatefulSets.

std::string printed_partition(View rolling) {
  if (!rolling) return "null";
  return fmt::format(R"({{"Partition":{},"MaxUnavailable":{}}})", printed(rolling["partition"]),
                     printed(rolling["maxUnavailable"]));
}

void check_stateful_strategy(CheckScope& scope) {
  const View strategy = scope["updateStrategy"];
  const std::string_view type = strategy["type"].string_or("");
  const View rolling = strategy["rollingUpdate"];
  if (type == "OnDelete") {
    if (rolling) {
      scope.invalid_printed(".updateStrategy.rollingUpdate", printed_partition(rolling),
                            "only allowed for updateStrategy 'RollingUpdate'");
    }
  } else if (type != "RollingUpdate") {
    scope.invalid_printed(".updateStrategy",
                          fmt::format(R"({{"Type":{},"RollingUpdate":{}}})", go_quoted(type),
                                      printed_partition(rolling)),
                          "must be 'RollingUpdate' or 'OnDelete'");
  }
}

bool keeps_the_rest(View spec, View old_spec) {
  constexpr std::string_view free_keys[] = {"replicas",
                                            "ordinals",
                                            "template",
                                            "updateStrategy",
                                            "revisionHistoryLimit",
                                            "persistentVolumeClaimRetentionPolicy",
                                            "minReadySeconds"};
  const auto is_free = [&](std::string_view key) {
    return std::find(std::begin(free_keys), std::end(free_keys), key) != std::end(free_keys);
  };
  for (MemberView member : spec.members()) {
    if (!is_free(member.key) && !(member.value == old_spec[member.key])) return false;
  }
  for (MemberView member : old_spec.members()) {
    if (!is_free(member.key) && !spec[member.key]) return false;
  }
  return true;
}

// Each claim becomes a volume of the pods.
void check_claim_names(CheckScope& scope) {
  std::size_t index = 0;
  for (View claim : scope["volumeClaimTemplates"].elements()) {
    const std::string place = fmt::format(".template.spec.volumes[{}]", index++);
    const std::string_view name = claim["metadata"]["name"].string_or("");
    if (name.empty()) {
      scope.required(place + ".persistentVolumeClaim.claimName");
      scope.required(place + ".name");
    } else {
      scope.format(place + ".name", name, Format::dns_label);
    }
  }
}

void check_stateful_set(CheckScope& scope) {
  const std::string_view policy = scope.text("podManagementPolicy");
  if (policy != "OrderedReady" && policy != "Parallel") {
    scope.invalid(".podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'");
  }
  check_stateful_strategy(scope);
  if (check_selector(scope, "statefulset", true)) check_template(scope, "StatefulSet");
  check_claim_names(scope);
  if (const std::string_view name = scope.text("serviceName"); scope.is_create() && !name.empty()) {
    scope.format(".serviceName", name, Format::dns_label);
  }
  if (!scope.is_create() && !keeps_the_rest(scope.value(), scope.old_value())) {
    scope.add_change(FieldError::forbidden(
        scope.at(""),
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
        "'template', 'updateStrategy', 'revisionHistoryLimit', "
        "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"));
  }
}

// Numbers of a status: none is negative, and none is greater than the one that it is a part of.

struct PartOf {
  std::string_view part;
  std::string_view whole;
  std::string_view whole_name;
};

void check_numbers(CheckScope& scope, std::initializer_list<std::string_view> fields,
                   std::initializer_list<PartOf> parts) {
  for (const std::string_view field : fields) {
    if (scope[field].integer_or(0) >= 0) continue;
    scope.invalid(fmt::format(".{}", field), scope[field], "must be greater than or equal to 0");
  }
  for (const PartOf& each : parts) {
    if (scope[each.part].integer_or(0) <= scope[each.whole].integer_or(0)) continue;
    scope.invalid(fmt::format(".{}", each.part), scope[each.part],
                  fmt::format("cannot be greater than {}", each.whole_name));
  }
}

constexpr std::string_view all_replicas = "status.replicas";

void check_deployment_status(CheckScope& scope) {
  check_numbers(scope,
                {"observedGeneration", "replicas", "updatedReplicas", "readyReplicas",
                 "availableReplicas", "unavailableReplicas"},
                {{"updatedReplicas", "replicas", all_replicas},
                 {"readyReplicas", "replicas", all_replicas},
                 {"availableReplicas", "replicas", all_replicas},
                 {"availableReplicas", "readyReplicas", "readyReplicas"}});
}

void check_replica_set_status(CheckScope& scope) {
  check_numbers(scope, {"replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"},
                {{"fullyLabeledReplicas", "replicas", all_replicas},
                 {"readyReplicas", "replicas", all_replicas},
                 {"availableReplicas", "replicas", all_replicas},
                 {"availableReplicas", "readyReplicas", "readyReplicas"}});
}

void check_controller_revision(CheckScope& scope) {
  if (!scope["data"]) scope.required(".data", "data is mandatory");
}

// CronJobs.

void check_schedule(CheckScope& scope) {
  const std::string_view schedule = scope.text("schedule");
  if (schedule.empty()) return scope.required(".schedule");
  const bool is_kept = !scope.is_create() && scope["schedule"] == scope.old_value()["schedule"];
  if (schedule.find("TZ") != std::string_view::npos && !is_kept) {
    return scope.invalid(".schedule", schedule,
                         "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  }
  if (auto refusal = cron_refusal(schedule)) {
    scope.invalid(".schedule", schedule, std::move(*refusal));
  }
}

void check_time_zone(CheckScope& scope) {
  const auto zone = scope["timeZone"].string();
  if (!zone) return;
  if (zone->empty()) {
    return scope.invalid(".timeZone", *zone, "timeZone must be nil or non-empty string");
  }
  if (*zone == "Local" || *zone == "local") {
    scope.invalid(
        ".timeZone", *zone,
        "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
    if (*zone == "Local") return;
  }
  if (!is_time_zone(*zone)) {
    scope.invalid(".timeZone", *zone, fmt::format("unknown time zone {}", *zone));
  }
}

void check_cron_job(CheckScope& scope) {
  constexpr std::size_t name_bytes_max = 52;
  const std::string_view name = scope.root()["metadata"]["name"].string_or("");
  if (scope.is_create() && name.size() > name_bytes_max) {
    scope.add(FieldError::invalid("metadata.name", scope.root()["metadata"]["name"],
                                  "must be no more than 52 characters"));
  }
  check_schedule(scope);
  check_time_zone(scope);
  const View job = scope["jobTemplate"]["spec"];
  if (job["selector"]) {
    scope.invalid(".jobTemplate.spec.selector", job["selector"],
                  "`selector` will be auto-generated");
  }
  if (job["manualSelector"].boolean_or(false)) {
    scope.add({FieldError::Type::not_supported, scope.at(".jobTemplate.spec.manualSelector"),
               "true", R"(supported values: "nil", "false")"});
  }
}

constexpr NamedCheck checks[] = {
    {"controller-revision", check_controller_revision},
    {"cron-job", check_cron_job},
    {"daemon-set", check_daemon_set},
    {"deployment", check_deployment},
    {"deployment-status", check_deployment_status},
    {"replica-set", check_replica_set},
    {"replica-set-status", check_replica_set_status},
    {"replication-controller", check_replication_controller},
    {"stateful-set", check_stateful_set},
};

}  // namespace

std::span<const NamedCheck> workload_checks() {
  return checks;
}

}  // namespace muster::objects
