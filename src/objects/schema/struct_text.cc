// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/struct_text.h"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

#include "objects/field_error.h"

namespace muster::objects {

namespace {

std::string printed(View value) {
  return value ? go_printed(value) : std::string("null");
}

template <typename Print>
std::string printed_list(View list, Print print) {
  if (!list.is_array()) return "null";
  std::string out;
  for (View each : list.elements()) {
    if (!out.empty()) out += ',';
    out += print(each);
  }
  return fmt::format("[{}]", out);
}

std::string printed_exit_codes(View codes) {
  if (!codes) return "null";
  return fmt::format(R"({{"ContainerName":{},"Operator":{},"Values":{}}})",
                     printed(codes["containerName"]), go_quoted(codes["operator"].string_or("")),
                     printed(codes["values"]));
}

std::string printed_condition(View condition) {
  return fmt::format(R"({{"Type":{},"Status":{}}})", go_quoted(condition["type"].string_or("")),
                     go_quoted(condition["status"].string_or("")));
}

std::string printed_failure_policy(View policy) {
  return fmt::format(R"({{"Rules":{}}})", printed_list(policy["rules"], [](View rule) {
                       return fmt::format(
                           R"({{"Action":{},"OnExitCodes":{},"OnPodConditions":{}}})",
                           go_quoted(rule["action"].string_or("")),
                           printed_exit_codes(rule["onExitCodes"]),
                           printed_list(rule["onPodConditions"], printed_condition));
                     }));
}

// The members of a struct by the names of JSON and of Go.
using Names = std::initializer_list<std::pair<std::string_view, std::string_view>>;

std::string printed_members(View value, const Names& names) {
  if (!value) return "null";
  std::string out;
  for (const auto& [json, go] : names) {
    out += fmt::format(R"({}"{}":{})", out.empty() ? "" : ",", go, printed(value[json]));
  }
  return out;
}

std::string printed_device_selector(View selector) {
  return fmt::format(R"({{"CEL":{{{}}}}})",
                     printed_members(selector["cel"], {{"expression", "Expression"}}));
}

std::string printed_toleration(View toleration) {
  return fmt::format("{{{}}}",
                     printed_members(toleration, {{"key", "Key"},
                                                  {"operator", "Operator"},
                                                  {"value", "Value"},
                                                  {"effect", "Effect"},
                                                  {"tolerationSeconds", "TolerationSeconds"}}));
}

// Of an alternative it has a name, and nobody asks for more than others may.
std::string printed_wish(View wish, bool is_alternative) {
  if (!wish) return "null";
  const std::string front =
      is_alternative ? fmt::format(R"("Name":{},)", printed(wish["name"])) : "";
  const std::string middle =
      is_alternative ? "" : fmt::format(R"("AdminAccess":{},)", printed(wish["adminAccess"]));
  return fmt::format(R"({{{}"DeviceClassName":{},"Selectors":{},"AllocationMode":{},"Count":{},{})"
                     R"("Tolerations":{},"Capacity":{}}})",
                     front, printed(wish["deviceClassName"]),
                     printed_list(wish["selectors"], printed_device_selector),
                     printed(wish["allocationMode"]), wish["count"].integer_or(0), middle,
                     printed_list(wish["tolerations"], printed_toleration),
                     printed(wish["capacity"]));
}

std::string printed_device_request(View request) {
  const auto alternative = [](View each) { return printed_wish(each, true); };
  return fmt::format(R"({{"Name":{},"Exactly":{},"FirstAvailable":{}}})", printed(request["name"]),
                     printed_wish(request["exactly"], false),
                     printed_list(request["firstAvailable"], alternative));
}

std::string printed_constraint(View constraint) {
  return fmt::format("{{{}}}",
                     printed_members(constraint, {{"requests", "Requests"},
                                                  {"matchAttribute", "MatchAttribute"},
                                                  {"distinctAttribute", "DistinctAttribute"}}));
}

std::string printed_device_configuration(View configuration) {
  const View opaque = configuration["opaque"];
  return fmt::format(
      R"({{"Requests":{},"Opaque":{}}})", printed(configuration["requests"]),
      opaque ? fmt::format("{{{}}}", printed_members(opaque, {{"driver", "Driver"},
                                                              {"parameters", "Parameters"}}))
             : "null");
}

std::string printed_claim(View spec) {
  const View devices = spec["devices"];
  return fmt::format(R"({{"Devices":{{"Requests":{},"Constraints":{},"Config":{}}}}})",
                     printed_list(devices["requests"], printed_device_request),
                     printed_list(devices["constraints"], printed_constraint),
                     printed_list(devices["config"], printed_device_configuration));
}

// Its metadata has the names of JSON, and lies between the struct's own members.
std::string printed_claim_template(View spec) {
  std::string metadata;
  for (const std::string_view field : {"labels", "annotations"}) {
    const View part = spec["metadata"][field];
    if (!part.empty()) metadata += fmt::format(R"("{}":{},)", field, go_printed(part));
  }
  return fmt::format(R"({{{}"Spec":{}}})", metadata, printed_claim(spec["spec"]));
}

std::string printed_attachment(View spec) {
  return fmt::format(
      R"({{"Attacher":{},"Source":{{{}}},"NodeName":{}}})", printed(spec["attacher"]),
      printed_members(spec["source"], {{"persistentVolumeName", "PersistentVolumeName"},
                                       {"inlineVolumeSpec", "InlineVolumeSpec"}}),
      printed(spec["nodeName"]));
}

}  // namespace

std::string printed_selector(View selector) {
  std::string out;
  for (const std::string_view field : {"matchLabels", "matchExpressions"}) {
    const View part = selector[field];
    if (part.empty()) continue;
    out += fmt::format(R"({}"{}":{})", out.empty() ? "" : ",", field, go_printed(part));
  }
  return fmt::format("{{{}}}", out);
}

std::string printed_success_policy(View policy) {
  return fmt::format(R"({{"Rules":{}}})", printed_list(policy["rules"], [](View rule) {
                       return fmt::format(R"({{"SucceededIndexes":{},"SucceededCount":{}}})",
                                          printed(rule["succeededIndexes"]),
                                          printed(rule["succeededCount"]));
                     }));
}

std::string printed_struct(std::string_view type_name, View value) {
  if (!value) return {};
  if (type_name == "meta.v1.LabelSelector") return printed_selector(value);
  if (type_name == "batch.v1.SuccessPolicy") return printed_success_policy(value);
  if (type_name == "batch.v1.PodFailurePolicy") return printed_failure_policy(value);
  if (type_name == "resource.v1.ResourceClaimSpec") return printed_claim(value);
  if (type_name == "resource.v1.ResourceClaimTemplateSpec") return printed_claim_template(value);
  if (type_name == "storage.v1.VolumeAttachmentSpec") return printed_attachment(value);
  return {};
}

}  // namespace muster::objects
