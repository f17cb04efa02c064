// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "simulator/house/script_writer.h"

namespace muster::simulator {

namespace {

constexpr std::int64_t submits_begin = 3'000;
constexpr std::int64_t submits_end = 840'000;
constexpr std::int64_t short_by = 10;

}  // namespace

Script ScriptWriter::write() {
  if (is_fair_) {
    fair_queues();
  } else {
    house();
  }
  add(trouble_ends_milliseconds, "calm", {});
  std::stable_sort(script_.lines.begin(), script_.lines.end(), [](const Line& a, const Line& b) {
    return a.at_milliseconds < b.at_milliseconds;
  });
  return std::move(script_);
}

void ScriptWriter::house() {
  choose_rooms();
  stage();
  choose_faults();
  jobs();
  crashes();
  edits();
  trouble();
  rooms();
  if (is_wild_) strangers();
  if (is_wild_) named_nodes();
}

void ScriptWriter::add(std::int64_t at, std::string_view verb, const Arguments& arguments) {
  Line line{.at_milliseconds = is_short_ ? (at + short_by - 1) / short_by : at,
            .verb = std::string(verb)};
  for (const auto& [name, value] : arguments) line.arguments.emplace(name, value);
  script_.lines.push_back(std::move(line));
}

std::int64_t ScriptWriter::between(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(high - low + 1)));
}

void ScriptWriter::stage() {
  for (const auto* name : {"team-a", "team-b", "team-c"}) add(0, "namespace", {{"name", name}});
  stage_rooms();
  add(0, "flavor", {{"name", "spot"}, {"tier", "spot"}});
  add(0, "priority", {{"name", "high"}, {"value", "1000"}});
  sharing();
  queues_.emplace_back("strict", queue("strict", "StrictFIFO", "8"));
  queues_.emplace_back("broad", queue("broad", "BestEffortFIFO", "12"));
  queues_.emplace_back("mixed", queue("mixed", "BestEffortFIFO", "6"));
  // Where only some flavors have a topology, they are for those who ask for it.
  if (!has(Room::topology)) queues_.back().second.emplace_back("spot", "4");
  for (const auto& [name, arguments] : queues_) add(0, "queue", arguments);
  for (const Door& door : doors) {
    add(0, "local-queue",
        {{"namespace", std::string(door.name_space)},
         {"name", std::string(door.name)},
         {"cluster-queue", std::string(door.cluster_queue)}});
  }
  stage_machines();
}

// In a topology a machine is a rack; the one of the other flavor is in none.
void ScriptWriter::stage_machines() {
  const std::string large = percent(50) ? "8" : "12";
  const std::string pool = has(Room::topology) ? "default" : "";
  add(0, "machine", {{"name", "m0"}, {"cpu", large}, {"nodes", "2"}, {"pool", pool}});
  add(0, "machine", {{"name", "m1"}, {"cpu", "8"}, {"nodes", "2"}, {"pool", pool}});
  add(0, "machine", {{"name", "m2"}, {"cpu", "4"}, {"nodes", "1"}, {"tier", "spot"}});
  add(0, "machine",
      {{"name", "m3"}, {"cpu", "8"}, {"nodes", "1"}, {"taint", "dedicated"}, {"pool", pool}});
}

std::string ScriptWriter::one_of(std::initializer_list<std::string_view> words) {
  return std::string(std::data(words)[random_.below(words.size())]);
}

// Half of the seeds share quota: in one cohort or in a tree of two, with what Muster adds.
void ScriptWriter::sharing() {
  shares_ = percent(50);
  is_nested_ = shares_ && percent(40);
  add(0, "policy",
      {{"backfill", percent(25) ? "reserve" : "none"},
       {"preemption-cost", one_of({"ignored", "ties", "first"})},
       {"notes", percent(10) ? "kept" : "lost"}});
  if (!is_nested_) return;
  add(0, "cohort", {{"name", "all"}, {"default", std::to_string(between(0, 4))}});
  add(0, "cohort", {{"name", "part"}, {"parent", "all"}});
}

