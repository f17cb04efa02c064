// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/struct_text.h"

#include <fmt/format.h>

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
  return {};
}

}  // namespace muster::objects
