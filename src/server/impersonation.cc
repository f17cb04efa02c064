// SPDX-License-Identifier: Apache-2.0
#include "server/impersonation.h"

#include <fmt/format.h>

#include <algorithm>

#include "objects/field_error.h"
#include "server/access.h"
#include "server/authorization.h"
#include "server/service_account_token.h"

namespace muster::server {

using objects::go_quoted;

namespace {

constexpr std::string_view authentication_group = "authentication.k8s.io";
constexpr std::string_view extra_prefix = "extra-";

int hexadecimal(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

// Percent-decoded; as it stands where that is not possible.
std::string decoded_key(std::string_view text) {
  std::string key;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      key += text[at];
      continue;
    }
    if (at + 2 >= text.size()) return std::string(text);
    const int high = hexadecimal(text[at + 1]);
    const int low = hexadecimal(text[at + 2]);
    if (high < 0 || low < 0) return std::string(text);
    key += static_cast<char>(high * 16 + low);
    at += 2;
  }
  return key;
}

void add_extra(Identity::Extra& extra, const std::string& key, const std::string& value) {
  const auto at =
      std::lower_bound(extra.begin(), extra.end(), key,
                       [](const auto& each, const std::string& k) { return each.first < k; });
  if (at != extra.end() && at->first == key) {
    at->second.push_back(value);
  } else {
    extra.insert(at, {key, {value}});
  }
}

std::string go_texts(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) {
    if (!list.empty()) list += ", ";
    list += go_quoted(text);
  }
  return fmt::format("[]string{{{}}}", list);
}

// As Go prints the user that was asked for.
Failure without_user(const Impersonation& asked) {
  std::string extra;
  for (const auto& [key, values] : asked.extra) {
    if (!extra.empty()) extra += ", ";
    extra += fmt::format("{}:{}", go_quoted(key), go_texts(values));
  }
  return failures::bad_request(fmt::format(
      "requested &user.DefaultInfo{{Name:\"\", UID:{}, Groups:{}, "
      "Extra:map[string][]string{}}} without impersonating a user name",
      go_quoted(asked.uid), asked.groups.empty() ? "[]string(nil)" : go_texts(asked.groups),
      extra.empty() ? std::string("(nil)") : fmt::format("{{{}}}", extra)));
}

struct Question {
  std::string_view group;
  std::string_view resource;
  std::string_view subresource;
  std::string_view name_space;
  std::string_view name;
};

Outcome<> check(const Context& context, const Identity& asker, const Question& question) {
  return check_access(context, {.identity = asker,
                                .verb = "impersonate",
                                .group = question.group,
                                .resource = question.resource,
                                .subresource = question.subresource,
                                .name_space = question.name_space,
                                .name = question.name});
}

// Whoever is somebody is authenticated, unless it was said otherwise.
void complete_groups(Identity& identity) {
  const bool anonymous = identity.name == anonymous_user;
  const auto has = [&](std::string_view group) { return is_in_group(identity, group); };
  if (anonymous) {
    if (!has(unauthenticated_group)) identity.groups.emplace_back(unauthenticated_group);
  } else if (!has(authenticated_group) && !has(unauthenticated_group)) {
    identity.groups.emplace_back(authenticated_group);
  }
}

}  // namespace

Impersonation read_impersonation(const ImpersonationHeaders& headers) {
  Impersonation asked;
  for (const auto& [name, value] : headers) {
    if (name == "user") {
      if (asked.user.empty()) asked.user = value;
    } else if (name == "uid") {
      if (asked.uid.empty()) asked.uid = value;
    } else if (name == "group") {
      asked.groups.push_back(value);
    } else if (name.starts_with(extra_prefix)) {
      add_extra(asked.extra, decoded_key(std::string_view(name).substr(extra_prefix.size())),
                value);
    }
  }
  return asked;
}

Outcome<Identity> impersonated(const Context& context, const Identity& asker,
                               const ImpersonationHeaders& headers) {
  if (headers.empty()) return asker;
  Impersonation asked = read_impersonation(headers);
  if (asked.is_empty()) return asker;
  if (asked.user.empty()) return without_user(asked);
  Identity identity{.name = asked.user, .groups = asked.groups, .uid = asked.uid};
  if (const auto account = service_account_of(asked.user)) {
    ALLOWED(check(context, asker, {"", "serviceaccounts", "", account->name_space, account->name}));
    if (asked.groups.empty()) identity.groups = service_account_groups(account->name_space);
  } else {
    ALLOWED(check(context, asker, {"", "users", "", "", asked.user}));
  }
  for (const std::string& group : asked.groups) {
    ALLOWED(check(context, asker, {"", "groups", "", "", group}));
  }
  for (const auto& [key, values] : asked.extra) {
    for (const std::string& value : values) {
      ALLOWED(check(context, asker, {authentication_group, "userextras", key, "", value}));
    }
  }
  if (!asked.uid.empty()) {
    ALLOWED(check(context, asker, {authentication_group, "uids", "", "", asked.uid}));
  }
  identity.extra = std::move(asked.extra);
  complete_groups(identity);
  return identity;
}

}  // namespace muster::server
