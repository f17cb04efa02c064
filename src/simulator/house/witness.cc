// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/witness.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "objects/json.h"
#include "server/stored_object.h"

namespace muster::simulator {

using objects::Value;

namespace {

constexpr std::size_t events_per_take = 10'000;
constexpr std::array<std::string_view, 15> followed{
    "pods",          "jobs",         "workloads",      "nodes",
    "clusterqueues", "cohorts",      "localqueues",    "deployments",
    "replicasets",   "statefulsets", "cronjobs",       "provisioningrequests",
    "podtemplates",  "configmaps",   "resourceflavors"};

std::uint64_t mix(std::uint64_t hash, std::string_view bytes) {
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace

Witness::Witness(Listener listener, Violate violate)
    : listener_(std::move(listener)), violate_(std::move(violate)) {
  for (const std::string_view plural : followed) objects_.emplace(plural, Evidence::Objects{});
}

const Evidence::Objects& Witness::all(std::string_view plural) const {
  return objects_.find(plural)->second;
}

void Witness::follow(store::Store& store) {
  store_ = &store;
  if (store.revision().value < ledger_.seen) {
    violate_("I1", fmt::format("revision {} was durable, the store came back with {}", ledger_.seen,
                               store.revision().value));
    return;
  }
  auto watch = store.watch_from({ledger_.seen}, "", [this] { ++wakes_; });
  if (!watch) {
    violate_("I1", "history since the last durable event is gone: " + watch.error().message);
    return;
  }
  watch_ = std::move(*watch);
  const bool is_restart = !known_.empty();
  drain();
  if (is_restart) compare();
}

void Witness::leave() {
  api_ledger_.forget_watches();
  watch_.reset();
  store_ = nullptr;
}

void Witness::drain() {
  if (!watch_) return;
  if (store_->revision().value != ledger_.seen) read_new();
  if (watch_) api_ledger_.settle(violate_);
}

void Witness::read_new() {
  for (bool more = true; more;) {
    auto batch = watch_->take(events_per_take);
    if (!batch) {
      // One that has stopped for good tells the rest after the restart.
      const bool has_stopped = batch.error().code == ErrorCode::unavailable;
      if (!has_stopped) violate_("I1", "the store's own watch failed: " + batch.error().message);
      return watch_.reset();
    }
    more = batch->more;
    for (const store::EventPointer& event : batch->events) see(*event);
    ledger_.seen = std::max(ledger_.seen, batch->revision.value);
  }
  if (!ledger_.unseen.empty() && ledger_.unseen.begin()->first <= ledger_.seen) {
    const auto& [revision, key] = *ledger_.unseen.begin();
    violate_("I1", fmt::format("write {} of {} was acknowledged and never became durable", revision,
                               key));
  }
}

void Witness::see(const store::Event& event) {
  ++events_;
  const std::uint64_t revision = event.revision.value;
  const std::string_view key = event.key.view();
  if (revision <= ledger_.seen) {
    violate_("I1", fmt::format("revision {} after {}", revision, ledger_.seen));
  }
  ledger_.seen = revision;
  ledger_.unseen.erase(revision);
  const auto known = known_.find(key);
  const std::uint64_t before = known == known_.end() ? 0 : known->second.revision;
  if (event.previous_revision.value != before) {
    violate_("I1", fmt::format("write {} of {} replaced revision {}, but {} was durable", revision,
                               key, event.previous_revision.value, before));
  }
  if (event.is_delete()) {
    if (known != known_.end()) known_.erase(known);
  } else if (known != known_.end()) {
    known->second = {revision, event.value};
  } else {
    known_.emplace(key, Known{revision, event.value});
  }
  if (const auto parts = server::parse_key(key)) {
    api_ledger_.happened(fmt::format("{}/{}", parts->group, parts->plural), revision, before);
  }
  tell(key, event);
}

void Witness::tell(std::string_view key, const store::Event& event) {
  const auto parts = server::parse_key(key);
  if (!parts) return;
  const auto table = objects_.find(parts->plural);
  if (table == objects_.end()) return;
  const objects::ObjectKey name{std::string(parts->name_space), std::string(parts->name)};
  Value after;
  if (!event.is_delete()) {
    auto parsed = objects::parse_json(server::object_text(event.value.view()));
    if (!parsed) return violate_("I1", fmt::format("{} is no JSON in the store", key));
    after = std::move(*parsed);
  }
  Value before;
  const auto at = table->second.find(name);
  if (at != table->second.end()) before = at->second;
  if (after.is_absent()) {
    table->second.erase(name);
  } else if (at != table->second.end()) {
    at->second = after;
  } else {
    table->second.emplace(name, after);
  }
  listener_({.plural = table->first, .key = name, .before = before, .after = after});
}

// After a restart: the state is the one that the events led to, byte for byte.
void Witness::compare() {
  if (!ledger_.unseen.empty()) {
    const auto& [revision, key] = *ledger_.unseen.begin();
    violate_("I1", fmt::format("write {} of {} was acknowledged and is lost after a crash",
                               revision, key));
  }
  auto page = store_->list({});
  if (!page) return violate_("I1", "the store cannot be listed: " + page.error().message);
  if (page->entries.size() != known_.size()) {
    violate_("I1", fmt::format("{} keys after a crash, {} were durable", page->entries.size(),
                               known_.size()));
  }
  for (const store::Entry& entry : page->entries) {
    const auto known = known_.find(entry.key.view());
    if (known == known_.end() || known->second.revision != entry.revision.value ||
        !(known->second.value == entry.value)) {
      violate_("I1", fmt::format("{} is not what was durable before the crash", entry.key.view()));
      return;
    }
  }
}

std::uint64_t Witness::fingerprint() const {
  std::uint64_t hash = 0xcbf29ce484222325U + ledger_.seen;
  for (const auto& [key, known] : known_) {
    hash = mix(hash, key);
    hash = mix(hash, known.value.view());
    hash = (hash ^ known.revision) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace muster::simulator
