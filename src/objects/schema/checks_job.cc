// SPDX-License-Identifier: Apache-2.0
// Jobs: how their counts fit together, and what their policies say. The same for a job and for the
// template of a CronJob.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <vector>

#include "objects/schema/checks_pod.h"
#include "objects/schema/job_indexes.h"
#include "objects/schema/struct_text.h"

namespace muster::objects {

namespace {

constexpr std::int64_t indexed_parallelism_max = 100'000;
constexpr std::int64_t indexed_completions_max = 100'000;
constexpr std::int64_t many_parallelism_max = 10'000;
constexpr std::int64_t many_failed_indexes_max = 10'000;

bool is_indexed(const CheckScope& scope) {
  return scope.text("completionMode") == "Indexed";
}

void check_counts(CheckScope& scope) {
  const View completions = scope["completions"];
  const View parallelism = scope["parallelism"];
  const View per_index = scope["backoffLimitPerIndex"];
  const View failed = scope["maxFailedIndexes"];
  if (failed && !per_index) {
    scope.required(".backoffLimitPerIndex", "when maxFailedIndexes is specified");
  }
  if (!is_indexed(scope)) {
    constexpr std::string_view why = "requires indexed completion mode";
    if (per_index) scope.invalid(".backoffLimitPerIndex", per_index, std::string(why));
    if (failed) scope.invalid(".maxFailedIndexes", failed, std::string(why));
    return;
  }
  if (!completions) scope.required(".completions", "when completion mode is Indexed");
  if (parallelism.integer_or(0) > indexed_parallelism_max) {
    scope.invalid(".parallelism", parallelism,
                  fmt::format("must be less than or equal to {} when completion mode is Indexed",
                              indexed_parallelism_max));
  }
  const std::int64_t count = completions.integer_or(0);
  if (completions && failed && failed.integer_or(0) > count) {
    scope.invalid(".maxFailedIndexes", failed, "must be less than or equal to completions");
  }
  if (!completions || !per_index || count <= indexed_completions_max) return;
  if (!failed) {
    scope.required(
        ".maxFailedIndexes",
        fmt::format("must be specified when completions is above {}", indexed_completions_max));
  } else if (failed.integer_or(0) > many_failed_indexes_max) {
    scope.invalid(".maxFailedIndexes", failed,
                  fmt::format("must be less than or equal to {} when completions are above {} and "
                              "used with backoff limit per index",
                              many_failed_indexes_max, indexed_completions_max));
  }
  if (parallelism.integer_or(0) > many_parallelism_max) {
    scope.invalid(".parallelism", parallelism,
                  fmt::format("must be less than or equal to {} when completions are above {} and "
                              "used with backoff limit per index",
                              many_parallelism_max, indexed_completions_max));
  }
}

void check_restart(CheckScope& scope) {
  constexpr std::string_view place = ".template.spec.restartPolicy";
  const std::string_view restart = scope["template"]["spec"]["restartPolicy"].string_or("");
  if (restart == "Always") {
    add_late(scope, FieldError::required(scope.at(place), R"(valid values: "OnFailure", "Never")"));
  } else if (restart != "OnFailure" && restart != "Never") {
    const std::string supported[] = {"OnFailure", "Never"};
    add_late(scope, FieldError::not_supported(scope.at(place), Value::string(restart), supported));
  } else if (scope["podFailurePolicy"] && restart != "Never") {
    add_late(scope,
             FieldError::invalid(scope.at(place), Value::string(restart),
                                 "only \"Never\" is supported when podFailurePolicy is specified"));
  }
}

void check_replacement(CheckScope& scope) {
  const View policy = scope["podReplacementPolicy"];
  if (!policy) return;
  const std::string_view text = policy.string_or("");
  if (scope["podFailurePolicy"]) {
    if (text != "Failed") scope.not_supported(".podReplacementPolicy", text, {"Failed"});
  } else if (text != "Failed" && text != "TerminatingOrFailed") {
    scope.not_supported(".podReplacementPolicy", text, {"Failed", "TerminatingOrFailed"});
  }
}

void check_managed_by(CheckScope& scope) {
  const View by = scope["managedBy"];
  const std::string_view text = by.string_or("");
  if (!by) return;
  if (text.empty()) return scope.required(".managedBy");
  constexpr std::size_t bytes_max = 63;
  const std::size_t slash = text.find('/');
  const bool has_domain = slash != std::string_view::npos && slash > 0 && slash + 1 < text.size() &&
                          dns_subdomain_violations(text.substr(0, slash)).empty();
  if (!has_domain) {
    scope.invalid(".managedBy", by, "must be a domain-prefixed path (such as \"acme.io/foo\")");
  }
  if (text.size() > bytes_max) scope.too_long(".managedBy", bytes_max);
}

// Failure policies.

bool has_container(View pod, std::string_view name) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (View container : pod[list].elements()) {
      if (container["name"].string_or("") == name) return true;
    }
  }
  return false;
}

