// SPDX-License-Identifier: Apache-2.0
#include "server/route.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "base/go_quote.h"
#include "base/utf8.h"
#include "server/limits.h"
#include "server/negotiation.h"

namespace muster::server {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Nothing where a percent sign is followed by something else than two digits.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_blank) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

bool is_text(std::string_view bytes) {
  return repaired_utf8(bytes) == bytes;
}

Result<std::vector<std::string>> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    if (part.empty()) continue;
    auto decoded = percent_decoded(part, false);
    // A slash or a zero inside a part would make one name look like two.
    if (!decoded || !is_text(*decoded) ||
        decoded->find_first_of(std::string_view("/\0", 2)) != std::string::npos) {
      return Error::bad_request("the path is not valid");
    }
    parts.push_back(std::move(*decoded));
  }
  return parts;
}

// namespaces/NS/status is a part of the namespace, namespaces/NS/pods are the pods in it.
bool is_part_of_namespace(std::string_view part) {
  return part == "status" || part == "finalize";
}

void set_place(std::span<std::string> parts, Route& route) {
  if (parts.size() >= 2 && parts[0] == "watch") {
    route.watches = true;
    parts = parts.subspan(1);
  }
  if (parts.size() >= 3 && parts[0] == "namespaces" &&
      !(parts.size() == 3 && is_part_of_namespace(parts[2]))) {
    route.name_space = parts[1];
    parts = parts.subspan(2);
  }
  if (!parts.empty()) route.plural = parts[0];
  if (parts.size() > 1) route.name = parts[1];
  if (parts.size() > 2) route.subresource = parts[2];
  route.too_deep = parts.size() > 3;
}

}  // namespace

Result<Query> Query::parse(std::string_view text) {
  if (text.size() > query_bytes_max) return Error::too_large("the query is too long");
  Query query;
  while (!text.empty()) {
    const std::size_t ampersand = text.find('&');
    const std::string_view parameter = text.substr(0, ampersand);
    text = ampersand == std::string_view::npos ? std::string_view() : text.substr(ampersand + 1);
    if (parameter.empty()) continue;
    if (query.parameters_.size() >= query_parameters_max) {
      return Error::too_large("the query has too many parameters");
    }
    const std::size_t equals = parameter.find('=');
    auto name = percent_decoded(parameter.substr(0, equals), true);
    auto value = percent_decoded(
        equals == std::string_view::npos ? std::string_view() : parameter.substr(equals + 1), true);
    if (!name || !value || !is_text(*name) || !is_text(*value)) {
      return Error::bad_request("the query is not valid");
    }
    query.parameters_.emplace_back(std::move(*name), std::move(*value));
  }
  return query;
}

std::optional<std::string_view> Query::find(std::string_view name) const {
  for (const auto& [own_name, value] : parameters_) {
    if (own_name == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Query::all(std::string_view name) const {
  std::vector<std::string_view> found;
  for (const auto& [own_name, value] : parameters_) {
    if (own_name == name) found.push_back(value);
  }
  return found;
}

std::optional<bool> Query::boolean(std::string_view name) const {
  const auto text = find(name);
  if (!text) return std::nullopt;
  constexpr std::string_view no = "false";
  const bool says_no = std::ranges::equal(*text, no, [](char c, char lower) {
    return (c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) == lower;
  });
  return !says_no && *text != "0";
}

Result<std::optional<std::int64_t>> Query::integer(std::string_view name) const {
  const auto text = find(name);
  if (!text) return std::optional<std::int64_t>();
  std::int64_t value = 0;
  const char* end = text->data() + text->size();
  const auto [at, failure] = std::from_chars(text->data(), end, value);
  if (failure != std::errc() || at != end) {
    const bool beyond = failure == std::errc::result_out_of_range && at == end;
    return Error::bad_request(fmt::format("strconv.ParseInt: parsing {}: {}", go_quote(*text),
                                          beyond ? "value out of range" : "invalid syntax"));
  }
  return std::optional<std::int64_t>(value);
}

Result<Route> parse_route(std::string_view path, std::string_view query) {
  if (path.size() > path_bytes_max) return Error::too_large("the path is too long");
  std::vector<std::string> parts = TRY(parts_of(path));
  Route route;
  route.query = TRY(Query::parse(query));
  for (const std::string& part : parts) route.path += "/" + part;
  if (parts.empty()) route.path = "/";
  const std::span<std::string> all(parts);
  if (all.size() >= 3 && all[0] == "api") {
    route.version = all[1];
    set_place(all.subspan(2), route);
  } else if (all.size() >= 4 && all[0] == "apis") {
    route.group = all[1];
    route.version = all[2];
    set_place(all.subspan(3), route);
  }
  return route;
}

}  // namespace muster::server
