// SPDX-License-Identifier: Apache-2.0
#include "server/negotiation.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

namespace muster::server {

namespace {

// Beyond this many clauses or parameters the rest is not read: no client sends so many.
constexpr std::size_t clauses_max = 32;
constexpr std::size_t parameters_max = 16;

struct Clause {
  std::string media_type;  // in lower case
  std::string_view as = {};
  std::string_view group = {};
  std::string_view version = {};
  int quality = 1000;  // thousandths
};

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// The text up to the separator; the rest stays.
std::string_view next_part(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::string_view unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

// `0`, `1`, `0.5`, `0.375`; what is no number counts as 1.
int quality_of(std::string_view text) {
  int whole = 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error != std::errc() || whole < 0 || whole > 1) return 1000;
  if (whole == 1) return 1000;
  int thousandths = 0;
  int weight = 100;
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (std::size_t i = 1; i < rest.size() && weight > 0; ++i, weight /= 10) {
    if (rest[i] < '0' || rest[i] > '9') return 1000;
    thousandths += (rest[i] - '0') * weight;
  }
  return thousandths;
}

Clause read_clause(std::string_view text) {
  Clause clause;
  clause.media_type = lower(trimmed(next_part(text, ';')));
  for (std::size_t i = 0; i < parameters_max && !text.empty(); ++i) {
    std::string_view parameter = trimmed(next_part(text, ';'));
    const std::string key = lower(trimmed(next_part(parameter, '=')));
    const std::string_view value = unquoted(trimmed(parameter));
    if (key == "as") clause.as = value;
    if (key == "g") clause.group = value;
    if (key == "v") clause.version = value;
    if (key == "q") clause.quality = quality_of(value);
  }
  return clause;
}

std::vector<Clause> read_clauses(std::string_view accept) {
  std::vector<Clause> clauses;
  while (!accept.empty() && clauses.size() < clauses_max) {
    const std::string_view text = trimmed(next_part(accept, ','));
    if (!text.empty()) clauses.push_back(read_clause(text));
  }
  if (clauses.empty()) clauses.push_back({.media_type = "*/*"});
  std::stable_sort(clauses.begin(), clauses.end(),
                   [](const Clause& a, const Clause& b) { return a.quality > b.quality; });
  return clauses;
}

std::optional<Encoding> encoding_of(std::string_view media_type) {
  if (media_type == "*/*" || media_type == "application/json") {
    return Encoding::json;
  }
  if (media_type == "application/yaml") return Encoding::yaml;
  return std::nullopt;
}

std::optional<Shape> discovery_shape(const Clause& clause) {
  if (clause.as != "APIGroupDiscoveryList" || clause.group != "apidiscovery.k8s.io") {
    return std::nullopt;
  }
  if (clause.version == "v2") return Shape::discovery_v2;
  if (clause.version == "v2beta1") return Shape::discovery_v2beta1;
  return std::nullopt;
}

std::optional<Shape> object_shape(const Clause& clause) {
  if (clause.group != "meta.k8s.io") return std::nullopt;
  const bool is_beta = clause.version == "v1beta1";
  if (!is_beta && clause.version != "v1") return std::nullopt;
  if (clause.as == "Table") return is_beta ? Shape::table_v1beta1 : Shape::table_v1;
  const bool is_list = clause.as == "PartialObjectMetadataList";
  if (!is_list && clause.as != "PartialObjectMetadata") return std::nullopt;
  return is_beta ? Shape::partial_metadata_v1beta1 : Shape::partial_metadata;
}

std::optional<Shape> shape_of(const Clause& clause, Answerable answerable) {
  if (clause.as.empty()) return Shape::plain;
  switch (answerable) {
    case Answerable::discovery:
      return discovery_shape(clause);
    case Answerable::objects:
    case Answerable::lists:
    case Answerable::watches:
      return object_shape(clause);
    case Answerable::plain:
      break;
  }
  return std::nullopt;
}

// The media type without its parameters.
std::string media_type_of(std::string_view content_type) {
  return lower(trimmed(next_part(content_type, ';')));
}

}  // namespace

Accepted accepted_form(std::string_view accept, Answerable answerable) {
  Accepted accepted;
  for (const Clause& clause : read_clauses(accept)) {
    const auto encoding = encoding_of(clause.media_type);
    if (!encoding || clause.quality == 0) continue;
    if (const auto shape = shape_of(clause, answerable)) {
      accepted.form = Form{*encoding, *shape, clause.as == "PartialObjectMetadata",
                           clause.as == "PartialObjectMetadataList"};
      return accepted;
    }
    accepted.form_unknown = true;
  }
  return accepted;
}

bool wants_pretty(std::string_view pretty_parameter, std::string_view user_agent) {
  if (!pretty_parameter.empty()) return parse_query_boolean(pretty_parameter).value_or(false);
  return user_agent.starts_with("curl") || user_agent.starts_with("Wget") ||
         user_agent.starts_with("Mozilla/5.0");
}

std::string_view content_type_of(const Form& form) {
  if (form.shape == Shape::discovery_v2) {
    return "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  }
  if (form.shape == Shape::discovery_v2beta1) {
    return "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
  }
  return form.encoding == Encoding::yaml ? "application/yaml" : "application/json";
}

std::optional<BodyForm> body_form(std::string_view content_type) {
  const std::string media_type = media_type_of(content_type);
  if (media_type.empty() || media_type == "application/json") return BodyForm::json;
  if (media_type == "application/yaml") return BodyForm::yaml;
  if (media_type == "application/vnd.kubernetes.protobuf") return BodyForm::protobuf;
  return std::nullopt;
}

std::optional<PatchForm> patch_form(std::string_view content_type) {
  const std::string media_type = media_type_of(content_type);
  if (media_type == "application/json-patch+json") return PatchForm::json;
  if (media_type == "application/merge-patch+json") return PatchForm::merge;
  if (media_type == "application/strategic-merge-patch+json") return PatchForm::strategic_merge;
  if (media_type == "application/apply-patch+yaml") return PatchForm::apply;
  return std::nullopt;
}

std::optional<bool> parse_query_boolean(std::string_view text) {
  constexpr std::string_view yes[] = {"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::string_view no[] = {"0", "f", "F", "false", "FALSE", "False"};
  if (std::find(std::begin(yes), std::end(yes), text) != std::end(yes)) return true;
  if (std::find(std::begin(no), std::end(no), text) != std::end(no)) return false;
  return std::nullopt;
}

}  // namespace muster::server
