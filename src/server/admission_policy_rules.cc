// What is wrong with a ValidatingAdmissionPolicy, or a binding, that is written.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "objects/cel/cel.h"
#include "objects/schema/formats.h"
#include "server/admission_policies.h"
#include "server/hook_rule.h"

namespace muster::server {

using objects::CelResult;
using objects::FieldError;
using objects::FieldErrors;
using objects::Format;
using objects::Value;
using objects::View;

namespace {

const std::array<std::string, 3> reasons = {"Forbidden", "Invalid", "RequestEntityTooLarge"};
const std::array<std::string, 3> actions = {"Audit", "Deny", "Warn"};

bool is_blank(View text) {
  return text.string_or("").find_first_not_of(" \t\n\v\f\r") == std::string_view::npos;
}

bool is_name(std::string_view text) {
  const auto fits = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !text.empty() && !(text.front() >= '0' && text.front() <= '9') &&
         std::all_of(text.begin(), text.end(), fits);
}

// Nothing is known of what lies in an object or in parameters. (Of variables the peer knows it.)
bool is_plain_path(std::string_view expression) {
  const bool begins = expression.starts_with("object.") || expression.starts_with("oldObject.") ||
                      expression.starts_with("params.");
  return begins && std::all_of(expression.begin(), expression.end(), [](char c) {
           return c == '.' || is_name(std::string_view(&c, 1)) || (c >= '0' && c <= '9');
         });
}

void check_match(View match, const std::string& path, FieldErrors& errors) {
  for (const std::string_view list : {"resourceRules", "excludeResourceRules"}) {
    for (std::size_t i = 0; i < match[list].size(); ++i) {
      check_hook_rule(match[list][i], fmt::format("{}.{}[{}]", path, list, i), errors);
    }
  }
}

// What the schema says about rules is said here as well, in the peer's order.
FieldErrors without_rules(const FieldErrors& errors) {
  FieldErrors kept;
  for (const FieldError& error : errors) {
    if (error.path.find("esourceRules[") == std::string::npos) kept.add(error);
  }
  return kept;
}

class PolicyRules {
 public:
  explicit PolicyRules(Admission& admission)
      : admission_(admission),
        spec_(admission.object["spec"]),
        names_(policy_names(admission.object["spec"])) {}

  void check() {
    if (spec_["paramKind"].is_object()) check_parameters(spec_["paramKind"]);
    if (!spec_["matchConstraints"].is_object()) {
      add(FieldError::required("spec.matchConstraints"));
    } else if (spec_["matchConstraints"]["resourceRules"].empty()) {
      add(FieldError::required("spec.matchConstraints.resourceRules"));
    }
    check_match(spec_["matchConstraints"], "spec.matchConstraints", admission_.errors);
    check_conditions();
    each("variables", [this](const std::string& path, View variable) { check(path, variable); });
    if (spec_["validations"].empty() && spec_["auditAnnotations"].empty()) {
      for (const std::string_view list : {"validations", "auditAnnotations"}) {
        add(FieldError::required(fmt::format("spec.{}", list),
                                 "validations or auditAnnotations must contain at least one item"));
      }
    }
    each("validations",
         [this](const std::string& path, View validation) { check_validation(path, validation); });
    each("auditAnnotations",
         [this](const std::string& path, View annotation) { check_annotation(path, annotation); });
  }

 private:
  void check_parameters(View kind) {
    const std::string path = "spec.paramKind.apiVersion";
    const std::string_view text = kind["apiVersion"].string_or("");
    const std::size_t slash = text.find('/');
    const std::string_view version = slash == text.npos ? text : text.substr(slash + 1);
    if (text.empty()) {
      add(FieldError::required(path));
    } else if (version.find('/') != text.npos) {
      add(FieldError::invalid(path, kind["apiVersion"],
                              fmt::format("unexpected GroupVersion string: {}", text)));
    } else {
      if (slash != text.npos) {
        check_name(path, text.substr(0, slash), Format::dns_subdomain);
      }
      check_name(path, version, Format::dns1035_label);
    }
    const View name = kind["kind"];
    if (name.string_or("").empty()) return add(FieldError::required("spec.paramKind.kind"));
    std::string lower(name.string_or(""));
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const auto violations = objects::native_violations(Format::dns1035_label, lower);
    if (violations.empty()) return;
    add(FieldError::invalid("spec.paramKind.kind", name,
                            fmt::format("may have mixed case, but should otherwise match: {}",
                                        fmt::join(violations, ","))));
  }

