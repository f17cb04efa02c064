// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/provision.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "base/checked.h"
#include "base/timestamp.h"
#include "core/draft.h"
#include "core/queueing/provision_request.h"
#include "core/queueing/workload_status.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::condition;
using objects::Value;
using objects::View;
using objects::resources::admission_checks;
using objects::resources::workloads;

namespace {

constexpr std::string_view component = "kueue-provisioning-request-check-controller";

const Value* find_named(std::span<const Value> all, std::string_view name) {
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const Value& each) { return objects::name_of(each) == name; });
  return found == all.end() ? nullptr : &*found;
}

// Why the parameters of a check lead to no configuration; empty where they do.
std::string parameters_complaint(View check, std::span<const Value> configs) {
  const View reference = check["spec"]["parameters"];
  if (!reference) return "missing parameters reference";
  const auto wrong = [](std::string_view what, View is, std::string_view wanted) {
    return fmt::format("wrong {} \"{}\", expecting \"{}\": bad parameters reference", what,
                       is.string_or(""), wanted);
  };
  if (reference["name"].string_or("").empty()) return "empty name: bad parameters reference";
  if (reference["apiGroup"].string_or("") != objects::resources::kueue_group) {
    return wrong("group", reference["apiGroup"], objects::resources::kueue_group);
  }
  if (reference["kind"].string_or("") != provisioning_request_configs.kind) {
    return wrong("kind", reference["kind"], provisioning_request_configs.kind);
  }
  const std::string_view name = reference["name"].string_or("");
  if (find_named(configs, name) == nullptr) {
    return fmt::format("provisioningrequestconfigs.kueue.x-k8s.io \"{}\" not found", name);
  }
  return {};
}

bool is_provisioning(View check) {
  return check["spec"]["controllerName"].string_or("") == words::provisioning_controller;
}

class Look {
 public:
  explicit Look(const Provisioning& given) : given_(given), workload_(given.workload) {}

  std::vector<Edit> edits() {
    const bool is_over = is_finished(workload_) || is_evicted(workload_);
    if (is_over) {
      remove_unused({});
    } else if (has_reservation(workload_)) {
      look();
    }
    return std::move(edits_);
  }

 private:
  struct Check {
    Value state;
    const Value* config = nullptr;   // null: the check is not active
    const Value* request = nullptr;  // of the last try
    std::int64_t attempt = 0;        // of it
    std::vector<PodSet> sets = {};
  };

  void look();
  std::vector<Check> checks() const;
  void find_request(Check& check) const;
  bool is_synced(View request, View config) const;

  Value next_state(const Check& check) const;
  Value retried(const Check& check, std::string_view type, std::string_view what) const;
  bool write_states(const std::vector<Check>& checks);

  void remove_unused(const std::set<std::string_view>& used);
  void serve(const Check& check);
  void make(const Check& check, std::int64_t attempt);
  void hand_over_templates(const Value& request);
  void record(std::string_view reason, std::string_view message, bool warning = false);

  const Provisioning& given_;
  const Value& workload_;
  std::vector<Edit> edits_;
};

void Look::look() {
  const std::vector<Check> all = checks();
  if (write_states(all)) return;
  std::set<std::string_view> used;
  for (const Check& check : all) {
    if (check.request != nullptr) used.insert(objects::name_of(*check.request));
  }
  remove_unused(used);
  if (!edits_.empty()) return;
  for (const Check& check : all) serve(check);
}

std::vector<Look::Check> Look::checks() const {
  std::vector<Check> all;
  for (View state : workload_["status"]["admissionChecks"].elements()) {
    const Value* check = find_named(given_.checks, state["name"].string_or(""));
    if (check == nullptr || !is_provisioning(*check)) continue;
    Check next{.state = workload_.part(state)};
    if (parameters_complaint(*check, given_.configs).empty()) {
      next.config =
          find_named(given_.configs, (*check)["spec"]["parameters"]["name"].string_or(""));
      next.sets = provisioned_sets(given_, *next.config);
      if (!next.sets.empty()) find_request(next);
    }
    all.push_back(std::move(next));
  }
  return all;
}

// The configuration may have changed since the request was made; then it is not the one.
bool Look::is_synced(View request, View config) const {
  if (!(request["spec"]["provisioningClassName"] == config["spec"]["provisioningClassName"])) {
    return false;
  }
  for (const auto& [key, value] : config["spec"]["parameters"].members()) {
    if (!(request["spec"]["parameters"][key] == value)) return false;
  }
  return true;
}