void check_exit_codes(CheckScope& scope, const std::string& place, View codes) {
  const std::string_view operation = codes["operator"].string_or("");
  if (operation != "In" && operation != "NotIn") {
    if (operation.empty()) {
      scope.required(place + ".operator", R"(valid values: ["In" "NotIn"])");
    } else {
      scope.not_supported(place + ".operator", operation, {"In", "NotIn"});
    }
  }
  const View container = codes["containerName"];
  if (container && !has_container(scope["template"]["spec"], container.string_or(""))) {
    scope.invalid(place + ".containerName", container,
                  "must be one of the container or initContainer names in the pod template");
  }
  const View values = codes["values"];
  if (values.empty()) {
    scope.invalid_printed(place + ".values", "null", "at least one value is required");
  }
  bool is_ordered = true;
  std::set<std::int64_t> known;
  std::size_t index = 0;
  for (View value : values.elements()) {
    const std::string at = fmt::format("{}.values[{}]", place, index++);
    const std::int64_t code = value.integer_or(0);
    if (operation == "In" && code == 0) {
      scope.invalid(at, value, "must not be 0 for the In operator");
    }
    if (known.contains(code)) {
      scope.duplicate(at, value);
    } else {
      is_ordered = is_ordered && (known.empty() || *known.rbegin() < code);
      known.insert(code);
    }
  }
  if (!is_ordered) scope.invalid(place + ".values", values, "must be ordered");
}

void check_failure_rule(CheckScope& scope, const std::string& place, View rule) {
  const std::string_view action = rule["action"].string_or("");
  if (action.empty()) {
    scope.required(place + ".action", R"(valid values: ["Count" "FailIndex" "FailJob" "Ignore"])");
  } else if (action == "FailIndex") {
    if (!scope["backoffLimitPerIndex"]) {
      scope.invalid(place + ".action", action, "requires the backoffLimitPerIndex to be set");
    }
  } else if (action != "Count" && action != "FailJob" && action != "Ignore") {
    scope.not_supported(place + ".action", action, {"Count", "FailIndex", "FailJob", "Ignore"});
  }
  const View codes = rule["onExitCodes"];
  const View conditions = rule["onPodConditions"];
  if (codes) check_exit_codes(scope, place + ".onExitCodes", codes);
  std::size_t index = 0;
  for (View condition : conditions.elements()) {
    const std::string at = fmt::format("{}.onPodConditions[{}]", place, index++);
    scope.format(at + ".type", condition["type"].string_or(""), Format::qualified_name);
    const std::string_view status = condition["status"].string_or("");
    if (!status.empty() && status != "True" && status != "False" && status != "Unknown") {
      scope.not_supported(at + ".status", status, {"False", "True", "Unknown"});
    }
  }
  const auto refuse = [&](std::string_view why) {
    scope.add({FieldError::Type::invalid, scope.at(place), "", std::string(why)});
  };
  if (codes && !conditions.empty()) {
    refuse("specifying both OnExitCodes and OnPodConditions is not supported");
  } else if (!codes && conditions.empty()) {
    refuse("specifying one of OnExitCodes and OnPodConditions is required");
  }
}

