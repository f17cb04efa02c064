// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/timestamp.h"
#include "cli/plan/limits.h"
#include "objects/edit.h"
#include "objects/metadata.h"

namespace muster::cli {

using objects::Value;
using objects::View;

namespace {

std::optional<std::size_t> index_of(std::string_view text) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

// `spec.podSets[0].template` as steps; what is no path leads as far as it can be read.
std::vector<objects::Step> steps_of(std::string_view field) {
  std::vector<objects::Step> steps;
  while (!field.empty()) {
    if (field.front() == '.') field.remove_prefix(1);
    if (field.starts_with('[')) {
      const std::size_t end = std::min(field.find(']'), field.size());
      const std::string_view inside = field.substr(1, end - 1);
      if (const auto index = index_of(inside)) {
        steps.emplace_back(*index);
      } else {
        steps.emplace_back(inside);
      }
      field.remove_prefix(std::min(end + 1, field.size()));
      continue;
    }
    const std::size_t end = std::min(field.find_first_of(".["), field.size());
    if (end > 0) steps.emplace_back(field.substr(0, end));
    field.remove_prefix(end);
  }
  return steps;
}

struct Parts {
  const std::string& file;
  std::shared_ptr<const objects::YamlDocument> document;
  std::vector<PlanSource> sources = {};
  std::vector<std::size_t> items = {};
};

void take_apart(const Value& owner, View view, Parts& parts) {
  const bool is_list = view["kind"].string_or("").ends_with("List") && view["items"].is_array();
  if (!view.is_array() && !is_list) {
    if (view.is_null() || view.is_absent()) return;
    parts.sources.push_back({parts.file, owner.part(view), parts.document, parts.items});
    return;
  }
  const View elements = is_list ? view["items"] : view;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    parts.items.push_back(i);
    take_apart(owner, elements[i], parts);
    parts.items.pop_back();
  }
}

void find_latest(View view, std::optional<Timestamp>& latest) {
  for (const auto& [key, member] : view.members()) find_latest(member, latest);
  for (const View element : view.elements()) find_latest(element, latest);
  const std::string_view text = view.string_or("");
  if (text.size() < 20 || text[4] != '-' || text[10] != 'T') return;
  const auto time = parse_time(text);
  if (time && (!latest || *latest < *time)) latest = *time;
}

}  // namespace

std::string PlanSource::place(std::string_view field) const {
  if (document == nullptr) return file;
  std::vector<objects::Step> path;
  View at = document->value;
  for (const std::size_t item : items) {
    if (!at.is_array()) {
      path.emplace_back(std::string_view("items"));
      at = at["items"];
    }
    path.emplace_back(item);
    at = at[item];
  }
  for (const objects::Step& step : steps_of(field)) path.push_back(step);
  return fmt::format("{}:{}", file, document->line_of(path));
}

std::string PlanSource::title() const {
  const std::string_view kind = object["kind"].string_or("");
  const std::string key = objects::key_of(object).to_string();
  return fmt::format("{} {}", kind.empty() ? "an object without kind" : kind, key);
}

Result<std::vector<PlanSource>> read_plan_text(std::string_view text, const std::string& file) {
  auto documents = objects::parse_yaml(text, {.bytes_max = plan_input_bytes_max});
  if (!documents) {
    return Error::bad_request(fmt::format("{}: {}", file, documents.error().to_string()));
  }
  std::vector<PlanSource> sources;
  for (objects::YamlDocument& document : *documents) {
    Parts parts{file, std::make_shared<const objects::YamlDocument>(std::move(document))};
    take_apart(parts.document->value, parts.document->value, parts);
    for (PlanSource& source : parts.sources) sources.push_back(std::move(source));
  }
  return sources;
}

std::vector<PlanSource> plan_sources_of(const Value& value, const std::string& file) {
  Parts parts{file, nullptr};
  take_apart(value, value, parts);
  return std::move(parts.sources);
}

std::optional<Instant> latest_timestamp(std::span<const PlanSource> sources) {
  std::optional<Timestamp> latest;
  for (const PlanSource& source : sources) find_latest(source.object, latest);
  if (!latest) return std::nullopt;
  return latest->saturated_instant();
}

}  // namespace muster::cli
