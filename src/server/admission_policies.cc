// SPDX-License-Identifier: Apache-2.0
#include "server/admission_policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "objects/builder.h"
#include "objects/cel/cel.h"
#include "objects/label_selector.h"
#include "objects/metadata.h"
#include "server/webhook_match.h"
#include "server/webhook_review.h"
#include "server/write.h"

namespace muster::server {

using objects::Builder;
using objects::CelBudget;
using objects::CelResult;
using objects::LabelSelector;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view group = "admissionregistration.k8s.io";
constexpr std::string_view message_default_reason = "Invalid";

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(blanks) - begin + 1));
}

// One answer of a policy that speaks against the request.
struct Denial {
  std::string message;
  std::string reason = std::string(message_default_reason);
};

// ---- One policy, one object of parameters
// ----------------------------------------------------

class Evaluation {
 public:
  Evaluation(View policy, View request, const Value& params, const Value& name_space)
      : policy_(policy),
        request_(request),
        params_(params),
        name_space_(name_space),
        names_(policy_names(policy["spec"])) {}

  // Every rule that is broken or cannot be told; nothing where the match conditions do not hold.
  std::vector<Denial> denials() {
    std::vector<Denial> found;
    const auto matches = conditions_hold();
    if (!matches) return failures(matches.error().message);
    if (!*matches) return found;
    evaluate_variables();
    for (View validation : policy_["spec"]["validations"].elements()) {
      const View expression = validation["expression"];
      const auto holds = evaluate(expression, CelResult::boolean);
      if (!holds) {
        if (!ignores_failures()) found.push_back({.message = holds.error().message, .reason = {}});
      } else if (!holds->view().boolean_or(false)) {
        found.push_back(
            {.message = message_of(validation),
             .reason = std::string(validation["reason"].string_or(message_default_reason))});
      }
    }
    return found;
  }

 private:
  bool ignores_failures() const {
    return policy_["spec"]["failurePolicy"].string_or("Fail") == "Ignore";
  }

  std::vector<Denial> failures(std::string why) const {
    if (ignores_failures()) return {};
    return {{.message = std::move(why), .reason = {}}};
  }

  Result<bool> conditions_hold() {
    for (View condition : policy_["spec"]["matchConditions"].elements()) {
      const Value holds = TRY(evaluate(condition["expression"], CelResult::boolean));
      if (!holds.view().boolean_or(false)) return false;
    }
    return true;
  }

  // In order: each may use those before it. One that fails is missed only by who uses it.
  void evaluate_variables() {
    for (View variable : policy_["spec"]["variables"].elements()) {
      const std::string name(variable["name"].string_or(""));
      const auto value = evaluate(variable["expression"], CelResult::any);
      if (!value) {
        failed_variables_.emplace_back(name, value.error().field);
        continue;
      }
      Builder builder;
      std::vector<Node> pairs;
      for (const auto& [key, known] : variables_.view().members()) {
        pairs.push_back(builder.text(key));
        pairs.push_back(builder.copy(known));
      }
      pairs.push_back(builder.text(name));
      pairs.push_back(builder.copy(*value));
      const Node node = builder.object_of_pairs(pairs);
      variables_ = std::move(builder).finish(node);
    }
  }

  Result<Value> evaluate(View expression, CelResult result) {
    const auto program =
        objects::compile_cel(expression.string_or(""), {.variables = names_, .result = result});
    // Who uses a variable is told the bare reason, which is kept beside the sentence.
    const auto failed = [&](std::string_view why) {
      return Error::invalid(
          fmt::format("expression '{}' resulted in error: {}", expression.string_or(""), why),
          std::string(why));
    };
    if (!program) return failed(program.error().message);
    std::vector<View> values = {request_["object"], request_["oldObject"], request_, name_space_};
    if (policy_["spec"]["paramKind"].is_object()) values.emplace_back(params_);
    if (!policy_["spec"]["variables"].empty()) values.emplace_back(variables_);
    auto value = program->evaluate(values, budget_);
    if (value) return value;
    for (const auto& [name, why] : failed_variables_) {
      if (value.error().message == "no such key: " + name) {
        return failed(fmt::format("composited variable \"{}\" fails to evaluate: {}", name, why));
      }
    }
    return failed(value.error().message);
  }

