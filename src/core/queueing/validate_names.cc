// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/validate_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/timestamp.h"
#include "objects/go_structs.h"
#include "objects/limits.h"
#include "objects/schema/formats.h"

namespace muster::core {

using objects::FieldError;
using objects::MemberView;
using objects::Value;
using objects::View;

namespace {

constexpr std::size_t condition_reason_bytes_max = 1024;
constexpr std::size_t condition_message_bytes_max = std::size_t{32} * 1024;

void refuse_label_value(std::string_view value, const std::string& path, WebhookReport& report) {
  for (std::string& sentence : objects::label_value_violations(value)) {
    report.invalid(path, quoted(value), std::move(sentence));
  }
}

void check_requirement(View requirement, const std::string& path, WebhookReport& report) {
  const std::string_view how = requirement["operator"].string_or("");
  const View values = requirement["values"];
  if (how == "In" || how == "NotIn") {
    if (values.empty()) {
      report.errors.add(FieldError::required(
          path + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (how == "Exists" || how == "DoesNotExist") {
    if (!values.empty()) {
      report.errors.add(FieldError::forbidden(
          path + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else {
    report.invalid(path + ".operator", word(how), "not a valid selector operator");
  }
  check_label_key(requirement["key"].string_or(""), path + ".key", report);
  for (std::size_t i = 0; i < values.size(); ++i) {
    refuse_label_value(values[i].string_or(""), fmt::format("{}.values[{}]", path, i), report);
  }
}

bool is_condition_reason(std::string_view reason) {
  const auto is_inner = [](char c) { return is_alnum(c) || c == '_' || c == ',' || c == ':'; };
  const char last = reason.back();
  return is_letter(reason.front()) && (is_alnum(last) || last == '_') &&
         std::all_of(reason.begin(), reason.end(), is_inner);
}

void check_reason(std::string_view reason, const std::string& path, WebhookReport& report) {
  if (reason.empty()) {
    report.errors.add(FieldError::required(path));
    return;
  }
  if (!is_condition_reason(reason)) {
    report.invalid(
        path, quoted(reason),
        "a condition reason must start with alphabetic character, optionally followed by a string "
        "of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' "
        "(e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or "
        "'ReasonA:ReasonB', regex used for validation is "
        "'[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')");
  }
  if (reason.size() > condition_reason_bytes_max) {
    report.errors.add(FieldError::too_long(path, condition_reason_bytes_max));
  }
}

void check_condition(View condition, const std::string& path, WebhookReport& report) {
  check_label_key(condition["type"].string_or(""), path + ".type", report);
  const std::string_view status = condition["status"].string_or("");
  if (status != "True" && status != "False" && status != "Unknown") {
    report.errors.add({FieldError::Type::not_supported, path + ".status", word(status),
                       "supported values: \"False\", \"True\", \"Unknown\""});
  }
  const std::int64_t generation = condition["observedGeneration"].integer_or(0);
  if (generation < 0) {
    report.invalid(path + ".observedGeneration", fmt::format("{}", generation),
                   "must be greater than or equal to zero");
  }
  const auto changed = parse_time(condition["lastTransitionTime"].string_or(""));
  if (!changed || changed->is_go_zero()) {
    report.errors.add(FieldError::required(path + ".lastTransitionTime"));
  }
  check_reason(condition["reason"].string_or(""), path + ".reason", report);
  if (condition["message"].string_or("").size() > condition_message_bytes_max) {
    report.errors.add(FieldError::too_long(path + ".message", condition_message_bytes_max));
  }
}

}  // namespace

void check_label_key(std::string_view key, const std::string& path, WebhookReport& report) {
  for (std::string& sentence : objects::qualified_name_violations(key)) {
    report.invalid(path, quoted(key), std::move(sentence));
  }
}

void check_labels(View labels, const std::string& path, WebhookReport& report) {
  for (const MemberView label : labels.members()) {
    check_label_key(label.key, path, report);
    refuse_label_value(label.value.string_or(""), path, report);
  }
}

void check_annotations(View annotations, const std::string& path, WebhookReport& report) {
  std::size_t bytes = 0;
  for (const MemberView annotation : annotations.members()) {
    std::string lower(annotation.key);
    for (char& c : lower) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    for (std::string& sentence : objects::qualified_name_violations(lower)) {
      report.invalid(path, quoted(annotation.key), std::move(sentence));
    }
    bytes += annotation.key.size() + annotation.value.string_or("").size();
  }
  if (bytes > objects::annotation_bytes_max) {
    report.errors.add(FieldError::too_long(path, objects::annotation_bytes_max));
  }
}

void check_label_selector(View selector, const std::string& path, WebhookReport& report) {
  check_labels(selector["matchLabels"], path + ".matchLabels", report);
  const View requirements = selector["matchExpressions"];
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    check_requirement(requirements[i], fmt::format("{}.matchExpressions[{}]", path, i), report);
  }
}

void check_tolerations(View tolerations, const std::string& path, WebhookReport& report) {
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const std::string_view key = tolerations[i]["key"].string_or("");
    if (!key.empty()) check_label_key(key, fmt::format("{}[{}].key", path, i), report);
  }
}

void check_taints(const Value& taints, const std::string& path, WebhookReport& report) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (std::size_t i = 0; i < taints.view().size(); ++i) {
    const View taint = taints[i];
    const std::string at = fmt::format("{}[{}]", path, i);
    const std::string_view key = taint["key"].string_or("");
    const std::string_view value = taint["value"].string_or("");
    check_label_key(key, at + ".key", report);
    const auto sentences = objects::label_value_violations(value);
    if (!sentences.empty()) {
      report.invalid(at + ".value", quoted(value), fmt::format("{}", fmt::join(sentences, ";")));
    }
    if (!seen.emplace(taint["effect"].string_or(""), key).second) {
      report.errors.add({FieldError::Type::duplicate, at,
                         objects::to_go_json(objects::go_type("core.v1.Taint"), taints.part(taint)),
                         "taints must be unique by key and effect pair"});
    }
  }
}

void check_conditions(View conditions, const std::string& path, WebhookReport& report) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const std::string at = fmt::format("{}[{}]", path, i);
    const std::string_view type = conditions[i]["type"].string_or("");
    if (!seen.insert(type).second) {
      report.errors.add({FieldError::Type::duplicate, at + ".type", quoted(type), {}});
    }
    check_condition(conditions[i], at, report);
  }
}

void check_domain_prefixed_path(std::string_view text, const std::string& path,
                                WebhookReport& report) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::string_view host = text.substr(0, slash);
  const std::string_view rest = text.substr(std::min(slash + 1, text.size()));
  if (host.empty() || rest.empty()) {
    report.invalid(path, quoted(text), "must be a domain-prefixed path (such as \"acme.io/foo\")");
    return;
  }
  for (std::string& sentence : objects::dns_subdomain_violations(host)) {
    report.invalid(path, quoted(host), std::move(sentence));
  }
  constexpr std::string_view marks = "/-._~%!$&'()*+,;=:";
  const bool is_path = std::all_of(rest.begin(), rest.end(), [&](char c) {
    return is_alnum(c) || marks.find(c) != std::string_view::npos;
  });
  if (!is_path) {
    report.invalid(
        path, quoted(rest),
        "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
  }
}

}  // namespace muster::core
