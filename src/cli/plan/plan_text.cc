// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace muster::cli {

using objects::View;

namespace {

constexpr std::size_t columns = 5;
using Row = std::array<std::string, columns>;

std::string text_of(View view) {
  return std::string(view.string_or(""));
}

// `main ×4: cpu on-demand, nvidia.com/gpu h100 (r1/n1 ×2, r1/n2 ×2)`
std::string pod_set_text(View set) {
  std::vector<std::string> flavors;
  for (const auto& [resource, flavor] : set["flavors"].members()) {
    flavors.push_back(fmt::format("{} {}", resource, flavor.string_or("")));
  }
  std::string text = fmt::format("{} ×{}", set["name"].string_or(""), set["count"].integer_or(0));
  if (!flavors.empty()) text += fmt::format(": {}", fmt::join(flavors, ", "));
  std::vector<std::string> domains;
  for (const View domain : set["topologyAssignment"]["domains"].elements()) {
    std::vector<std::string_view> values;
    for (const View value : domain["values"].elements()) values.push_back(value.string_or(""));
    domains.push_back(fmt::format("{} ×{}", fmt::join(values, "/"), domain["count"].integer_or(0)));
  }
  constexpr std::size_t shown_max = 4;
  const std::size_t rest = domains.size() - std::min(domains.size(), shown_max);
  domains.resize(domains.size() - rest);
  if (rest > 0) domains.push_back(fmt::format("{} more", rest));
  if (!domains.empty()) text += fmt::format(" on {}", fmt::join(domains, ", "));
  return text;
}

std::string detail_of(View decision) {
  const std::string_view action = decision["action"].string_or("");
  std::vector<std::string> parts;
  for (const View set : decision["podSets"].elements()) parts.push_back(pod_set_text(set));
  std::string text = fmt::format("{}", fmt::join(parts, "; "));
  if (action == "Preempt") {
    std::vector<std::string> victims;
    for (const View victim : decision["victims"].elements()) {
      victims.push_back(
          fmt::format("{} ({})", victim["workload"].string_or(""), victim["reason"].string_or("")));
    }
    return fmt::format("{}; in place of {}", text, fmt::join(victims, ", "));
  }
  if (action == "Admit" && !decision["admitted"].boolean_or(false)) {
    text += "; checks are outstanding";
  }
  if (const auto level = decision["borrowing"].integer_or(0); level > 0) {
    text += fmt::format("; borrows (level {})", level);
  }
  return text.empty() ? text_of(decision["reason"]) : text;
}

// How wide a text looks: letters, not bytes.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char letter) { return (static_cast<unsigned char>(letter) & 0xC0) != 0x80; }));
}

void append_table(const std::vector<Row>& rows, std::string& out) {
  std::array<std::size_t, columns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) {
      line += row[i];
      if (i + 1 < columns) line.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
}

std::string sentence_of(View decision) {
  std::string message = text_of(decision["message"]);
  if (message.empty()) message = text_of(decision["reason"]);
  const bool is_active = decision["requeue"].string_or("") == "Active";
  const std::string_view when =
      is_active ? "is tried again in the next cycle" : "waits for a change";
  return fmt::format("{} {}: {}.\n", decision["workload"].string_or(""), when,
                     message.ends_with('.') ? message.substr(0, message.size() - 1) : message);
}

void append_explanation(View decision, std::string& out) {
  const View tried = decision["explain"];
  for (const View flavor : tried["flavors"].elements()) {
    out += fmt::format("    flavor {} for {} of {}: {}{}{}\n", flavor["flavor"].string_or(""),
                       flavor["resource"].string_or(""), flavor["podSet"].string_or(""),
                       flavor["mode"].string_or(""), flavor["reason"] ? ", " : "",
                       flavor["reason"].string_or(""));
  }
  for (const View candidate : tried["candidates"].elements()) {
    out += fmt::format("    candidate {}: {}{}{}\n", candidate["workload"].string_or(""),
                       candidate["verdict"].string_or(""), candidate["reason"] ? ", " : "",
                       candidate["reason"].string_or(""));
  }
  for (const View level : tried["levels"].elements()) {
    out += fmt::format(
        "    level {} of flavor {} for {}: {} of {} fit{}\n", level["level"].string_or(""),
        level["flavor"].string_or(""), level["podSet"].string_or(""), level["fits"].integer_or(0),
        level["wanted"].integer_or(0), level["chosen"].boolean_or(false) ? ", chosen" : "");
  }
}

void append_cycle(View cycle, std::string& out) {
  out += fmt::format("Cycle {}\n", cycle["cycle"].integer_or(0));
  if (cycle["decisions"].empty()) {
    out += "Nobody waits for a decision.\n";
    return;
  }
  std::vector<Row> rows{{"ACTION", "WORKLOAD", "CLUSTERQUEUE", "REQUEUE", "DETAIL"}};
  for (const View decision : cycle["decisions"].elements()) {
    rows.push_back({text_of(decision["action"]), text_of(decision["workload"]),
                    text_of(decision["clusterQueue"]), text_of(decision["requeue"]),
                    detail_of(decision)});
  }
  append_table(rows, out);
  bool is_first = true;
  for (const View decision : cycle["decisions"].elements()) {
    const std::string_view action = decision["action"].string_or("");
    if (action == "Admit" && !decision["explain"]) continue;
    if (is_first) out += "\n";
    is_first = false;
    if (action == "Admit") {
      out += fmt::format("{} is admitted.\n", decision["workload"].string_or(""));
    } else {
      out += sentence_of(decision);
    }
    append_explanation(decision, out);
  }
}

void append_notes(std::string_view title, View notes, std::string& out) {
  if (!notes.empty()) out += fmt::format("\n{}:\n", title);
  for (const View entry : notes.elements()) {
    out += fmt::format("  {} {} in {}{}{}{}{}\n", entry["kind"].string_or(""),
                       entry["name"].string_or(""), entry["file"].string_or(""),
                       entry["field"] ? ": " : "", entry["field"].string_or(""),
                       entry["reason"] ? ": " : "", entry["reason"].string_or(""));
  }
}

}  // namespace

std::string plan_text(View document) {
  std::string out;
  for (const View cycle : document["cycles"].elements()) {
    if (!out.empty()) out += "\n";
    append_cycle(cycle, out);
  }
  if (!document["evicted"].empty() || !document["finished"].empty()) out += "\n";
  for (const View entry : document["evicted"].elements()) {
    const std::string_view by = entry["by"].string_or("");
    out += fmt::format("{} is evicted: {}{}{}{}.\n", entry["workload"].string_or(""),
                       entry["reason"].string_or(""), entry["underlying"] ? ", " : "",
                       entry["underlying"].string_or(""),
                       by.empty() ? "" : fmt::format(", for {}", by));
  }
  for (const View entry : document["finished"].elements()) {
    out += fmt::format("{} is finished: {}.\n", entry["workload"].string_or(""),
                       entry["reason"].string_or(""));
  }
  if (document["bound"]) {
    out += fmt::format("\nStopped after {} cycles, and still something changed.\n",
                       document["bound"].integer_or(0));
  }
  append_notes("Ignored", document["ignored"], out);
  append_notes("Planned, though Kueue's webhooks would refuse it", document["warnings"], out);
  return out;
}

}  // namespace muster::cli