// Success policies.

void check_success_rule(CheckScope& scope, const std::string& place, View rule) {
  const View count = rule["succeededCount"];
  const View indexes = rule["succeededIndexes"];
  if (!count && !indexes) {
    scope.required(place, "at least one of succeededCount or succeededIndexes must be specified");
    return;
  }
  const std::int64_t completions = scope["completions"].integer_or(0);
  JobIndexes read;
  if (indexes) {
    read = read_job_indexes(indexes.string_or(""), completions);
    if (!read.refusal.empty()) {
      scope.invalid(place + ".succeededIndexes", indexes,
                    "error parsing succeededIndexes: " + read.refusal);
    }
  }
  if (!count) return;
  if (count.integer_or(0) > completions) {
    scope.invalid(place + ".succeededCount", count,
                  fmt::format("must be less than or equal to {} (the number of specified "
                              "completions)",
                              completions));
  }
  if (!read.refusal.empty()) read.count = 0;
  if (indexes && count.integer_or(0) > read.count) {
    scope.invalid(place + ".succeededCount", count,
                  fmt::format("must be less than or equal to {} (the number of indexes in the "
                              "specified succeededIndexes field)",
                              read.count));
  }
}

void check_success_policy(CheckScope& scope) {
  const View policy = scope["successPolicy"];
  if (!policy) return;
  if (!is_indexed(scope)) {
    scope.invalid_printed(
        ".successPolicy",
        policy["rules"].empty() ? R"({"Rules":[]})" : printed_success_policy(policy),
        "requires indexed completion mode");
    return;
  }
  const View rules = policy["rules"];
  if (rules.empty()) {
    scope.required(".successPolicy.rules",
                   "at least one rules must be specified when the successPolicy is specified");
  }
  std::size_t index = 0;
  for (View rule : rules.elements()) {
    check_success_rule(scope, fmt::format(".successPolicy.rules[{}]", index++), rule);
  }
}

void check_job(CheckScope& scope) {
  check_counts(scope);
  check_managed_by(scope);
  std::size_t index = 0;
  for (View rule : scope["podFailurePolicy"]["rules"].elements()) {
    check_failure_rule(scope, fmt::format(".podFailurePolicy.rules[{}]", index++), rule);
  }
  check_success_policy(scope);
  check_replacement(scope);
  check_restart(scope);
}

bool read_index(std::string_view text, std::int64_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

JobIndexes read_job_indexes(std::string_view text, std::int64_t completions) {
  JobIndexes out;
  bool is_first = true;
  std::int64_t last = 0;
  const auto take = [&](std::string_view word, std::int64_t& value) {
    if (!read_index(word, value)) {
      out.refusal = fmt::format("cannot convert string to integer for index: {}", go_quoted(word));
    } else if (!is_first && value <= last) {
      out.refusal = fmt::format("non-increasing order, previous: {}, current: {}", last, value);
    } else if (value >= completions) {
      out.refusal = fmt::format("too large index: {}", go_quoted(word));
    }
    is_first = false;
    last = value;
    return out.refusal.empty();
  };
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    const std::size_t dash = part.find('-');
    std::int64_t from = 0;
    if (!take(part.substr(0, dash), from)) return out;
    std::int64_t to = from;
    if (dash != std::string_view::npos && !take(part.substr(dash + 1), to)) return out;
    out.count += to - from + 1;
  }
  return out;
}

std::span<const NamedCheck> job_checks() {
  static constexpr NamedCheck checks[] = {{"job", check_job}};
  return checks;
}

}  // namespace muster::objects
