// SPDX-License-Identifier: Apache-2.0
#include "agent/pod_probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "agent/container_turn.h"
#include "agent/downward.h"
#include "agent/gang.h"
#include "agent/limits.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::Value;
using objects::View;
using Phase = ContainerState::Phase;
using Verdict = ActOutcome::Verdict;

constexpr std::array<std::string_view, 3> field_names = {"startupProbe", "livenessProbe",
                                                         "readinessProbe"};
constexpr std::array<std::string_view, 3> spoken_names = {"Startup", "Liveness", "Readiness"};
constexpr std::array kinds = {ProbeKind::startup, ProbeKind::liveness, ProbeKind::readiness};

Span seconds_of(View probe, std::string_view field, std::int64_t otherwise, std::int64_t least) {
  const std::int64_t seconds = probe[field].integer_or(otherwise);
  return Span::of_seconds(std::clamp(seconds, least, grace_seconds_max));
}

Result<std::int64_t> port_of(View port, View container) {
  if (const auto number = port.integer()) return *number;
  const std::string_view name = port.string_or("");
  for (View each : container["ports"].elements()) {
    if (each["name"].string_or("") == name) return each["containerPort"].integer_or(0);
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc{} && end == name.data() + name.size()) return number;
  return Error::invalid(fmt::format("invalid port number: {}", name));
}

std::string address_or(View host, std::string_view pod_address) {
  const std::string_view given = host.string_or("");
  if (given == "localhost") return "127.0.0.1";
  return std::string(given.empty() ? pod_address : given);
}

}  // namespace

Result<ContainerAct> act_of(View handler, View container, std::string_view pod_address,
                            std::int64_t process_id) {
  ContainerAct act{.process_id = process_id};
  if (const View exec = handler["exec"]) {
    for (View word : exec["command"].elements()) act.command.emplace_back(word.string_or(""));
    if (act.command.empty()) return Error::invalid("exec: the command is empty");
    return act;
  }
  if (const View http = handler["httpGet"]) {
    act.kind = ContainerAct::Kind::http;
    act.host = address_or(http["host"], pod_address);
    act.port = TRY(port_of(http["port"], container));
    act.path = http["path"].string_or("/");
    if (!act.path.starts_with('/')) act.path.insert(0, "/");
    act.is_encrypted = http["scheme"].string_or("HTTP") == "HTTPS";
    for (View header : http["httpHeaders"].elements()) {
      act.headers.emplace_back(header["name"].string_or(""), header["value"].string_or(""));
    }
    return act;
  }
  if (const View tcp = handler["tcpSocket"]) {
    act.kind = ContainerAct::Kind::tcp;
    act.host = address_or(tcp["host"], pod_address);
    act.port = TRY(port_of(tcp["port"], container));
    return act;
  }
  if (const View grpc = handler["grpc"]) {
    act.kind = ContainerAct::Kind::grpc;
    act.host = pod_address;
    act.port = grpc["port"].integer_or(0);
    act.service = grpc["service"].string_or("");
    return act;
  }
  return Error::invalid("missing probe handler");
}

PodProbes::~PodProbes() {
  for (auto& [name, container] : containers_) pause(container);
}

void PodProbes::remember(View status, int attempt) {
  Container& container = containers_[std::string(status["name"].string_or(""))];
  container.attempt = attempt;
  container.probes[index_of(ProbeKind::readiness)].result = status["ready"].boolean_or(false);
  if (status["started"].boolean_or(false)) {
    container.probes[index_of(ProbeKind::startup)].result = true;
    container.probes[index_of(ProbeKind::startup)].is_on_hold = true;
  }
}

void PodProbes::pause(Container& container) {
  container.runs = false;
  for (Probe& probe : container.probes) {
    if (probe.timer) house_.executor.cancel(*probe.timer);
    probe.timer.reset();
  }
}

void PodProbes::follow(const Value& pod, const PodState& state, bool is_ending) {
  pod_ = pod;
  is_ending_ = is_ending;
  for (const ContainerState& each : state.containers) {
    if (each.phase == Phase::running) {
      begin(each.name, container_named(pod, each.name), each);
    } else if (const auto at = containers_.find(each.name); at != containers_.end()) {
      pause(at->second);
    }
  }
}

// Of a container that runs, once for each run.
void PodProbes::begin(const std::string& name, View spec, const ContainerState& state) {
  Container& container = containers_[name];
  if (container.runs && container.attempt == state.attempt) return;
  const bool is_remembered = container.attempt == state.attempt && !container.runs;
  container.runs = true;
  container.attempt = state.attempt;
  container.process_id = state.process_id;
  container.started = state.started;
  container.failure.reset();
  container.spec = pod_.part(spec);
  for (const ProbeKind kind : kinds) {
    Probe& probe = container.probes[index_of(kind)];
    const Probe before = std::move(probe);
    probe = {};
    if (is_remembered) {
      probe.result = before.result;
      probe.is_on_hold = before.is_on_hold;
    }
    const View given = spec[field_names[index_of(kind)]];
    probe.is_given = static_cast<bool>(given);
    if (!probe.is_given) continue;
    probe.spec = pod_.part(given);
    const Span delay = seconds_of(given, "initialDelaySeconds", 0, 0);
    const Span gone = house_.clock.wall() - state.started;
    plan(name, kind, std::max(Span{}, delay - std::max(Span{}, gone)));
  }
}

