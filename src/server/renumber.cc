// SPDX-License-Identifier: Apache-2.0
#include "server/renumber.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/draft.h"
#include "core/model/address_range.h"
#include "core/words.h"
#include "objects/metadata.h"
#include "server/service_addresses.h"
#include "server/stored_object.h"
#include "server/tree_cache.h"

namespace muster::server {

using core::Draft;
using objects::Value;
using objects::View;

namespace {

constexpr std::size_t read_at_once = 1'000;
constexpr std::size_t written_at_once = 1'000;
constexpr const char* no_address_left = "no address is left for a Service";

struct Change {
  std::string key;
  store::Bytes bytes;
  store::Revision revision;
};
using Changes = std::vector<Change>;

// "10.88." of "10.88.0.0/16".
std::string_view octets_of(std::string_view network) {
  const std::size_t first = network.find('.');
  const std::size_t second = first == std::string_view::npos ? first : network.find('.', first + 1);
  return second == std::string_view::npos ? std::string_view() : network.substr(0, second + 1);
}

template <typename Visit>
Result<> for_each_stored(const store::Store& store, std::string_view plural, Visit visit) {
  const std::string prefix = fmt::format("{}core/{}/", registry_prefix, plural);
  std::string start;
  store::ListPage page;
  do {
    page = TRY(store.list({.prefix = prefix, .limit = read_at_once, .start = start}));
    for (const store::Entry& entry : page.entries) visit(entry, TreeCache::read(entry.value));
    if (!page.entries.empty()) start = std::string(page.entries.back().key.view()) + '\0';
  } while (page.remaining > 0);
  return {};
}

void note(Changes& changes, const store::Entry& entry, const Value& before, const Value& next) {
  if (next.view() == before.view()) return;
  changes.push_back({.key = std::string(entry.key.view()),
                     .bytes = stored_bytes(next, managed_text(entry.value.view())),
                     .revision = entry.revision});
}

void move_text(Draft& draft, View text, std::initializer_list<objects::Step> path,
               const Renumbering& how) {
  if (!text.is_string()) return;
  draft.set(path, Value::string(renumbered(std::string(text.string_or("")), how)));
}

// Of `podIPs` and `hostIPs`: each an object with an address.
void move_addresses(Draft& draft, View list, std::string_view name, const Renumbering& how) {
  if (list.empty()) return;
  std::vector<Value> moved;
  for (View each : list.elements()) {
    const std::string address(each["ip"].string_or(""));
    moved.push_back(Value::object({{"ip", Value::string(renumbered(address, how))}}));
  }
  draft.set({"status", name}, core::list_of(moved));
}

// One that has none yet gets it from whoever registers it.
Value moved_node(const Value& node, const Renumbering& how) {
  const std::string range(node["spec"]["podCIDR"].string_or(""));
  if (range.empty()) return node;
  const auto wanted = how.ranges.find(objects::name_of(node));
  const std::string next = wanted == how.ranges.end() ? renumbered(range, how) : wanted->second;
  if (next == range) return node;
  return Draft(node)
      .set({"spec", "podCIDR"}, Value::string(next))
      .set({"spec", "podCIDRs"}, Value::array({Value::string(next)}))
      .value();
}

bool has_ended(const Value& pod) {
  const std::string_view phase = pod["status"]["phase"].string_or("");
  return phase == "Succeeded" || phase == "Failed";
}

Value moved_pod(const Value& pod, const Renumbering& how) {
  Draft draft(pod);
  const View status = pod["status"];
  move_text(draft, objects::annotations_of(pod)[core::words::pod_ip],
            {"metadata", "annotations", core::words::pod_ip}, how);
  move_text(draft, status["podIP"], {"status", "podIP"}, how);
  move_text(draft, status["hostIP"], {"status", "hostIP"}, how);
  move_addresses(draft, status["podIPs"], "podIPs", how);
  move_addresses(draft, status["hostIPs"], "hostIPs", how);
  return draft.value();
}

std::string address_of(const Value& service) {
  return std::string(service["spec"]["clusterIP"].string_or(""));
}

// A Service that has an address of the range; that of this server itself has none
// (server/own_service.h).
bool wants_address(const Value& service) {
  const bool is_own =
      objects::name_of(service) == "kubernetes" && objects::namespace_of(service) == "default";
  return !is_own && core::parse_address(address_of(service)).has_value();
}

Value service_at(const Value& service, const std::string& address) {
  return Draft(service)
      .set({"spec", "clusterIP"}, Value::string(address))
      .set({"spec", "clusterIPs"}, Value::array({Value::string(address)}))
      .value();
}

// Those that have no place in the present range get any: two former networks may have had the same.
Result<> move_services(const store::Store& store, const Renumbering& how, Changes& changes) {
  const NumberPool::Range range = service_numbers(how.services);
  NumberPool pool(range);
  std::vector<std::pair<store::Entry, Value>> homeless;
  TRY(for_each_stored(store, "services", [&](const store::Entry& entry, const Value& service) {
    if (!wants_address(service)) return;
    const std::string asked = renumbered(address_of(service), how);
    const auto address = core::parse_address(asked);
    if (!address || !pool.has(*address) || pool.is_taken(*address)) {
      homeless.emplace_back(entry, service);
      return;
    }
    pool.take(*address);
    if (asked != address_of(service)) note(changes, entry, service, service_at(service, asked));
  }));
  std::uint32_t next = range.first + range.reserve;
  for (const auto& [entry, service] : homeless) {
    while (pool.is_taken(next)) ++next;
    if (!pool.has(next)) return Error{ErrorCode::insufficient_storage, no_address_left};
    pool.take(next);
    note(changes, entry, service, service_at(service, core::address_text(next)));
  }
  return {};
}

Result<Changes> find_changes(const store::Store& store, const Renumbering& how) {
  Changes changes;
  TRY(move_services(store, how, changes));
  TRY(for_each_stored(store, "nodes", [&](const store::Entry& entry, const Value& node) {
    note(changes, entry, node, moved_node(node, how));
  }));
  if (how.former.empty() || how.former == how.present) return changes;
  TRY(for_each_stored(store, "pods", [&](const store::Entry& entry, const Value& pod) {
    if (!has_ended(pod)) note(changes, entry, pod, moved_pod(pod, how));
  }));
  return changes;
}

// Writes all of them, so many at a time, and answers when they are durable.
class Writes : public std::enable_shared_from_this<Writes> {
 public:
  Writes(store::Store& store, Changes changes, RenumberDone done)
      : store_(store), changes_(std::move(changes)), done_(std::move(done)) {}