  void check_name(const std::string& path, std::string_view name, Format format) {
    const auto violations = objects::native_violations(format, name);
    if (violations.empty()) return;
    add(FieldError::invalid(path, Value::string(name),
                            fmt::format("{}", fmt::join(violations, ","))));
  }

  template <class Visit>
  void each(std::string_view list, Visit&& visit) {
    for (std::size_t i = 0; i < spec_[list].size(); ++i) {
      visit(fmt::format("spec.{}[{}]", list, i), spec_[list][i]);
    }
  }

  void add(FieldError error) { admission_.errors.add(std::move(error)); }

  // `wanted` in the words of the peer; empty: anything.
  void check_expression(const std::string& path, View expression, std::string_view wanted) {
    const std::string_view text = expression.string_or("");
    const auto program =
        objects::compile_cel(text, {.variables = names_, .result = CelResult::any});
    if (!program) {
      return add(
          FieldError::invalid(path, expression, "compilation failed: " + program.error().message));
    }
    if (wanted.empty()) return;
    const std::string_view kind = program->result_kind();
    const bool is_unknown = kind == "dyn" && !is_plain_path(text);
    if (kind == wanted || is_unknown) return;
    add(FieldError::invalid(path, expression,
                            fmt::format("must evaluate to {} but got {}", wanted, kind)));
  }

  void check_conditions() {
    std::set<std::string, std::less<>> names;
    each("matchConditions", [&](const std::string& path, View condition) {
      if (is_blank(condition["expression"])) {
        add(FieldError::required(path + ".expression"));
      } else {
        check_expression(path + ".expression", condition["expression"], "bool");
      }
      const std::string_view name = condition["name"].string_or("");
      if (name.empty()) add(FieldError::required(path + ".name"));
      if (!name.empty()) {
        for (std::string& why : objects::qualified_name_violations(name)) {
          add(FieldError::invalid(path + ".name", condition["name"], std::move(why)));
        }
      }
      if (!name.empty() && !names.emplace(name).second) {
        add(FieldError::duplicate(path + ".name", condition["name"]));
      }
    });
  }

  void check(const std::string& path, View variable) {
    if (is_blank(variable["name"])) {
      add(FieldError::required(path + ".name", "name is not specified"));
    } else if (!is_name(variable["name"].string_or(""))) {
      add(FieldError::invalid(path + ".name", variable["name"], "must be a valid CEL identifier"));
    }
    if (is_blank(variable["expression"])) {
      add(FieldError::required(path + ".expression", "expression is not specified"));
    } else {
      check_expression(path + ".expression", variable["expression"], {});
    }
  }

  void check_validation(const std::string& path, View validation) {
    if (is_blank(validation["expression"])) {
      add(FieldError::required(path + ".expression", "expression is not specified"));
    } else {
      check_expression(path + ".expression", validation["expression"], "bool");
    }
    const View said = validation["messageExpression"];
    if (!said.string_or("").empty() && is_blank(said)) {
      add(FieldError::invalid(path + ".messageExpression", said, "must be non-empty if specified"));
    } else if (!is_blank(said)) {
      check_expression(path + ".messageExpression", said, "string");
    }
    check_message(path + ".message", validation["message"]);
    const View reason = validation["reason"];
    if (reason &&
        std::find(reasons.begin(), reasons.end(), reason.string_or("")) == reasons.end()) {
      add(FieldError::not_supported(path + ".reason", reason, reasons));
    }
  }

