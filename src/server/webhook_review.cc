// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_review.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/base64.h"
#include "objects/builder.h"
#include "objects/json.h"
#include "server/limits.h"
#include "server/prepare.h"
#include "server/stored_object.h"

namespace muster::server {

using objects::Builder;
using objects::go_quoted;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view review_version = "admission.k8s.io/v1";

using Members = std::vector<std::pair<std::string_view, Value>>;  // keys are literals

Value text(std::string_view value) {
  return Value::string(value);
}

Value object_of(const Members& members) {
  Builder builder;
  std::vector<Node::Member> nodes;
  nodes.reserve(members.size());
  for (const auto& [key, value] : members) {
    nodes.push_back({Builder::literal(key), builder.embed(value)});
  }
  const Node node = builder.object(nodes);
  return std::move(builder).finish(node);
}

Value kind_of(const Target& target, std::string_view version) {
  return Value::object(
      {{"group", text(target.kind->group)},
       {"version", text(version)},
       {"kind", text(target.subresource == "binding" ? std::string_view("Binding")
                                                     : std::string_view(target.kind->kind))}});
}

Value resource_of(const Target& target, std::string_view version) {
  return Value::object({{"group", text(target.kind->group)},
                        {"version", text(version)},
                        {"resource", text(target.kind->plural)}});
}

Value user_of(const Identity& identity) {
  Builder builder;
  std::vector<Node> groups;
  groups.reserve(identity.groups.size());
  for (const std::string& each : identity.groups) groups.push_back(builder.text(each));
  const Node::Member members[] = {{Builder::literal("username"), builder.text(identity.name)},
                                  {Builder::literal("groups"), builder.array(groups)}};
  const Node node = builder.object(members);
  return std::move(builder).finish(node);
}

std::string_view options_kind(Operation operation) {
  switch (operation) {
    case Operation::create:
      return "CreateOptions";
    case Operation::update:
      return "UpdateOptions";
    case Operation::remove:
      return "DeleteOptions";
    case Operation::connect:
      return "PodExecOptions";
  }
  return "CreateOptions";
}

// In the version that the webhook wants; null where there is none.
Outcome<Value> shown(const Webhook& webhook, const Target& target, const Value& object,
                     store::Revision revision) {
  if (object.is_absent()) return Value::null();
  const Value in_its_version = ALLOWED(converted(*target.kind, object, *webhook.version));
  return revision.is_none() ? in_its_version : with_revision(in_its_version, revision);
}

// What a webhook says about a request that it refuses.
Failure refusal_of(View status, std::string_view name) {
  Failure failure;
  failure.code = static_cast<int>(std::clamp<std::int64_t>(status["code"].integer_or(0), 0, 599));
  if (failure.code < 400) failure.code = 400;
  failure.reason = status["reason"].string_or("");
  const std::string denied =
      fmt::format("admission webhook {} denied the request", go_quoted(name));
  const std::string_view message = status["message"].string_or("");
  if (!message.empty()) {
    failure.message = fmt::format("{}: {}", denied, message.substr(0, webhook_message_bytes_max));
  } else if (!failure.reason.empty()) {
    failure.message = fmt::format("{}: {}", denied, failure.reason);
  } else {
    failure.message = denied + " without explanation";
  }
  const View details = status["details"];
  if (!details.is_object()) return failure;
  StatusDetails& told = failure.details.emplace();
  told.name = details["name"].string_or("");
  told.group = details["group"].string_or("");
  told.kind = details["kind"].string_or("");
  for (View cause : details["causes"].elements()) {
    told.causes.push_back({std::string(cause["reason"].string_or("")),
                           std::string(cause["message"].string_or("")),
                           std::string(cause["field"].string_or(""))});
  }
  return failure;
}

Error not_an_answer(const std::string& why) {
  return {ErrorCode::internal, "received invalid webhook response: " + why};
}

}  // namespace

Outcome<Value> admission_review(const Webhook& webhook, const Admission& admission,
                                std::string_view uid, store::Revision revision) {
  const Target& target = admission.target;
  const std::string& version = webhook.version->name;
  const Value object = ALLOWED(shown(webhook, target, admission.object, revision));
  const Value old_object = ALLOWED(shown(webhook, target, admission.old_object, revision));
  Members request = {{"uid", text(uid)},
                     {"kind", kind_of(target, version)},
                     {"resource", resource_of(target, version)},
                     {"requestKind", kind_of(target, target.version->name)},
                     {"requestResource", resource_of(target, target.version->name)}};
  if (!target.subresource.empty()) {
    request.emplace_back("subResource", text(target.subresource));
    request.emplace_back("requestSubResource", text(target.subresource));
  }
  if (!target.name.empty() && !admission.of_collection)
    request.emplace_back("name", text(target.name));
  const bool is_namespace = target.is("", "namespaces");
  const std::string& name_space = is_namespace ? target.name : target.name_space;
  if (!name_space.empty()) request.emplace_back("namespace", text(name_space));
  request.emplace_back("operation", text(name_of(admission.operation)));
  request.emplace_back("userInfo", user_of(admission.identity));
  request.emplace_back("object", object);
  request.emplace_back("oldObject", old_object);
  request.emplace_back("dryRun", Value::boolean(admission.dry_run));
  request.emplace_back("options", Value::object({{"kind", text(options_kind(admission.operation))},
                                                 {"apiVersion", text("meta.k8s.io/v1")}}));
  return Value::object({{"kind", text("AdmissionReview")},
                        {"apiVersion", text(review_version)},
                        {"request", object_of(request)}});
}

Result<WebhookVerdict> read_verdict(std::string_view body, std::string_view uid,
                                    const Webhook& webhook) {
  const Value review = TRY(objects::parse_json(body, {.bytes_max = webhook_reply_bytes_max}));
  if (review["apiVersion"].string_or("") != review_version ||
      review["kind"].string_or("") != "AdmissionReview") {
    return not_an_answer(fmt::format(
        "expected webhook response of {}, Kind=AdmissionReview, got "
        "{}, Kind={}",
        review_version, review["apiVersion"].string_or(""), review["kind"].string_or("")));
  }
  const View response = review["response"];
  if (!response.is_object()) return not_an_answer("webhook response was absent");
  const std::string_view answered = response["uid"].string_or("");
  if (answered != uid) {
    return not_an_answer(
        fmt::format("expected response.uid={}, got {}", go_quoted(uid), go_quoted(answered)));
  }
  WebhookVerdict verdict{.allowed = response["allowed"].boolean_or(false)};
  for (View warning : response["warnings"].elements()) {
    if (verdict.warnings.size() >= webhook_warnings_max) break;
    verdict.warnings.emplace_back(warning.string_or("").substr(0, webhook_message_bytes_max));
  }
  if (!verdict.allowed) verdict.refusal = refusal_of(response["status"], webhook.name);
  const std::string_view patch = response["patch"].string_or("");
  if (patch.empty()) return verdict;
  const View type = response["patchType"];
  if (!type.is_string()) {
    return not_an_answer("webhook returned response.patch but not response.patchType");
  }
  if (type.string_or("") != "JSONPatch") {
    return not_an_answer(fmt::format("webhook returned invalid response.patchType of {}",
                                     go_quoted(type.string_or(""))));
  }
  verdict.patch = TRY(base64_decode(patch));
  return verdict;
}

}  // namespace muster::server
