// SPDX-License-Identifier: Apache-2.0
#include "cli/logs.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/duration.h"
#include "objects/metadata.h"

namespace muster::cli {

using objects::Value;
using objects::View;

namespace {

Error wrong(std::string sentence) {
  return Error::bad_request("error: " + std::move(sentence));
}

Result<std::string> query_of(const LogOptions& options) {
  std::string query = "?";
  if (!options.container.empty()) query += "container=" + escaped(options.container) + "&";
  if (options.follows) query += "follow=true&";
  if (options.is_previous) query += "previous=true&";
  if (options.with_timestamps) query += "timestamps=true&";
  if (options.tail_lines && *options.tail_lines >= 0) {
    query += fmt::format("tailLines={}&", *options.tail_lines);
  }
  if (options.limit_bytes) query += fmt::format("limitBytes={}&", *options.limit_bytes);
  if (!options.since.empty()) {
    const auto span = parse_duration(options.since);
    if (!span) return wrong(fmt::format("invalid argument \"{}\" for \"--since\"", options.since));
    query += fmt::format("sinceSeconds={}&", span->nanoseconds / 1'000'000'000);
  }
  query.pop_back();
  return query;
}

std::string selector_text(View labels) {
  std::string text;
  for (const auto& [key, value] : labels.members()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value.string_or(""));
  }
  return text;
}

// The names of the pods that are meant.
Result<std::vector<std::string>> pods_of(ObjectSession& session, const ServedKind& pods) {
  const ObjectOptions& options = session.options();
  if (options.words.empty()) {
    if (options.selector.empty()) {
      return wrong(
          "expected 'logs [-f] (POD | TYPE/NAME)'.\nPOD or TYPE/NAME is a required argument");
    }
    std::vector<std::string> names;
    for (const Value& pod : TRY(session.list(pods))) names.emplace_back(objects::name_of(pod));
    return names;
  }
  const std::string& word = options.words.front();
  if (word.find('/') == std::string::npos) return std::vector<std::string>{word};
  const Target target = TRY(session.targets({word})).front();
  if (target.kind.plural == pods.plural && target.kind.group.empty()) {
    return std::vector<std::string>{target.name};
  }
  const Value owner = TRY(session.ask_value({.target = session.object_path(target)}));
  const View selector = owner["spec"]["selector"];
  const View labels = selector["matchLabels"] ? selector["matchLabels"] : selector;
  if (labels.empty()) return wrong(fmt::format("cannot get the logs from {}", word));
  const Value found =
      TRY(session.ask_value({.target = pods.path(session.name_space()) +
                                       "?labelSelector=" + escaped(selector_text(labels))}));
  if (found["items"].size() == 0) return wrong("timed out waiting for the condition");
  const std::string first(objects::name_of(found["items"][0]));
  if (found["items"].size() > 1) {
    session.error(fmt::format("Found {} pods, using pod/{}\n", found["items"].size(), first));
  }
  return std::vector<std::string>{first};
}

}  // namespace

Result<> logs(ObjectSession& session, const LogOptions& options) {
  const ServedKind pods = TRY(session.names().find("pods"));
  LogOptions chosen = options;
  if (chosen.container.empty() && session.options().words.size() > 1) {
    chosen.container = session.options().words[1];
  }
  const std::string query = TRY(query_of(chosen));
  for (const std::string& name : TRY(pods_of(session, pods))) {
    const Reply reply = TRY(session.listen(
        {.target = pods.path(session.name_space(), name) + "/log" + query, .accept = "*/*"},
        [&](std::string_view piece) {
          session.out(piece);
          return true;
        }));
    if (reply.status >= 300) return server_error(reply);
  }
  return {};
}

}  // namespace muster::cli
