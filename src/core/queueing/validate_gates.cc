// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/validate_gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/queueing/validate_names.h"
#include "core/words.h"

namespace muster::core {

using objects::FieldError;
using objects::View;

namespace {

constexpr std::size_t gate_bytes_max = 63;

std::string gates_path() {
  return fmt::format("metadata.annotations[{}]", words::admission_gated_by);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

std::vector<std::string_view> gates_in(std::string_view list) {
  std::vector<std::string_view> gates;
  if (trimmed(list).empty()) return gates;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    gates.push_back(trimmed(list.substr(begin, end - begin)));
    begin = end + 1;
  }
  return gates;
}

}  // namespace

void check_admission_gates(View annotation, WebhookReport& report) {
  const std::string_view list = annotation.string_or("");
  const std::string path = gates_path();
  std::set<std::string_view> seen;
  for (const std::string_view gate : gates_in(list)) {
    if (gate.empty()) {
      report.invalid(path, quoted(list), "cannot contain empty gate names");
    } else if (!seen.insert(gate).second) {
      report.invalid(path, quoted(list), fmt::format("duplicate gate name: {}", gate));
    } else {
      check_domain_prefixed_path(gate, path, report);
      if (gate.size() > gate_bytes_max) {
        report.errors.add(FieldError::too_long(path, gate_bytes_max));
      }
    }
  }
}

void check_admission_gates_update(View annotation, View old_annotation, WebhookReport& report) {
  const std::string_view now = annotation.string_or("");
  const std::string_view before = old_annotation.string_or("");
  if (before.empty() && !now.empty()) {
    report.errors.add(
        FieldError::forbidden(gates_path(), "cannot add admission gate after creation"));
  }
  if (before.empty() || now.empty()) return;
  const auto old_gates = gates_in(before);
  const auto gates = gates_in(now);
  const bool only_removes = std::all_of(gates.begin(), gates.end(), [&](std::string_view gate) {
    return std::find(old_gates.begin(), old_gates.end(), gate) != old_gates.end();
  });
  if (!only_removes) {
    report.errors.add(
        FieldError::forbidden(gates_path(), "can only remove gates, not add new ones"));
  }
}

}  // namespace muster::core
