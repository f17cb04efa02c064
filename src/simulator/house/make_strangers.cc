// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "simulator/house/requests.h"
#include "simulator/house/script_writer.h"

namespace muster::simulator {

namespace {

constexpr std::int64_t strangers_come = 5'000;
constexpr std::int64_t strangers_go = 1'000'000;
constexpr std::array<std::string_view, 6> nodes{"m0-n0", "m0-n1", "m1-n0",
                                                "m1-n1", "m2-n0", "m3-n0"};

}  // namespace

void ScriptWriter::strangers() {
  for (std::int64_t n = percent(40) ? between(1, 4) : 0; n > 0; --n) {
    const std::string name(nodes[random_.below(nodes.size())]);
    const std::int64_t at = between(strangers_come, strangers_go);
    add(at, "cordon", {{"name", name}, {"is", "true"}});
    add(at + between(100, 90'000), "cordon", {{"name", name}, {"is", "null"}});
  }
  // The only node of its flavor is of none for a while.
  for (std::int64_t n = percent(40) ? between(1, 2) : 0; n > 0; --n) {
    const std::int64_t at = between(strangers_come, strangers_go);
    add(at, "relabel", {{"name", "m2-n0"}, {"tier", "bronze"}});
    add(at + between(100, 90'000), "relabel", {{"name", "m2-n0"}, {"tier", "spot"}});
  }
  for (std::int64_t n = percent(50) ? between(1, 20) : 0; n > 0; --n) {
    const std::int64_t at = between(strangers_come, strangers_go);
    const auto last = static_cast<std::int64_t>(nonsense_count()) - 1;
    add(at, "nonsense",
        {{"name", fmt::format("nonsense-{}", n)}, {"which", std::to_string(between(0, last))}});
  }
  if (percent(25)) standby();
  // It stays as long as a queue names it. One that is made anew while a queue is away would name
  // nothing.
  const bool is_deleted = percent(25);
  if (!is_deleted || has(Room::deleting)) return;
  const std::int64_t at = between(is_short_ ? 100'000 : strangers_come, strangers_go);
  add(at, "delete",
      {{"kind", "resourceflavors"}, {"namespace", ""}, {"name", one_of({"default", "spot"})}});
}

// Pods of no queue that say themselves where they run, some on a node that nobody knows. Where
// there is no room they fail.
void ScriptWriter::named_nodes() {
  for (std::int64_t n = percent(50) ? between(1, 20) : 0; n > 0; --n) {
    const std::int64_t at = between(strangers_come, strangers_go);
    const std::string node(percent(10) ? "nowhere" : nodes[random_.below(nodes.size())]);
    const std::string cpu = std::to_string(between(1, 4));
    add(at, "pod",
        {{"namespace", one_of({"team-a", "team-b", "team-c"})},
         {"name", fmt::format("on-node-{}", n)},
         {"node", node},
         {"cpu", cpu},
         {"run", std::to_string(between(200, 15'000))}});
  }
}

// Two controllers: the one that works dies, or cannot be heard, for long enough to be followed.
void ScriptWriter::standby() {
  add(0, "standby", {});
  for (std::int64_t n = between(1, 4); n > 0; --n) {
    const std::int64_t at = between(strangers_come, strangers_go);
    const std::string who = one_of({"control", "standby"});
    const std::string verb = one_of({"cut", "control-dies"});
    add(at, verb, {{"who", who}, {"for", std::to_string(between(1'000, 60'000))}});
  }
}

}  // namespace muster::simulator
