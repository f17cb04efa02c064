// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/image_users.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace muster::agent {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || read.ec != std::errc() || read.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

struct User {
  std::string_view name;
  std::uint32_t user = 0;
  std::uint32_t group = 0;
};

// name:password:uid:gid:…
std::optional<User> find_user(std::string_view users, std::string_view name,
                              std::optional<std::uint32_t> number) {
  for (const std::string_view line : split(users, '\n')) {
    const auto words = split(line, ':');
    if (words.size() < 4) continue;
    const auto user = number_of(words[2]);
    const auto group = number_of(words[3]);
    if (!user || !group) continue;
    if (number ? *user == *number : words[0] == name) return User{words[0], *user, *group};
  }
  return std::nullopt;
}

// name:password:gid:members
std::optional<std::uint32_t> find_group(std::string_view groups, std::string_view name) {
  for (const std::string_view line : split(groups, '\n')) {
    const auto words = split(line, ':');
    if (words.size() >= 3 && words[0] == name) return number_of(words[2]);
  }
  return std::nullopt;
}

std::vector<std::uint32_t> groups_with(std::string_view groups, std::string_view member) {
  std::vector<std::uint32_t> list;
  for (const std::string_view line : split(groups, '\n')) {
    const auto words = split(line, ':');
    if (words.size() < 4) continue;
    const auto members = split(words[3], ',');
    const auto number = number_of(words[2]);
    if (number && std::find(members.begin(), members.end(), member) != members.end()) {
      list.push_back(*number);
    }
  }
  return list;
}

}  // namespace

std::optional<std::uint32_t> numeric_image_user(std::string_view named) {
  named = named.substr(0, named.find(':'));
  return named.empty() ? std::optional<std::uint32_t>(0) : number_of(named);
}

Result<ImageUser> resolve_image_user(std::string_view named, std::optional<std::uint32_t> user,
                                     std::optional<std::uint32_t> group, std::string_view users,
                                     std::string_view groups) {
  const std::size_t colon = named.find(':');
  const std::string_view user_text = named.substr(0, colon);
  std::string_view group_text =
      colon == std::string_view::npos ? std::string_view() : named.substr(colon + 1);
  if (user) group_text = {};  // the image's group was its own user's
  const std::optional<std::uint32_t> number = user                ? user
                                              : user_text.empty() ? std::optional<std::uint32_t>(0)
                                                                  : number_of(user_text);
  const auto found = find_user(users, user_text, number);
  if (!found && !number) {
    return Error{
        ErrorCode::not_found,
        fmt::format("unable to find user {}: no matching entries in passwd file", user_text)};
  }
  ImageUser made{.user = found ? found->user : *number, .group = found ? found->group : 0};
  if (group) {
    made.group = *group;
  } else if (!group_text.empty()) {
    const auto known = find_group(groups, group_text);
    const auto as_number = number_of(group_text);
    if (!known && !as_number) {
      return Error{
          ErrorCode::not_found,
          fmt::format("unable to find group {}: no matching entries in group file", group_text)};
    }
    made.group = known ? *known : *as_number;
  }
  if (found) made.groups = groups_with(groups, found->name);
  return made;
}

}  // namespace muster::agent