  std::string message_of(View validation) {
    if (const View expression = validation["messageExpression"];
        !expression.string_or("").empty()) {
      const auto said = evaluate(expression, CelResult::text);
      std::string text = said ? trimmed(said->view().string_or("")) : std::string();
      const bool fits =
          text.size() <= policy_message_bytes_max && text.find('\n') == std::string::npos;
      if (!text.empty() && fits) return text;
    }
    std::string text = trimmed(validation["message"].string_or(""));
    if (!text.empty()) return text;
    return "failed expression: " + trimmed(validation["expression"].string_or(""));
  }

  const View policy_;
  const View request_;
  const Value& params_;
  const Value& name_space_;
  const std::vector<std::string> names_;
  Value variables_ = Value::object({});
  std::vector<std::pair<std::string, std::string>> failed_variables_;
  CelBudget budget_;
};

// ---- Parameters
// ------------------------------------------------------------------------------

struct ParamPlace {
  objects::KindRegistry::Found kind;
  const objects::KindVersion* version = nullptr;
};

Result<ParamPlace> param_place(const Context& context, View param_kind) {
  const std::string_view api_version = param_kind["apiVersion"].string_or("");
  const std::string_view kind_name = param_kind["kind"].string_or("");
  const std::size_t slash = api_version.find('/');
  const bool is_core = slash == std::string_view::npos;
  const std::string_view kind_group = is_core ? std::string_view() : api_version.substr(0, slash);
  const std::string_view version = is_core ? api_version : api_version.substr(slash + 1);
  ParamPlace place{.kind = context.registry.find(kind_group, kind_name)};
  if (place.kind != nullptr && place.kind->is_stored) place.version = place.kind->version(version);
  if (place.version != nullptr) return place;
  return Error::invalid(
      fmt::format("failed to find resource referenced by paramKind: '{}/{}, Kind={}'", kind_group,
                  version, kind_name));
}

Result<Value> shown_param(Context& context, const ParamPlace& place, const CachedObject& object) {
  const Target target{.kind = place.kind, .version = place.version};
  const auto shown = in_version(target, context.trees.tree_of(object.bytes));
  if (!shown) return Error::invalid(shown.error().message);
  return *shown;
}

