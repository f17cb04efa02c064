// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "simulator/house/script_writer.h"

namespace muster::simulator {

namespace {

constexpr std::int64_t rooms_open = 5'000;
constexpr std::int64_t edits_end = 900'000;
constexpr std::int64_t rooms_close = 1'150'000;

}  // namespace

// A seed has two or three of them: each is rare enough for its own states to be seen.
void ScriptWriter::choose_rooms() {
  if (!is_wild_) return;
  for (std::int64_t n = between(2, 3); n > 0; --n) rooms_[random_.below(rooms_.size())] = true;
}

void ScriptWriter::stage_rooms() {
  if (has(Room::topology)) {
    add(0, "topology", {{"name", "racks"}});
    add(0, "flavor", {{"name", "default"}, {"pool", "default"}, {"topology", "racks"}});
  } else {
    add(0, "flavor", {{"name", "default"}});
  }
  if (has(Room::checks)) {
    add(0, "check-config", {{"name", "room"}});
    add(0, "check", {{"name", "room"}});
  }
  add(0, "priority", {{"name", "low"}, {"value", "-10"}});
  add(0, "namespace", {{"name", "kueue-system"}});
  add(0, "configuration", {{"fair", has(Room::fair_sharing) ? "true" : "false"}});
}

void ScriptWriter::rooms() {
  if (has(Room::pods)) pods();
  if (has(Room::apps) || has(Room::cron_jobs)) apps();
  live_edits();
  if (has(Room::deleting)) deleted_queue();
}

// Plain pods and groups of them. A group that lost a member holds its quota until somebody makes
// that member again or deletes the rest, as in Kueue: here they are all deleted in the end.
void ScriptWriter::pods() {
  add(rooms_close, "delete-plain-pods", {});
  for (std::int64_t number = between(10, 30); number > 0; --number) {
    const Door& door = doors[random_.below(doors.size())];
    const std::int64_t at = between(rooms_open, edits_end);
    const std::int64_t total = percent(40) ? 1 : between(2, 4);
    const std::string run = std::to_string(between(200, 15'000));
    const std::int64_t late = percent(30) ? 5'000 : 50;
    for (std::int64_t i = 0; i < total; ++i) {
      Arguments pod{{"namespace", std::string(door.name_space)},
                    {"name", fmt::format("group-{}-{}", number, i)},
                    {"queue", std::string(door.name)},
                    {"cpu", "1"},
                    {"run", run}};
      if (total > 1) {
        pod.emplace_back("group", fmt::format("group-{}", number));
        pod.emplace_back("total", std::to_string(total));
      }
      const bool is_deleted = percent(10);
      Arguments removal{{"kind", "pods"}, pod[0], pod[1]};
      add(at + i * late, "pod", std::move(pod));
      if (is_deleted) add(at + i * late + between(1, 20'000), "delete", std::move(removal));
    }
  }
}

// What runs until somebody deletes it stands on the dedicated node and takes little. In every other
// seed it stands in a queue; a StatefulSet that does is only scaled to zero and back.
void ScriptWriter::apps() {
  const auto open = [&](std::string_view verb, std::string_view kind, Arguments arguments) {
    Arguments removal{{"kind", std::string(kind)}, arguments[0], arguments[1]};
    const std::int64_t at = between(rooms_open, 300'000);
    add(at, verb, std::move(arguments));
    add(rooms_close, "delete", std::move(removal));
  };
  if (has(Room::cron_jobs)) {
    open("cron-job", "cronjobs",
         {{"namespace", "team-a"},
          {"name", "nightly"},
          {"queue", "side"},
          {"run", std::to_string(between(500, 90'000))},
          {"policy", one_of({"Allow", "Forbid", "Replace"})}});
  }
  if (!has(Room::apps)) return;
  const bool is_queued = script_.seed % 2 == 0;
  for (const std::string_view verb : {"deployment", "stateful-set"}) {
    const std::string name = fmt::format("web-{}", verb);
    const std::string kind = verb == "deployment" ? "deployments" : "statefulsets";
    Arguments app{
        {"namespace", "team-b"}, {"name", name}, {"replicas", std::to_string(between(1, 2))}};
    if (is_queued) app.emplace_back("queue", "main");
    open(verb, kind, std::move(app));
    std::int64_t at = between(310'000, edits_end);
    Arguments scale{{"kind", kind}, {"namespace", "team-b"}, {"name", name}};
    if (is_queued && verb == "stateful-set") {
      Arguments zero = scale;
      zero.emplace_back("replicas", "0");
      add(at, "scale", std::move(zero));
      at += at % 60'000;
    }
    scale.emplace_back("replicas", std::to_string(between(0, 3)));
    add(at, "scale", std::move(scale));
  }
}

void ScriptWriter::live_edits() {
  for (std::int64_t n = has(Room::shrinking) ? between(1, 4) : 0; n > 0; --n) {
    const Door& door = doors[random_.below(doors.size())];
    const std::int64_t at = between(rooms_open, edits_end);
    const std::int64_t less = between(0, door.cpu_max / 2);
    const std::string name(door.cluster_queue);
    add(at, "quota", {{"name", name}, {"default", std::to_string(less)}});
    add(at + between(500, 100'000), "quota",
        {{"name", name}, {"default", std::to_string(door.cpu_max)}});
  }
  for (std::int64_t n = has(Room::stopping) ? between(1, 4) : 0; n > 0; --n) {
    const Door& door = doors[random_.below(doors.size())];
    const std::int64_t at = between(rooms_open, edits_end);
    const bool is_local = percent(40);
    Arguments target{{"kind", is_local ? "localqueues" : "clusterqueues"},
                     {"namespace", is_local ? std::string(door.name_space) : ""},
                     {"name", std::string(is_local ? door.name : door.cluster_queue)}};
    Arguments again = target;
    target.emplace_back("policy", one_of({"Hold", "HoldAndDrain"}));
    again.emplace_back("policy", "None");
    add(at, "stop-policy", std::move(target));
    add(at + between(500, 100'000), "stop-policy", std::move(again));
  }
  for (std::int64_t n = has(Room::fair_sharing) ? between(0, 3) : 0; n > 0; --n) {
    const std::int64_t at = between(rooms_open, edits_end);
    add(at, "configure", {{"fair", one_of({"true", "false"})}});
  }
}

// A ClusterQueue goes while it is in use, and comes back as it was once it is gone.
void ScriptWriter::deleted_queue() {
  const auto& [name, arguments] = queues_[random_.below(queues_.size())];
  const std::int64_t at = between(rooms_open, edits_end);
  add(at, "delete", {{"kind", "clusterqueues"}, {"namespace", ""}, {"name", name}});
  add(at + between(100, 60'000), "queue-again", arguments);
}

}  // namespace muster::simulator