void Look::find_request(Check& check) const {
  const std::string prefix =
      fmt::format("{}-{}-", objects::name_of(workload_), check.state["name"].string_or(""));
  for (const Value& request : given_.requests) {
    const std::string_view name = objects::name_of(request);
    if (!name.starts_with(prefix) || objects::is_being_deleted(request)) continue;
    const std::string_view digits = name.substr(prefix.size());
    std::int64_t attempt = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), attempt);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size();
    if (!is_number || !is_synced(request, *check.config) || attempt <= check.attempt) continue;
    check.request = &request;
    check.attempt = attempt;
  }
}

Value with_state(const Value& state, std::string_view name, std::string_view message) {
  return Draft(state)
      .set({"state"}, Value::string(name))
      .set({"message"}, Value::string(message))
      .value();
}

// After a failure the check asks for another try, as often as the configuration allows.
Value Look::retried(const Check& check, std::string_view type, std::string_view what) const {
  const std::string_view why = condition(*check.request, type)["message"].string_or("");
  const View strategy = (*check.config)["spec"]["retryStrategy"];
  if (check.attempt > strategy["backoffLimitCount"].integer_or(3)) {
    return with_state(check.state, "Rejected", why);
  }
  const std::string message = fmt::format("Retrying after {}: {}", what, why);
  const std::int64_t count = check.state["retryCount"].integer_or(0);
  if (check.attempt <= count) {
    return Draft(check.state).set({"message"}, Value::string(message)).value();
  }
  constexpr std::int64_t doublings_max = 30;
  const std::int64_t base = strategy["backoffBaseSeconds"].integer_or(60);
  const std::int64_t wait =
      std::min(saturating_multiply(base, std::int64_t{1} << std::min(count, doublings_max)),
               strategy["backoffMaxSeconds"].integer_or(1800));
  return Draft(with_state(check.state, "Retry", message))
      .set({"retryCount"}, Value::integer(count + 1))
      .set({"requeueAfterSeconds"}, Value::integer(wait))
      .value();
}

Value Look::next_state(const Check& check) const {
  const std::string_view state = check.state["state"].string_or("");
  if (check.config == nullptr) return with_state(check.state, "Pending", "the check is not active");
  if (check.sets.empty()) {
    if (state == "Ready") return check.state;
    return Draft(with_state(check.state, "Ready", "the provisioning request is not needed"))
        .drop({"podSetUpdates"})
        .value();
  }
  if (check.request == nullptr) return check.state;
  const Value& request = *check.request;
  const auto holds = [&](std::string_view type) {
    return objects::is_true(condition(request, type));
  };
  if (holds("Failed")) return retried(check, "Failed", "failure");
  if (holds("CapacityRevoked")) {
    if (!is_active_workload(workload_)) return check.state;
    return with_state(check.state, "Rejected",
                      condition(request, "CapacityRevoked")["message"].string_or(""));
  }
  if (holds("BookingExpired")) {
    if (is_admitted(workload_)) return check.state;
    return retried(check, "BookingExpired", "booking expired");
  }
  const View provisioned = condition(request, "Provisioned");
  if (objects::is_true(provisioned)) {
    if (state == "Ready") return check.state;
    return Draft(with_state(check.state, "Ready", provisioned["message"].string_or("")))
        .set({"podSetUpdates"}, updates_of(workload_, request, *check.config))
        .value();
  }
  if (holds("Accepted")) {
    if (!provisioned) return check.state;
    return with_state(check.state, "Pending", provisioned["message"].string_or(""));
  }
  return with_state(check.state, "Pending", "");
}

