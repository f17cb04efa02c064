// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/api_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "client/lifeline.h"
#include "objects/metadata.h"

namespace muster::simulator {

using client::Verb;
using objects::View;

namespace {

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::uint64_t revision_of(View object) {
  return number_of(objects::resource_version_of(object));
}

std::string kind_of(const objects::Resource& resource) {
  return fmt::format("{}/{}", resource.group, resource.plural);
}

}  // namespace

class ApiLedger::WrappedApi final : public client::Api {
 public:
  WrappedApi(ApiLedger& ledger, client::Api& api) : ledger_(ledger), api_(api) {}

  void call(client::Call call, client::Answer answer) override {
    if (call.verb == Verb::get || call.verb == Verb::remove) {
      return api_.call(std::move(call), std::move(answer));
    }
    const bool is_list = call.verb == Verb::list;
    Write write{.what = fmt::format("{} {}/{}", call.resource.plural, call.name_space, call.name)};
    if (call.verb == Verb::update) write.expected = revision_of(call.body);
    Read read{.kind = kind_of(call.resource), .acknowledged = ledger_.acknowledged_};
    api_.call(std::move(call),
              lifeline_.guard([this, is_list, write = std::move(write), read = std::move(read),
                               answer = std::move(answer)](Result<objects::Value> result) mutable {
                if (result) note(is_list, std::move(write), std::move(read), *result);
                answer(std::move(result));
              }));
  }

  std::unique_ptr<client::Watch> watch(client::WatchCall call, client::WatchSink sink) override {
    const std::size_t stream = ledger_.open(call);
    return api_.watch(
        std::move(call),
        {.on_event = lifeline_.guard(
             [this, stream, on_event = std::move(sink.on_event)](client::WatchEvent event) mutable {
               ledger_.deliveries_.push_back({stream, revision_of(event.object),
                                              event.type == client::WatchEvent::Type::bookmark});
               on_event(std::move(event));
             }),
         .on_closed = std::move(sink.on_closed)});
  }

 private:
  void note(bool is_list, Write write, Read read, View answer) {
    const std::uint64_t revision = revision_of(answer);
    if (revision == 0) return;
    if (is_list) {
      read.got = revision;
      ledger_.reads_.push_back(std::move(read));
      return;
    }
    write.got = revision;
    ledger_.acknowledged_ = std::max(ledger_.acknowledged_, revision);
    ledger_.writes_.push_back(std::move(write));
  }

  ApiLedger& ledger_;
  client::Api& api_;
  client::Lifeline lifeline_;
};

void ApiLedger::happened(std::string_view kind, std::uint64_t revision, std::uint64_t previous) {
  const auto found = history_.find(kind);
  auto& revisions = found == history_.end() ? history_[std::string(kind)] : found->second;
  revisions.push_back(revision);
  previous_.emplace_hint(previous_.end(), revision, previous);
}

std::unique_ptr<client::Api> ApiLedger::wrap(client::Api& api) {
  return std::make_unique<WrappedApi>(*this, api);
}

std::size_t ApiLedger::open(const client::WatchCall& call) {
  const bool is_whole = call.name_space.empty() && call.label_selector.empty() &&
                        call.field_selector.empty() && number_of(call.resource_version) > 0;
  streams_.emplace(stream_next_, Stream{.kind = kind_of(call.resource),
                                        .is_whole = is_whole,
                                        .begins_with_state = number_of(call.resource_version) == 0,
                                        .last = number_of(call.resource_version)});
  return stream_next_++;
}

std::string ApiLedger::wrong_with(const Delivery& delivery) {
  const auto found = streams_.find(delivery.stream);
  if (found == streams_.end()) return {};
  Stream& stream = found->second;
  const std::uint64_t last = std::exchange(stream.last, std::max(stream.last, delivery.revision));
  if (stream.begins_with_state) return {};  // in the order of the keys, not of the versions
  if (delivery.revision < last || (delivery.revision == last && !delivery.is_bookmark)) {
    return fmt::format("a watch of {} told {} after {}", stream.kind, delivery.revision, last);
  }
  if (!stream.is_whole) return {};
  const std::vector<std::uint64_t>& revisions = history_[stream.kind];
  const auto next = std::ranges::upper_bound(revisions, last);
  const bool has_next = next != revisions.end();
  if (delivery.is_bookmark ? has_next && *next <= delivery.revision
                           : !has_next || *next != delivery.revision) {
    return fmt::format("a watch of {} told {} after {}, but {} was next", stream.kind,
                       delivery.revision, last, has_next ? *next : 0);
  }
  return {};
}

std::string ApiLedger::wrong_with(const Write& write) const {
  const auto found = previous_.find(write.got);
  if (found == previous_.end()) {
    return fmt::format("write {} of {} was acknowledged and never happened", write.got, write.what);
  }
  if (write.expected == 0 || write.got == write.expected || found->second == write.expected) {
    return {};
  }
  return fmt::format("the update of {} named version {} and replaced {}", write.what,
                     write.expected, found->second);
}

void ApiLedger::settle(const Violate& violate) {
  for (const Delivery& each : std::exchange(deliveries_, {})) {
    if (std::string wrong = wrong_with(each); !wrong.empty())
      violate("I2 watches", std::move(wrong));
  }
  for (const Write& each : std::exchange(writes_, {})) {
    if (std::string wrong = wrong_with(each); !wrong.empty())
      violate("I3 one writer", std::move(wrong));
  }
  for (const Read& each : std::exchange(reads_, {})) {
    if (each.got >= each.acknowledged) continue;
    violate("I2 reads", fmt::format("a list of {} is of {}, but {} had been acknowledged",
                                    each.kind, each.got, each.acknowledged));
  }
}

void ApiLedger::forget_watches() {
  streams_.clear();
  deliveries_.clear();
  writes_.clear();
  reads_.clear();
}

}  // namespace muster::simulator
