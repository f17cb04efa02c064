// SPDX-License-Identifier: Apache-2.0
#include "agent/pod_tokens.h"

#include <algorithm>
#include <set>
#include <utility>

#include "objects/metadata.h"

namespace muster::agent {

using objects::Value;
using objects::View;

namespace {

constexpr Span retry_span = Span::of_seconds(10);
constexpr std::int64_t kept_seconds_max = 24LL * 3600;

Value request_of(View pod, const TokenWish& wish) {
  const Value bound = Value::object({{"apiVersion", Value::string("v1")},
                                     {"kind", Value::string("Pod")},
                                     {"name", Value::string(objects::name_of(pod))},
                                     {"uid", Value::string(objects::uid_of(pod))}});
  const Value audiences =
      wish.audience.empty() ? Value::array({}) : Value::array({Value::string(wish.audience)});
  return Value::object({{"apiVersion", Value::string("authentication.k8s.io/v1")},
                        {"kind", Value::string("TokenRequest")},
                        {"spec", Value::object({{"audiences", audiences},
                                                {"expirationSeconds", Value::integer(wish.seconds)},
                                                {"boundObjectRef", bound}})}});
}

}  // namespace

std::vector<TokenWish> token_wishes_of(View pod) {
  std::set<TokenWish> wishes;
  for (View volume : pod["spec"]["volumes"].elements()) {
    for (View source : volume["projected"]["sources"].elements()) {
      const View token = source["serviceAccountToken"];
      if (token) wishes.insert(token_wish_of(token));
    }
  }
  return {wishes.begin(), wishes.end()};
}

bool PodTokens::ensure(View pod) {
  bool complete = true;
  for (const TokenWish& wish : token_wishes_of(pod)) {
    Token& token = tokens_[wish];
    if (!token.is_asked && token.due <= house_.clock.monotonic()) ask(pod, wish, token);
    complete = complete && !token.text.empty();
  }
  return complete;
}

std::map<TokenWish, std::string> PodTokens::texts() const {
  std::map<TokenWish, std::string> texts;
  for (const auto& [wish, token] : tokens_) texts.emplace(wish, token.text);
  return texts;
}

std::optional<MonotonicInstant> PodTokens::due() const {
  std::optional<MonotonicInstant> first;
  for (const auto& [wish, token] : tokens_) {
    if (token.is_asked) continue;
    if (!first || token.due < *first) first = token.due;
  }
  return first;
}

void PodTokens::ask(View pod, const TokenWish& wish, Token& token) {
  token.is_asked = true;
  api_.call(
      {.verb = client::Verb::create,
       .resource = account_resource,
       .name_space = std::string(objects::namespace_of(pod)),
       .name = std::string(pod["spec"]["serviceAccountName"].string_or("default")),
       .subresource = "token",
       .body = request_of(pod, wish)},
      lifeline_.guard([this, wish](const Result<Value>& answer) { on_answer(wish, answer); }));
}

void PodTokens::on_answer(const TokenWish& wish, const Result<Value>& answer) {
  Token& token = tokens_[wish];
  token.is_asked = false;
  const std::string_view text = answer ? (*answer)["status"]["token"].string_or("") : "";
  if (text.empty()) {
    token.due = house_.clock.monotonic() + retry_span;
    trouble_ = answer ? "failed to fetch token: the answer has none"
                      : "failed to fetch token: " + answer.error().message;
  } else {
    const std::int64_t seconds = (*answer)["spec"]["expirationSeconds"].integer_or(wish.seconds);
    const std::int64_t kept = std::clamp<std::int64_t>(seconds / 5 * 4, 1, kept_seconds_max);
    token.text = text;
    token.due = house_.clock.monotonic() + Span::of_seconds(kept);
    trouble_.clear();
  }
  on_change_();
}

}  // namespace muster::agent
