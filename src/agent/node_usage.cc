// SPDX-License-Identifier: Apache-2.0
#include "agent/node_usage.h"

#include <algorithm>
#include <memory>

#include "agent/shim.h"
#include "base/os/control_group.h"

namespace muster::agent {

namespace {

constexpr Span usual_span = Span::of_seconds(10);
constexpr Span short_span = Span::of_seconds(1);

}  // namespace

void NodeUsage::add(Series& series, const Sample& sample) {
  // Another process: the container was run again.
  const bool goes_on =
      series.last.at != MonotonicInstant{} && series.last.process == sample.process;
  series.before = goes_on ? std::optional(series.last) : std::nullopt;
  series.last = sample;
}

std::optional<MeasuredUsage> NodeUsage::rate_of(const Series& series, std::string name) {
  if (!series.before) return std::nullopt;
  const Span window = series.last.at - series.before->at;
  if (window <= Span{}) return std::nullopt;
  const Span busy = series.last.used.processor_time - series.before->used.processor_time;
  const double cores = static_cast<double>(std::max<std::int64_t>(0, busy.nanoseconds)) /
                       static_cast<double>(window.nanoseconds);
  return MeasuredUsage{.taken = series.last.wall,
                       .window = window,
                       .rates = {{.name = std::move(name),
                                  .nanocores = static_cast<std::int64_t>(cores * 1e9),
                                  .memory_bytes = series.last.used.memory_bytes}}};
}

std::optional<MeasuredUsage> NodeUsage::pod(std::string_view uid) const {
  std::optional<MeasuredUsage> whole;
  for (const RunningContainer& each : agent_.running()) {
    if (each.pod_uid != uid) continue;
    const auto found = containers_.find(Key{each.pod_uid, each.container});
    auto rate = found == containers_.end() ? std::nullopt : rate_of(found->second, each.container);
    if (!rate) return std::nullopt;
    if (whole) {
      whole->rates.push_back(std::move(rate->rates.front()));
    } else {
      whole = std::move(rate);
    }
  }
  return whole;
}

std::optional<MeasuredUsage> NodeUsage::node(std::string_view name) const {
  const std::vector<std::string> nodes = agent_.node_names();
  if (std::find(nodes.begin(), nodes.end(), name) == nodes.end()) return std::nullopt;
  auto machine = rate_of(machine_, {});
  if (!machine || extent_ == Extent::of_machine) return machine;
  UsageRate& sum = machine->rates.front();
  sum = {};
  for (const RunningContainer& each : agent_.running()) {
    if (each.node != name) continue;
    const auto found = containers_.find(Key{each.pod_uid, each.container});
    const auto rate = found == containers_.end() ? std::nullopt : rate_of(found->second, {});
    if (!rate) continue;
    sum.nanocores += rate->rates.front().nanocores;
    sum.memory_bytes += rate->rates.front().memory_bytes;
  }
  return machine;
}

void NodeUsage::measure() {
  auto round = std::make_shared<Round>();
  for (RunningContainer& each : agent_.running()) {
    round->containers.push_back(
        {Key{std::move(each.pod_uid), std::move(each.container)}, {.process = each.process_id}});
  }
  disk_.submit(
      DiskLane::node,
      [round, &clock = house_.clock] {
        const ControlGroups groups = ControlGroups::find();
        const auto measured = [&clock](Result<ProcessUsage> used, std::int64_t process) {
          return used ? Sample{*used, clock.monotonic(), clock.wall(), process} : Sample{};
        };
        for (auto& [key, sample] : round->containers) {
          sample = measured(measure_process_tree(sample.process), sample.process);
          const auto counted = groups.named(shim_group_name(key.first, key.second)).memory_bytes();
          if (counted) sample.used.memory_bytes = *counted;
        }
        round->machine = measured(measure_machine(), 0);
      },
      house_.executor, lifeline_.guard([this, round] { on_measured(std::move(*round)); }));
}

void NodeUsage::on_measured(Round round) {
  std::map<Key, Series> next;
  bool has_new = false;
  for (auto& [key, sample] : round.containers) {
    if (sample.at == MonotonicInstant{}) continue;
    const auto known = containers_.find(key);
    Series series = known == containers_.end() ? Series{} : known->second;
    add(series, sample);
    has_new = has_new || !series.before;
    next.emplace(std::move(key), series);
  }
  containers_ = std::move(next);
  // Short windows of the machine beside long ones of containers tell nothing more.
  add(machine_, *round.machine);
  has_new = has_new || !machine_.before;
  const Span pause = has_new ? short_span : usual_span;
  house_.executor.post_at(house_.clock.monotonic() + pause, lifeline_.guard([this] { measure(); }));
}

}  // namespace muster::agent