void PodProbes::plan(const std::string& name, ProbeKind kind, Span after) {
  Probe& probe = containers_.find(name)->second.probes[index_of(kind)];
  if (probe.timer) house_.executor.cancel(*probe.timer);
  probe.timer = house_.executor.post_at(house_.clock.monotonic() + after,
                                        lifeline_.guard([this, name, kind] { ask(name, kind); }));
}

bool PodProbes::is_wanted(const Container& container, ProbeKind kind) const {
  if (kind == ProbeKind::readiness && is_ending_) return true;
  if (is_ending_) return false;
  const Probe& startup = container.probes[index_of(ProbeKind::startup)];
  const bool has_started = !startup.is_given || startup.result.value_or(false);
  return kind == ProbeKind::startup ? !has_started : has_started;
}

void PodProbes::ask(const std::string& name, ProbeKind kind) {
  Container& container = containers_.find(name)->second;
  Probe& probe = container.probes[index_of(kind)];
  probe.timer.reset();
  if (!container.runs || probe.is_on_hold) return;
  plan(name, kind, seconds_of(probe.spec, "periodSeconds", 10, 1));
  if (probe.is_under_way || !is_wanted(container, kind)) return;
  auto act = act_of(probe.spec, container.spec, address_of(pod_), container.process_id);
  if (!act) return hear(name, kind, {Verdict::error, act.error().message});
  act->timeout = seconds_of(probe.spec, "timeoutSeconds", 1, 1);
  probe.is_under_way = true;
  const int attempt = container.attempt;
  runtime_.act(objects::uid_of(pod_), name, std::move(*act),
               lifeline_.guard([this, name, kind, attempt](const ActOutcome& outcome) {
                 Container& asked = containers_.find(name)->second;
                 if (asked.attempt != attempt) return;
                 asked.probes[index_of(kind)].is_under_way = false;
                 if (asked.runs) hear(name, kind, outcome);
               }));
}

// An error tells nothing about the container: it was not asked.
void PodProbes::hear(const std::string& name, ProbeKind kind, const ActOutcome& outcome) {
  const std::string_view spoken = spoken_names[index_of(kind)];
  Probe& probe = containers_.find(name)->second.probes[index_of(kind)];
  if (outcome.verdict == Verdict::error) {
    events_.warning(
        pod_, name, "Unhealthy",
        fmt::format("{} probe errored and resulted in Unknown state: {}", spoken, outcome.message));
    return;
  }
  if (outcome.verdict == Verdict::failure) {
    events_.warning(pod_, name, "Unhealthy",
                    fmt::format("{} probe failed: {}", spoken, outcome.message));
  } else if (outcome.verdict == Verdict::warning) {
    events_.warning(pod_, name, "ProbeWarning",
                    fmt::format("{} probe warning: {}", spoken, outcome.message));
  }
  const bool success = outcome.verdict != Verdict::failure;
  probe.in_a_row = probe.in_a_row > 0 && probe.last == success ? probe.in_a_row + 1 : 1;
  probe.last = success;
  const std::int64_t needed = success ? probe.spec["successThreshold"].integer_or(1)
                                      : probe.spec["failureThreshold"].integer_or(3);
  if (probe.in_a_row >= needed) hold(name, kind, success);
}

void PodProbes::hold(const std::string& name, ProbeKind kind, bool success) {
  Container& container = containers_.find(name)->second;
  Probe& probe = container.probes[index_of(kind)];
  const bool is_news = probe.result != success;
  probe.result = success;
  const bool has_failed = !success && kind != ProbeKind::readiness;
  if (kind == ProbeKind::startup || has_failed) {
    probe.is_on_hold = true;
    probe.in_a_row = 0;
  }
  if (has_failed) {
    container.failure = {.kind = kind,
                         .grace_seconds = probe.spec["terminationGracePeriodSeconds"].integer()};
  }
  if (!is_news && !has_failed) return;
  // The others waited for this.
  if (kind == ProbeKind::startup && success) {
    for (const ProbeKind other : {ProbeKind::liveness, ProbeKind::readiness}) {
      const bool is_due = container.probes[index_of(other)].is_given;
      const Span delay =
          seconds_of(container.probes[index_of(other)].spec, "initialDelaySeconds", 0, 0);
      const Span gone = house_.clock.wall() - container.started;
      if (is_due) plan(name, other, std::max(Span{}, delay - std::max(Span{}, gone)));
    }
  }
  changed_();
}

bool PodProbes::has_started(std::string_view name) const {
  const auto at = containers_.find(name);
  if (at == containers_.end() || !at->second.runs) return true;
  const Probe& startup = at->second.probes[index_of(ProbeKind::startup)];
  return !startup.is_given || startup.result.value_or(false);
}

bool PodProbes::is_ready(std::string_view name) const {
  if (!has_started(name)) return false;
  const auto at = containers_.find(name);
  if (at == containers_.end() || !at->second.runs) return true;
  const Probe& readiness = at->second.probes[index_of(ProbeKind::readiness)];
  return !readiness.is_given || readiness.result.value_or(false);
}

std::optional<ProbeFailure> PodProbes::take_failure(std::string_view name) {
  const auto at = containers_.find(name);
  if (at == containers_.end()) return std::nullopt;
  return std::exchange(at->second.failure, std::nullopt);
}

}  // namespace muster::agent