// Whether the states of the checks had to be written.
bool Look::write_states(const std::vector<Check>& all) {
  std::vector<Value> states;
  std::vector<std::string> messages;
  bool changed = false;
  for (View each : workload_["status"]["admissionChecks"].elements()) {
    Value next = workload_.part(each);
    for (const Check& check : all) {
      if (!(check.state["name"] == each["name"])) continue;
      next = next_state(check);
      if (next.view() == each) continue;
      changed = true;
      if (next["state"] == each["state"]) continue;
      next = Draft(next)
                 .set({"lastTransitionTime"}, Value::string(format_time(Timestamp::of(given_.now))))
                 .value();
      const std::string_view why = next["message"].string_or("");
      messages.push_back(fmt::format("Admission check {} updated state from {} to {}{}{}",
                                     each["name"].string_or(""), each["state"].string_or(""),
                                     next["state"].string_or(""),
                                     why.empty() ? "" : " with message: ", why));
    }
    states.push_back(std::move(next));
  }
  if (!changed) return false;
  edits_.push_back(Edit::update_status(
      workloads, Draft(workload_).set({"status", "admissionChecks"}, list_of(states)).value()));
  for (const std::string& message : messages) record("AdmissionCheckUpdated", message);
  return true;
}

void Look::remove_unused(const std::set<std::string_view>& used) {
  for (const Value& request : given_.requests) {
    if (used.contains(objects::name_of(request)) || objects::is_being_deleted(request)) continue;
    edits_.push_back(Edit::remove(provisioning_requests, request));
  }
}

void Look::serve(const Check& check) {
  const std::string_view state = check.state["state"].string_or("");
  if (check.config == nullptr || check.sets.empty() || state == "Ready") return;
  if (check.request == nullptr) {
    return make(check, check.state["retryCount"].integer_or(0) + 1);
  }
  const bool is_lost =
      objects::is_true(condition(*check.request, "Failed")) ||
      (objects::is_true(condition(*check.request, "BookingExpired")) && !is_admitted(workload_));
  if (is_lost && state == "Pending") return make(check, check.attempt + 1);
  hand_over_templates(*check.request);
}

void Look::make(const Check& check, std::int64_t attempt) {
  const std::string name = provisioning_request_name(objects::name_of(workload_),
                                                     check.state["name"].string_or(""), attempt);
  for (const PodSet& set : check.sets) {
    const std::string template_name = pod_template_name(name, set.name);
    if (find_named(given_.templates, template_name) != nullptr) continue;
    auto made = pod_template_of(given_, template_name, set);
    if (!made) {
      record(
          "FailedCreate",
          fmt::format("Error creating PodTemplate \"{}\": {}", template_name, made.error().message),
          true);
      return;
    }
    edits_.push_back(Edit::create(pod_templates, *std::move(made)));
  }
  edits_.push_back(
      Edit::create(provisioning_requests, request_of(given_, *check.config, name, check.sets)));
  record("ProvisioningRequestCreated", fmt::format("Created ProvisioningRequest: \"{}\"", name));
}

// The templates of a request go with it.
void Look::hand_over_templates(const Value& request) {
  for (View set : request["spec"]["podSets"].elements()) {
    const Value* made = find_named(given_.templates, set["podTemplateRef"]["name"].string_or(""));
    if (made == nullptr) continue;
    const View owner = objects::controller_of(*made);
    if (owner["uid"].string_or("") != objects::uid_of(workload_)) continue;
    edits_.push_back(Edit::update(
        pod_templates,
        Draft(*made)
            .set({"metadata", "ownerReferences"},
                 Value::array({controller_reference(provisioning_requests.api_version(),
                                                    provisioning_requests.kind, request)}))
            .value()));
  }
}

void Look::record(std::string_view reason, std::string_view message, bool warning) {
  edits_.push_back(Edit::record({.resource = workloads,
                                 .about = workload_,
                                 .warning = warning,
                                 .reason = std::string(reason),
                                 .message = std::string(message.substr(0, 1024)),
                                 .component = std::string(component)}));
}

}  // namespace

std::vector<Edit> provision(const Provisioning& given) {
  return Look(given).edits();
}

std::vector<Edit> judge_provisioning_check(const Value& check, std::span<const Value> configs,
                                           Instant now) {
  if (!is_provisioning(check) || objects::is_being_deleted(check)) return {};
  const std::string complaint = parameters_complaint(check, configs);
  const std::string_view wanted = complaint.empty() ? "True" : "False";
  if (condition(check, "Active")["status"].string_or("") == wanted) return {};
  const Value next = objects::with_condition(
      check,
      {.type = "Active",
       .status = std::string(wanted),
       .reason = complaint.empty() ? "Active" : "BadParametersRef",
       .message = complaint.empty() ? "The admission check is active" : complaint,
       .observed_generation = objects::generation_of(check)},
      now);
  return {Edit::update_status(admission_checks, next)};
}

}  // namespace muster::core