  void go_on() {
    if (failed_ || next_ == changes_.size()) return end();
    const std::size_t until = std::min(next_ + written_at_once, changes_.size());
    under_way_ = until - next_;
    while (next_ < until) {
      Change& change = changes_[next_++];
      store_.put_if(change.key, std::move(change.bytes), store::Expected::exactly(change.revision),
                    [self = shared_from_this()](const Result<store::Revision>& written) {
                      self->on_written(written);
                    });
    }
  }

 private:
  void on_written(const Result<store::Revision>& written) {
    if (!written && !failed_) failed_ = written.error();
    if (--under_way_ == 0) go_on();
  }

  void end() {
    if (failed_) return done_(*failed_);
    done_(changes_.size());
  }

  store::Store& store_;
  Changes changes_;
  RenumberDone done_;
  std::size_t next_ = 0;
  std::size_t under_way_ = 0;
  std::optional<Error> failed_;
};

}  // namespace

std::string renumbered(const std::string& address_or_range, const Renumbering& how) {
  const std::string_view from = octets_of(how.former);
  if (from.empty() || !address_or_range.starts_with(from)) return address_or_range;
  return std::string(octets_of(how.present)) + address_or_range.substr(from.size());
}

void renumber(store::Store& store, const Renumbering& how, RenumberDone done) {
  auto changes = find_changes(store, how);
  if (!changes) return done(changes.error());
  std::make_shared<Writes>(store, std::move(*changes), std::move(done))->go_on();
}

Result<NodeRanges> stored_node_ranges(const store::Store& store) {
  NodeRanges ranges;
  TRY(for_each_stored(store, "nodes", [&](const store::Entry&, const Value& node) {
    const std::string_view range = node["spec"]["podCIDR"].string_or("");
    if (!range.empty()) ranges.emplace(objects::name_of(node), range);
  }));
  return ranges;
}

}  // namespace muster::server
