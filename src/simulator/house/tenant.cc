// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/tenant.h"

#include <algorithm>
#include <utility>

#include "objects/metadata.h"

namespace muster::simulator {

using client::Verb;

namespace {

constexpr int attempts_max = 200;
constexpr Span pause = Span::of_milliseconds(500);

// Whether it is as good as done.
bool is_settled(Verb verb, ErrorCode code) {
  if (verb == Verb::create) return code == ErrorCode::already_exists;
  return verb == Verb::remove && code == ErrorCode::not_found;
}

bool is_about_same(const client::Call& a, const client::Call& b) {
  const auto name = [](const client::Call& call) {
    return call.name.empty() ? objects::name_of(call.body) : std::string_view(call.name);
  };
  return a.resource == b.resource && a.name_space == b.name_space && name(a) == name(b);
}

}  // namespace

void Tenant::connect(client::Api& api, Executor& house, const Clock& clock) {
  api_ = &api;
  house_ = &house;
  clock_ = &clock;
  for (const auto& [number, wish] : waiting_) {
    if (has_turn(number)) send(number);
  }
}

void Tenant::disconnect() {
  api_ = nullptr;
  lifeline_.renew();
}

void Tenant::ask(client::Call call) {
  const std::uint64_t number = next_++;
  waiting_.emplace(number, Wish{std::move(call)});
  if (api_ != nullptr && has_turn(number)) send(number);
}

bool Tenant::has_turn(std::uint64_t number) const {
  const client::Call& call = waiting_.at(number).call;
  return std::ranges::none_of(waiting_, [&](const auto& other) {
    return other.first < number && is_about_same(other.second.call, call);
  });
}

void Tenant::settle(std::map<std::uint64_t, Wish>::iterator wish) {
  const client::Call call = std::move(wish->second.call);
  waiting_.erase(wish);
  const auto next = std::ranges::find_if(
      waiting_, [&](const auto& other) { return is_about_same(other.second.call, call); });
  if (next != waiting_.end()) send(next->first);
}

void Tenant::send(std::uint64_t number) {
  Wish& wish = waiting_.at(number);
  ++wish.attempts;
  api_->call(wish.call, lifeline_.guard([this, number](const Result<objects::Value>& answer) {
    on_answer(number, answer);
  }));
}

// A namespace that is not there yet will be; everything else that is refused stays refused.
void Tenant::on_answer(std::uint64_t number, const Result<objects::Value>& answer) {
  const auto wish = waiting_.find(number);
  if (answer || is_settled(wish->second.call.verb, answer.error().code)) {
    return settle(wish);
  }
  const ErrorCode code = answer.error().code;
  const bool may_change = code == ErrorCode::unavailable || code == ErrorCode::timeout ||
                          code == ErrorCode::conflict || code == ErrorCode::too_many_requests ||
                          code == ErrorCode::not_found || code == ErrorCode::internal ||
                          code == ErrorCode::insufficient_storage;
  if (!may_change || wish->second.attempts >= attempts_max) {
    ++refusals_[answer.error().to_string()];
    return settle(wish);
  }
  house_->post_at(clock_->monotonic() + pause, lifeline_.guard([this, number] { send(number); }));
}

}  // namespace muster::simulator