  void check_message(const std::string& path, View message) {
    const std::string_view text = message.string_or("");
    if (!text.empty() && is_blank(message)) {
      return add(FieldError::invalid(path, message, "must be non-empty if specified"));
    }
    const std::size_t begin = text.find_first_not_of(" \t\n\r");
    const std::size_t end = text.find_last_not_of(" \t\n\r");
    const std::size_t line = text.find_first_of("\n\r", std::min(begin, text.size()));
    if (line != std::string_view::npos && line < end) {
      add(FieldError::invalid(path, message, "must not contain line breaks"));
    }
  }

  void check_annotation(const std::string& path, View annotation) {
    const View value = annotation["valueExpression"];
    if (is_blank(value)) {
      return add(
          FieldError::required(path + ".valueExpression", "valueExpression is not specified"));
    }
    const auto program =
        objects::compile_cel(value.string_or(""), {.variables = names_, .result = CelResult::any});
    if (!program) {
      return add(FieldError::invalid(path + ".valueExpression", value,
                                     "compilation failed: " + program.error().message));
    }
    const std::string_view kind = program->result_kind();
    if (kind == "string" || kind == "null" || kind == "dyn") return;
    add(FieldError::invalid(
        path + ".valueExpression", value,
        fmt::format("must evaluate to one of [string null_type] but got {}", kind)));
  }

  Admission& admission_;
  const View spec_;
  const std::vector<std::string> names_;
};

}  // namespace

Outcome<> admit_admission_policy(Admission& admission) {
  admission.errors = without_rules(admission.errors);
  if (admission.target.subresource.empty()) PolicyRules(admission).check();
  return {};
}

Outcome<> admit_policy_binding(Admission& admission) {
  admission.errors = without_rules(admission.errors);
  const View spec = admission.object["spec"];
  const auto add = [&admission](FieldError error) { admission.errors.add(std::move(error)); };
  if (const View policy = spec["policyName"]; !policy.string_or("").empty()) {
    for (std::string& why :
         objects::native_violations(Format::dns_subdomain, policy.string_or(""))) {
      add(FieldError::invalid("spec.policyName", policy, std::move(why)));
    }
  }
  if (const View reference = spec["paramRef"]; reference.is_object()) {
    const bool named = !reference["name"].string_or("").empty();
    const bool selects = reference["selector"].is_object();
    constexpr std::string_view exclusive = "name and selector are mutually exclusive";
    if (named && selects) {
      add(FieldError::forbidden("spec.paramRef.name", std::string(exclusive)));
      add(FieldError::forbidden("spec.paramRef.selector", std::string(exclusive)));
    }
    if (!named && !selects) {
      add(FieldError::required("spec.paramRef", "one of name or selector must be specified"));
    }
    const View missing = reference["parameterNotFoundAction"];
    if (missing.string_or("").empty()) {
      add(FieldError::required("spec.paramRef.parameterNotFoundAction"));
    } else if (missing.string_or("") != "Deny" && missing.string_or("") != "Allow") {
      const std::string supported[] = {"Deny", "Allow"};
      add(FieldError::not_supported("spec.paramRef.parameterNotFoundAction", missing, supported));
    }
  }
  check_match(spec["matchResources"], "spec.matchResources", admission.errors);
  const View list = spec["validationActions"];
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string path = fmt::format("spec.validationActions[{}]", i);
    const std::string_view action = list[i].string_or("");
    if (std::find(actions.begin(), actions.end(), action) == actions.end()) {
      add(FieldError::not_supported(path, list[i], actions));
    }
    if (!seen.insert(action).second) add(FieldError::duplicate(path, list[i]));
  }
  if (seen.contains("Deny") && seen.contains("Warn")) {
    add(FieldError::invalid("spec.validationActions", list,
                            "must not contain both Deny and Warn (repeating the same validation "
                            "failure information in the API response and headers serves no "
                            "purpose)"));
  }
  if (seen.empty()) {
    add(FieldError::required("spec.validationActions",
                             "at least one validation action is required"));
  }
  return {};
}

}  // namespace muster::server