// What the rules are evaluated with, once for each; null where the binding names none.
Result<std::vector<Value>> params_of(Context& context, View policy, View binding,
                                     const Target& target) {
  const View param_kind = policy["spec"]["paramKind"];
  const View reference = binding["spec"]["paramRef"];
  if (!param_kind.is_object() || !reference.is_object()) return std::vector<Value>{Value::null()};
  const ParamPlace place = TRY(param_place(context, param_kind));
  std::string name_space(reference["namespace"].string_or(""));
  if (place.kind->scope == objects::Scope::namespaced) {
    if (name_space.empty()) name_space = target.name_space;
    if (name_space.empty()) {
      return Error::invalid(
          "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
    }
  } else if (!name_space.empty()) {
    return Error::invalid(
        "paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  std::vector<Value> params;
  if (const std::string_view name = reference["name"].string_or(""); !name.empty()) {
    const CachedObject* found = context.cache.find(*place.kind, name_space, name);
    if (found != nullptr) params.push_back(TRY(shown_param(context, place, *found)));
  } else {
    const auto selector = TRY(LabelSelector::of(reference["selector"]));
    for (const auto& [key, object] : context.cache.all_in(*place.kind, name_space)) {
      Value param = TRY(shown_param(context, place, object));
      if (selector.matches(objects::labels_of(param))) params.push_back(std::move(param));
    }
  }
  if (params.empty() && reference["parameterNotFoundAction"].string_or("Deny") == "Deny") {
    return Error::invalid("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  return params;
}

// ---- The request
// -----------------------------------------------------------------------------

Value namespace_of_request(Context& context, const Target& target) {
  if (!target.is_namespaced() || target.name_space.empty()) return Value::null();
  const auto kind = context.registry.find_resource("", "namespaces");
  const CachedObject* found = context.cache.find(*kind, "", target.name_space);
  return found == nullptr ? Value::null() : context.trees.tree_of(found->bytes);
}

int code_of(std::string_view reason) {
  if (reason == "Forbidden") return 403;
  if (reason == "Unauthorized") return 401;
  if (reason == "RequestEntityTooLarge") return 413;
  return 422;
}

Failure refusal_of(const Admission& admission, View policy, View binding, const Denial& denial) {
  const std::string with = binding.is_object()
                               ? fmt::format(" with binding '{}'", objects::name_of(binding))
                               : std::string();
  const std::string message = fmt::format("ValidatingAdmissionPolicy '{}'{} denied request: {}",
                                          objects::name_of(policy), with, denial.message);
  Failure failure = forbidden(admission.target, message);
  failure.reason = denial.reason.empty() ? std::string(message_default_reason) : denial.reason;
  failure.code = code_of(failure.reason);
  if (!failure.details) failure.details.emplace();
  failure.details->causes.push_back({"", message});
  return failure;
}

// What the bindings of all policies make of one request.
class Verdicts {
 public:
  Verdicts(Context& context, Admission& admission) : context_(context), admission_(admission) {}

  void ask(View policy, const std::vector<Value>& bindings) {
    const auto* version =
        matching_version(context_, policy["spec"]["matchConstraints"], admission_);
    if (version == nullptr) return;
    if (const View param_kind = policy["spec"]["paramKind"]; param_kind.is_object()) {
      const auto place = param_place(context_, param_kind);
      if (!place) return misconfigured(policy, {}, "policy", place.error().message);
    }
    for (const Value& binding : bindings) {
      if (binding["spec"]["policyName"].string_or("") != objects::name_of(policy)) continue;
      if (matching_version(context_, binding["spec"]["matchResources"], admission_) == nullptr) {
        continue;
      }
      ask_bound(policy, binding, *version);
    }
  }

  Outcome<> take() && {
    if (refusal_) return std::move(*refusal_);
    return {};
  }

 private:
  void ask_bound(View policy, const Value& binding, const objects::KindVersion& version) {
    const auto params = params_of(context_, policy, binding, admission_.target);
    if (!params) return misconfigured(policy, binding, "binding", params.error().message);
    const auto review =
        admission_review({.configuration = {}, .version = &version}, admission_, "", {});
    if (!review) {
      return misconfigured(policy, binding, "binding",
                           "failed to convert object version: " + review.error().message);
    }
    const Value name_space = namespace_of_request(context_, admission_.target);
    for (const Value& param : *params) {
      Evaluation evaluation(policy, (*review)["request"], param, name_space);
      for (const Denial& denial : evaluation.denials()) act_on(policy, binding, denial);
    }
  }

  void act_on(View policy, View binding, const Denial& denial) {
    for (View action : binding["spec"]["validationActions"].elements()) {
      const std::string_view what = action.string_or("");
      if (what == "Deny") refuse(policy, binding, denial);
      if (what == "Warn") {
        admission_.warnings.push_back(fmt::format(
            "Validation failed for ValidatingAdmissionPolicy '{}' with binding '{}': {}",
            objects::name_of(policy), objects::name_of(binding), denial.message));
      }
    }
  }

  void misconfigured(View policy, View binding, std::string_view what, std::string_view why) {
    if (policy["spec"]["failurePolicy"].string_or("Fail") == "Ignore") return;
    refuse(policy, binding,
           {.message = fmt::format("failed to configure {}: {}", what, why), .reason = {}});
  }

  // The first is the answer.
  void refuse(View policy, View binding, const Denial& denial) {
    if (!refusal_) refusal_ = refusal_of(admission_, policy, binding, denial);
  }

  Context& context_;
  Admission& admission_;
  std::optional<Failure> refusal_;
};

std::vector<Value> all_of(Context& context, std::string_view plural) {
  std::vector<Value> all;
  const auto kind = context.registry.find_resource(group, plural);
  if (kind == nullptr) return all;
  for (const auto& [key, object] : context.cache.all_in(*kind, "")) {
    all.push_back(context.trees.tree_of(object.bytes));
  }
  return all;
}

}  // namespace

Outcome<> check_admission_policies(Context& context, Admission& admission) {
  // Policies have no say in policies: a bad one can be taken away.
  if (admission.target.kind->group == group) return {};
  const std::vector<Value> bindings = all_of(context, "validatingadmissionpolicybindings");
  if (bindings.empty()) return {};
  Verdicts verdicts(context, admission);
  for (const Value& policy : all_of(context, "validatingadmissionpolicies")) {
    verdicts.ask(policy, bindings);
  }
  return std::move(verdicts).take();
}

std::vector<std::string> policy_names(View spec) {
  std::vector<std::string> names = {"object", "oldObject", "request", "namespaceObject"};
  if (spec["paramKind"].is_object()) names.emplace_back("params");
  if (!spec["variables"].empty()) names.emplace_back("variables");
  return names;
}

}  // namespace muster::server
