// SPDX-License-Identifier: Apache-2.0
// Devices, fairness of requests, policies of admission, certificates.
#include <fmt/format.h>

#include <string>

#include "base/age.h"
#include "objects/metadata.h"
#include "server/cells_table.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::View;

namespace {

constexpr std::string_view none_text = "<none>";
constexpr std::string_view unset_text = "<unset>";

Node claim_state(View claim, const CellContext& context) {
  const bool is_going = objects::is_being_deleted(claim);
  const View status = claim["status"];
  std::string state = is_going ? "deleted" : "";
  if (!status["allocation"]) return cell_text(context, is_going ? state : "pending");
  if (is_going) state += ',';
  state += "allocated";
  if (!status["reservedFor"].empty()) state += ",reserved";
  return cell_text(context, state);
}

// Flow control.

Node flow_schema_precedence(View schema, const CellContext&) {
  return Builder::integer(schema["spec"]["matchingPrecedence"].integer_or(0));
}

Node flow_schema_distinguisher(View schema, const CellContext& context) {
  return cell_text(context, schema["spec"]["distinguisherMethod"]["type"].string_or(none_text));
}

Node flow_schema_missing_level(View schema, const CellContext& context) {
  return cell_text(context, objects::condition(schema, "Dangling")["status"].string_or("?"));
}

Node number_or_none(View value, const CellContext& context) {
  const auto number = value.integer();
  return number ? Builder::integer(*number) : cell_text(context, none_text);
}

Node level_shares(View level, const CellContext& context) {
  return number_or_none(level["spec"]["limited"]["nominalConcurrencyShares"], context);
}

View queuing(View level) {
  return level["spec"]["limited"]["limitResponse"]["queuing"];
}

Node level_queues(View level, const CellContext& context) {
  return number_or_none(queuing(level)["queues"], context);
}

Node level_hand_size(View level, const CellContext& context) {
  return number_or_none(queuing(level)["handSize"], context);
}

Node level_queue_length(View level, const CellContext& context) {
  return number_or_none(queuing(level)["queueLengthLimit"], context);
}

// Policies of admission.

Node policy_validations(View policy, const CellContext&) {
  return cell_count(policy["spec"]["validations"].size());
}

Node policy_mutations(View policy, const CellContext&) {
  return cell_count(policy["spec"]["mutations"].size());
}

Node policy_param_kind(View policy, const CellContext& context) {
  const View kind = policy["spec"]["paramKind"];
  if (!kind) return cell_text(context, unset_text);
  return cell_text(
      context, fmt::format("{}/{}", kind["apiVersion"].string_or(""), kind["kind"].string_or("")));
}

Node policy_param_ref(View binding, const CellContext& context) {
  const View ref = binding["spec"]["paramRef"];
  const std::string_view name = ref["name"].string_or("");
  if (name.empty()) return cell_text(context, unset_text);
  const std::string_view space = ref["namespace"].string_or("");
  return cell_text(context, fmt::format("{}/{}", space.empty() ? "*" : space, name));
}

// Certificates.

Node request_signer(View request, const CellContext& context) {
  const std::string_view signer = request["spec"]["signerName"].string_or("");
  return cell_text(context, signer.empty() ? none_text : signer);
}

Node request_duration(View request, const CellContext& context) {
  const auto seconds = request["spec"]["expirationSeconds"].integer();
  if (!seconds) return cell_text(context, none_text);
  return cell_text(context, human_duration(Span::of_seconds(*seconds)));
}

Node request_condition(View request, const CellContext& context) {
  bool approved = false;
  bool denied = false;
  bool failed = false;
  for (View condition : request["status"]["conditions"].elements()) {
    const std::string_view type = condition["type"].string_or("");
    approved = approved || type == "Approved";
    denied = denied || type == "Denied";
    failed = failed || type == "Failed";
  }
  std::string text = denied ? "Denied" : approved ? "Approved" : "Pending";
  if (failed) text += ",Failed";
  if (!request["status"]["certificate"].string_or("").empty()) text += ",Issued";
  return cell_text(context, text);
}

constexpr NamedCell cells[] = {
    {"claim-state", claim_state},
    {"flow-schema-distinguisher", flow_schema_distinguisher},
    {"flow-schema-missing-level", flow_schema_missing_level},
    {"flow-schema-precedence", flow_schema_precedence},
    {"level-hand-size", level_hand_size},
    {"level-queue-length", level_queue_length},
    {"level-queues", level_queues},
    {"level-shares", level_shares},
    {"policy-mutations", policy_mutations},
    {"policy-param-kind", policy_param_kind},
    {"policy-param-ref", policy_param_ref},
    {"policy-validations", policy_validations},
    {"request-condition", request_condition},
    {"request-duration", request_duration},
    {"request-signer", request_signer},
};

}  // namespace

std::span<const NamedCell> device_cells() {
  return cells;
}

}  // namespace muster::server
