// SPDX-License-Identifier: Apache-2.0
#include "cli/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/age.h"
#include "cli/table_text.h"
#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::cli {

using objects::Value;
using objects::View;

namespace {

constexpr int depth_max = 64;

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

// `podSets` is `Pod Sets`, `apiVersion` is `API Version`, `example.com/key` stays as it is.
std::string title_of(std::string_view key) {
  if (key.find_first_of("./-") != std::string_view::npos) return std::string(key);
  std::string made;
  for (std::size_t at = 0; at < key.size(); ++at) {
    const char c = key[at];
    if (at == 0) {
      made += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      continue;
    }
    if (is_upper(c) && !is_upper(key[at - 1])) made += ' ';
    made += c;
  }
  if (made.starts_with("Api ")) made.replace(0, 3, "API");
  if (made == "Uid") made = "UID";
  return made;
}

std::string scalar_text(View value) {
  return value.is_string() ? std::string(value.string_or("")) : objects::to_json(value);
}

bool is_scalar(View value) {
  return !value.is_array() && !value.is_object();
}

void append_members(View object, int depth, const std::vector<std::string_view>& skipped,
                    std::string& out);

void append_elements(View list, int depth, std::string& out) {
  const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
  for (View each : list.elements()) {
    if (is_scalar(each)) {
      out += fmt::format("{}{}\n", indent, scalar_text(each));
    } else if (each.is_object()) {
      append_members(each, depth, {}, out);
    } else if (depth < depth_max) {
      append_elements(each, depth + 1, out);
    }
  }
}

// Scalars of one object stand in one column.
void append_members(View object, int depth, const std::vector<std::string_view>& skipped,
                    std::string& out) {
  if (depth > depth_max) return;
  const std::string indent(static_cast<std::size_t>(depth) * 2, ' ');
  std::vector<std::pair<std::string, View>> members;
  std::size_t width = 0;
  for (const auto& member : object.members()) {
    if (std::find(skipped.begin(), skipped.end(), member.key) != skipped.end()) continue;
    members.emplace_back(title_of(member.key), member.value);
    if (is_scalar(member.value)) width = std::max(width, members.back().first.size());
  }
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [title, value] : members) {
    if (is_scalar(value)) {
      out += fmt::format("{}{:<{}}  {}\n", indent, title + ":", width + 1, scalar_text(value));
      continue;
    }
    out += fmt::format("{}{}:\n", indent, title);
    if (value.is_object()) {
      append_members(value, depth + 1, {}, out);
    } else {
      append_elements(value, depth + 1, out);
    }
  }
}

// `Labels:       a=b`, further ones below it.
void append_pairs(std::string_view title, View pairs, std::string_view separator,
                  std::string& out) {
  out += fmt::format("{:<14}", title);
  if (pairs.empty()) out += "<none>\n";
  bool is_first = true;
  for (const auto& [key, value] : pairs.members()) {
    if (key == "kubectl.kubernetes.io/last-applied-configuration") continue;
    out += fmt::format("{}{}{}{}\n", is_first ? "" : std::string(14, ' '), key, separator,
                       value.string_or(""));
    is_first = false;
  }
  if (is_first && !pairs.empty()) out += "<none>\n";
}

Result<std::string> events_text(ObjectSession& session, View object, Instant now) {
  const ServedKind kind = TRY(session.names().find("events"));
  const std::string_view name_space = objects::namespace_of(object);
  const std::string selector = fmt::format("involvedObject.name={},involvedObject.uid={}",
                                           objects::name_of(object), objects::uid_of(object));
  const Value list = TRY(session.ask_value(
      {.target = kind.path(name_space) + "?limit=500&fieldSelector=" + escaped(selector)}));
  if (list["items"].size() == 0) return std::string("Events:       <none>\n");
  std::vector<std::vector<std::string>> rows = {{"  Type", "Reason", "Age", "From", "Message"},
                                                {"  ----", "------", "----", "----", "-------"}};
  for (View event : list["items"].elements()) {
    View when = event["lastTimestamp"];
    if (!when.is_string()) when = event["eventTime"];
    if (!when.is_string()) when = event["metadata"]["creationTimestamp"];
    const auto instant = objects::instant_of(when);
    View from = event["source"]["component"];
    if (from.string_or("").empty()) from = event["reportingComponent"];
    rows.push_back({"  " + std::string(event["type"].string_or("")),
                    std::string(event["reason"].string_or("")),
                    instant ? human_age(*instant, now) : "<unknown>",
                    std::string(from.string_or("")), std::string(event["message"].string_or(""))});
  }
  return "Events:\n" + aligned_rows(rows);
}

}  // namespace

std::string description(View object) {
  std::string text = fmt::format("Name:         {}\n", objects::name_of(object));
  text += fmt::format("Namespace:    {}\n", objects::namespace_of(object));
  append_pairs("Labels:", objects::labels_of(object), "=", text);
  append_pairs("Annotations:", objects::annotations_of(object), ": ", text);
  text += fmt::format("API Version:  {}\nKind:         {}\nMetadata:\n",
                      object["apiVersion"].string_or(""), object["kind"].string_or(""));
  append_members(object["metadata"], 1,
                 {"name", "namespace", "labels", "annotations", "managedFields"}, text);
  append_members(object, 0, {"apiVersion", "kind", "metadata"}, text);
  return text;
}

Result<> describe(ObjectSession& session, Instant now) {
  const std::vector<Target> meant = TRY(session.targets(session.options().words));
  const std::vector<Target> targets = TRY(session.resolved(meant));
  bool is_first = true;
  for (const Target& target : targets) {
    const Value object = TRY(session.ask_value({.target = session.object_path(target)}));
    if (!is_first) session.out("\n\n");
    is_first = false;
    session.out(description(object));
    session.out(TRY(events_text(session, object, now)));
  }
  if (targets.empty()) {
    session.error(fmt::format("No resources found in {} namespace.\n", session.name_space()));
  }
  return {};
}

}  // namespace muster::cli
