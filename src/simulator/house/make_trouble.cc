// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "simulator/house/script_writer.h"

namespace muster::simulator {

namespace {

constexpr std::int64_t trouble_begins = 5'000;
constexpr std::int64_t trouble_last = 1'050'000;

}  // namespace

void ScriptWriter::trouble() {
  machine_trouble();
  disk_trouble();
  for (std::int64_t n = times(Fault::dead_controllers, 4); n > 0; --n) {
    add(between(trouble_begins, trouble_last), "control-dies", {});
  }
  for (std::int64_t n = times(Fault::compactions, 6); n > 0; --n) {
    const std::int64_t at = between(trouble_begins, trouble_last);
    add(at, "compact", {{"keeps", std::to_string(between(0, 50))}});
  }
}

void ScriptWriter::machine_trouble() {
  const auto place = [&] {
    const std::int64_t at = between(trouble_begins, trouble_last);
    return std::pair{at, fmt::format("m{}", between(0, 3))};
  };
  for (std::int64_t n = times(Fault::dead_machines, 3); n > 0; --n) {
    const auto [at, name] = place();
    const std::int64_t span = percent(50) ? between(100, 30'000) : between(30'000, 120'000);
    add(at, "machine-dies", {{"name", name}, {"for", std::to_string(span)}});
  }
  for (std::int64_t n = times(Fault::dead_agents, 4); n > 0; --n) {
    const auto [at, name] = place();
    const std::int64_t span = percent(50) ? between(1, 5'000) : between(5'000, 90'000);
    add(at, "agent-dies", {{"name", name}, {"for", std::to_string(span)}});
  }
  for (std::int64_t n = times(Fault::slow_machines, 3); n > 0; --n) {
    const auto [at, name] = place();
    const std::int64_t delay = between(500, 15'000);
    add(at, "slow",
        {{"name", name},
         {"delay", std::to_string(delay)},
         {"for", std::to_string(between(5'000, 90'000))}});
  }
  for (std::int64_t n = times(Fault::lost_shims, 12); n > 0; --n) {
    const auto [at, name] = place();
    add(at, "shim-dies", {{"name", name}, {"which", std::to_string(between(0, 7))}});
  }
}

void ScriptWriter::disk_trouble() {
  for (std::int64_t n = times(Fault::full_disk, 3); n > 0; --n) {
    const std::int64_t at = between(trouble_begins, trouble_last);
    const std::int64_t room = percent(50) ? 0 : between(1, 200'000);
    add(at, "disk-full",
        {{"room", std::to_string(room)}, {"for", std::to_string(between(100, 40'000))}});
  }
  for (std::int64_t n = times(Fault::broken_disk, 3); n > 0; --n) {
    const std::int64_t at = between(trouble_begins, trouble_last);
    const std::string what = one_of({"write", "sync"});
    add(at, "disk-fails", {{"what", what}, {"after", std::to_string(between(1, 40))}});
  }
}

}  // namespace muster::simulator