ScriptWriter::Arguments ScriptWriter::queue(std::string_view name, std::string_view strategy,
                                            std::string cpu) {
  Arguments arguments{{"name", std::string(name)},
                      {"strategy", std::string(strategy)},
                      {"default", std::move(cpu)}};
  const auto set = [&](std::string_view key, std::string value) {
    arguments.emplace_back(key, std::move(value));
  };
  if (percent(50)) {
    set("within", one_of({"Never", "LowerPriority", "LowerOrNewerEqualPriority"}));
  }
  if (has(Room::checks) && name == "broad") set("check", "room");
  if (!shares_) return arguments;
  if (has(Room::fair_sharing)) set("weight", std::to_string(between(1, 3)));
  set("cohort", is_nested_ && name != "mixed" ? "part" : "all");
  if (percent(40)) set("borrow", std::to_string(between(0, 6)));
  if (percent(40)) set("lend", std::to_string(between(0, 4)));
  const std::string reclaim = one_of({"Never", "LowerPriority", "Any"});
  if (reclaim != "Never" && percent(30)) set("borrow-within", "LowerPriority");
  set("reclaim", reclaim);
  return arguments;
}

void ScriptWriter::choose_faults() {
  std::int64_t chosen = 0;
  const Fault most = is_wild_ ? Fault::count : Fault::tame_count;
  const std::int64_t wanted = between(3, static_cast<std::int64_t>(most));
  while (chosen < wanted) {
    bool& fault = faults_[random_.below(static_cast<std::uint64_t>(most))];
    if (!std::exchange(fault, true)) ++chosen;
  }
  const auto rate = [&](Fault fault, std::int64_t often, std::int64_t rare) {
    return std::to_string(has(fault) ? between(often, rare) : 0);
  };
  const std::int64_t begin = between(1'000, 5'000);
  add(begin, "faults",
      {{"call-lost-in", rate(Fault::lost_calls, 10, 200)},
       {"answer-lost-in", rate(Fault::lost_answers, 10, 200)},
       {"conflict-in", rate(Fault::conflicts, 10, 100)},
       {"event-twice-in", rate(Fault::repeated_events, 3, 50)},
       {"watch-closed-in", rate(Fault::closed_watches, 30, 1'000)},
       {"delay-max", rate(Fault::delays, 1, percent(20) ? 3'000 : 200)},
       {"disk-jitter-max", rate(Fault::slow_disk, 1, 100)}});
  for (std::int64_t n = has(Fault::cuts) ? between(1, 4) : 0; n > 0; --n) {
    const std::int64_t at = between(5'000, 1'100'000);
    add(at, "cut",
        {{"who", percent(50) ? "control" : fmt::format("m{}", between(0, 3))},
         {"for", std::to_string(between(100, 20'000))}});
  }
  for (std::int64_t n = has(Fault::clock_jumps) ? between(1, 4) : 0; n > 0; --n) {
    const std::int64_t at = between(5'000, 1'150'000);
    add(at, "clock-jump", {{"by", std::to_string(between(-7'200'000, 7'200'000))}});
  }
}

void ScriptWriter::jobs() {
  const std::int64_t count = is_short_ ? between(30, 40) : between(200, 230);
  for (int number = 0; number < count; ++number) job(number);
}

void ScriptWriter::job(int number) {
  const Door& door = doors[random_.below(doors.size())];
  const std::string name = fmt::format("job-{}", number);
  const std::int64_t at = between(submits_begin, submits_end);
  std::int64_t pods = percent(75) ? between(1, 2) : between(1, 8);
  std::int64_t cpu = percent(70) ? 1 : between(1, 4);
  pods = std::min(pods, door.cpu_max / cpu);
  Arguments arguments{{"namespace", std::string(door.name_space)},
                      {"name", name},
                      {"queue", std::string(door.name)},
                      {"run", std::to_string(between(200, percent(80) ? 12'000 : 40'000))},
                      {"backoff", "50"},
                      {"fate", "completes"}};
  const auto set = [&](std::string_view key, std::string value) {
    std::erase_if(arguments, [&](const auto& pair) { return pair.first == key; });
    arguments.emplace_back(key, std::move(value));
  };
  const std::uint64_t kind = random_.below(100);
  if (kind < 5) {
    set("exit", "3");
    set("backoff", std::to_string(between(0, 1)));
    set("fate", "fails");
  } else if (kind < 7) {
    set("queue", "nowhere");
    set("fate", "waits");
  } else if (kind < 10 && !door.is_strict) {
    pods = 8;
    cpu = 8;
    set("fate", "waits");
  } else if (kind < 12 && !door.is_strict && !looks_later(door)) {
    set("tier", "gold");
    set("fate", "waits");
  } else if (kind < 17 && door.cluster_queue != "mixed" && !has(Room::topology)) {
    set("tier", "spot");
    cpu = 1;
    pods = std::min<std::int64_t>(pods, 4);
  } else if (kind < 22) {
    set("tolerates", "dedicated");
  }
  set("pods", std::to_string(pods));
  set("cpu", std::to_string(cpu));
  if (has(Room::topology) && percent(40)) {
    const bool is_required = percent(60);
    const bool is_narrow = !is_required && percent(30);
    set(is_required ? "required" : "preferred", is_narrow ? "kubernetes.io/hostname" : "rack");
  }
  if (percent(15)) set("priority", "high");
  if (percent(20)) set("indexed", "no");
  if (percent(25)) set("ttl", std::to_string(between(0, 60)));
  if (percent(10)) set("ignores-sigterm", "yes");
  add(at, "submit", std::move(arguments));
  afterwards(at, door, name);
}

void ScriptWriter::afterwards(std::int64_t submitted, const Door& door, const std::string& name) {
  const std::uint64_t kind = random_.below(100);
  const std::int64_t at = submitted + (percent(50) ? between(1, 500) : between(500, 60'000));
  const auto place = [&] {
    return Arguments{{"namespace", std::string(door.name_space)}, {"name", name}};
  };
  if (kind < 8) add(at, "delete-job", place());
  if (kind >= 8 && kind < 12) add(at, "delete-workload", place());
  if (kind >= 12 && kind < 15) add(at, "delete-pod", place());
  if (kind < 15 || kind >= 25 || !has(Room::priorities)) return;
  Arguments change = place();
  change.emplace_back("priority", one_of({"high", "low"}));
  add(at, "priority-change", std::move(change));
}

void ScriptWriter::crashes() {
  static constexpr std::array<std::string_view, 3> fates{"any", "none", "all"};
  for (std::int64_t n = between(1, 3); n > 0; --n) {
    Arguments arguments{{"unsynced", std::string(fates[random_.below(fates.size())])},
                        {"down", std::to_string(percent(70) ? between(1, 2'000) : 15'000)}};
    if (percent(60)) {
      const std::int64_t latest = is_short_ ? 3'000 / short_by : 3'000;
      arguments.emplace_back("after-writes", std::to_string(between(1, latest)));
    }
    const std::int64_t at = between(4'000, 1'000'000);
    add(at, "crash", std::move(arguments));
  }
}

void ScriptWriter::edits() {
  for (std::int64_t n = between(0, 3); n > 0; --n) {
    const std::int64_t at = between(5'000, 900'000);
    const Door& door = doors[random_.below(doors.size())];
    const auto quota = [&](std::int64_t cpu) {
      return Arguments{{"name", std::string(door.cluster_queue)}, {"default", std::to_string(cpu)}};
    };
    add(at, "quota", quota(door.cpu_max * 2));
    const std::int64_t until = at + between(1'000, 100'000);
    add(until, "quota", quota(door.cpu_max));
  }
  if (percent(15)) add(between(100'000, 1'000'000), "delete-namespace", {{"name", "team-c"}});
}

Script make_script(std::uint64_t seed) {
  return ScriptWriter(seed).write();
}

}  // namespace muster::simulator
