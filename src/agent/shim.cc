// SPDX-License-Identifier: Apache-2.0
#include "agent/shim.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/pod_folder.h"
#include "base/os/console.h"
#include "base/os/files.h"
#include "base/os/folders.h"
#include "base/os/fork_server.h"
#include "base/os/pipe.h"
#include "base/os/process.h"
#include "base/os/unix_socket.h"

namespace muster::agent {

namespace {

using Phase = ContainerState::Phase;

constexpr int exit_cannot_start = 128;
constexpr int exit_not_found = 127;
constexpr int exit_not_executable = 126;
constexpr Span gate_patience = Span::of_seconds(2);
constexpr Span disk_patience = Span::of_milliseconds(500);

// What is held or has ended is to run; false for what runs already.
bool order_again(ContainerState& state) {
  const bool was_held = state.is_held();
  if (!was_held && state.phase != Phase::exited) return false;
  state = {.name = state.name,
           .reason = "ContainerCreating",
           .attempt = was_held ? state.attempt : state.attempt + 1};
  return true;
}

}  // namespace

Shim::Shim(PollLoop& loop, std::string folder, ShimSpec spec, std::optional<ShimState> before)
    : loop_(loop),
      folder_(std::move(folder)),
      spec_(std::move(spec)),
      groups_(ControlGroups::find()) {
  process_.id = process_id();
  process_.start_ticks = process_start_ticks(process_.id).value_or(0);
  for (const ContainerSpec& container : spec_.pod.containers) {
    auto added = std::make_unique<Container>();
    added->spec = &container;
    added->state = {.name = container.name,
                    .reason = container.is_held ? std::string(held_reason) : "ContainerCreating"};
    for (const ContainerState& old :
         before ? before->pod.containers : std::vector<ContainerState>{}) {
      if (old.name == container.name) added->state = old;
    }
    containers_.push_back(std::move(added));
  }
}

void Shim::start(Descriptor connection, const std::vector<std::string>& again) {
  for (const auto& container : containers_) {
    const bool named = std::find(again.begin(), again.end(), container->state.name) != again.end();
    if (named) order_again(container->state);
  }
  listen(std::move(connection));
  // From here on, a platform that finds this folder knows that the pod was begun.
  tell(Durable::no);
  begin(again);
}

// A full disk delays what begins and no more; unless the pod is stopped meanwhile.
bool Shim::is_delayed(const Result<>& done) const {
  return !done && done.error().code == ErrorCode::insufficient_storage && !kill_at_;
}

void Shim::begin(const std::vector<std::string>& again) {
  const auto written = write_etc_files();
  if (is_delayed(written)) {
    loop_.post_at(clock_.monotonic() + disk_patience, [this, again] { begin(again); });
    return;
  }
  const auto entered = written ? enter_namespaces() : written;
  is_at_gate_ = entered && waits_for_gang(again);
  for (const auto& container : containers_) {
    if (container->state.phase == Phase::exited || container->state.is_held()) continue;
    if (entered) {
      run(*container);
    } else {
      fail(*container, {StartFailure::Kind::set_up, entered.error().message});
    }
  }
  if (!entered || state().has_ended()) return tell_change();
  if (!is_at_gate_) return;
  loop_.post_at(clock_.monotonic() + gate_patience, [this] { open_gate(); });
}

// Only the first time, and where it is ours to say when the program begins.
bool Shim::waits_for_gang(const std::vector<std::string>& again) const {
  return !spec_.pod.gang.empty() && again.empty() && !runs_images() &&
         std::none_of(containers_.begin(), containers_.end(), [](const auto& container) {
           return container->state.is_held() || container->state.attempt > 0;
         });
}

// Not on disk: the next platform hears it when it connects.
void Shim::reached_gate(Container& container) {
  if (container.ready_watch == WatchId{}) return;
  loop_.unwatch(std::exchange(container.ready_watch, {}));
  if (state().is_at_gate && platform_ != nullptr) platform_->send(to_json_text(state()));
}

void Shim::open_gate() {
  if (!std::exchange(is_at_gate_, false)) return;
  for (const auto& container : containers_) {
    if (container->sandbox) container->sandbox->release();
  }
}

// ---- The platform ------------------------------------------------------------------------------

void Shim::listen(Descriptor connection) {
  talk_to(std::move(connection));
  auto listener = listen_in(folder_, pod_folder::control_name);
  if (!listener) return;  // then a platform that comes back sees the lock, and waits for the end
  listener_ = std::move(*listener);
  loop_.watch(listener_.number(), Interest::readable, [this] {
    if (auto accepted = accept_from(listener_.number())) {
      talk_to(std::move(*accepted));
      platform_->send(to_json_text(state()));
    }
  });
}

// The newest connection is the one that counts: there is one platform.
void Shim::talk_to(Descriptor connection) {
  platform_ = std::make_unique<LineChannel>(
      loop_, std::move(connection),
      LineChannel::Listener{.on_line =
                                [this](std::string_view line) {
                                  if (const auto order = parse_shim_order(line)) obey(*order);
                                },
                            .on_closed = [this] { platform_.reset(); }});
}

void Shim::obey(const ShimOrder& order) {
  switch (order.verb) {
    case ShimOrder::Verb::stop:
      return stop(order.grace);
    case ShimOrder::Verb::kill:
      return stop({});
    case ShimOrder::Verb::go:
      return open_gate();
    case ShimOrder::Verb::end:
      open_gate();
      for (const auto& container : containers_) {
        if (container->state.name == order.container) stop(*container, order.grace);
      }
      return;
    case ShimOrder::Verb::run:
      for (const auto& container : containers_) {
        if (container->state.name == order.container && !kill_at_) run_again(*container);
      }
  }
}

void Shim::run_again(Container& container) {
  if (!order_again(container.state)) return;
  tell(Durable::no);
  run(container);
}

// All of the pod, which then has ended: what is held is never run.
void Shim::stop(Span grace) {
  open_gate();
  const MonotonicInstant end = clock_.monotonic() + grace;
  if (!kill_at_ || end < *kill_at_) kill_at_ = end;
  for (const auto& container : containers_) stop(*container, grace);
  tell_change();
}

// Asks once; kills when the shortest grace that was given is over.
void Shim::stop(Container& container, Span grace) {
  if (!container.sandbox) return;
  const MonotonicInstant end = clock_.monotonic() + grace;
  const bool asked = container.kill_at.has_value();
  if (asked && *container.kill_at <= end) return;
  container.kill_at = end;
  if (grace <= Span{}) return container.sandbox->kill_tree();
  if (!asked) container.sandbox->ask_to_end(container.spec->stop_signal);
  loop_.post_at(end, [&container, attempt = container.state.attempt] {
    if (container.sandbox && container.state.attempt == attempt) container.sandbox->kill_tree();
  });
}

// ---- A container -------------------------------------------------------------------------------

void Shim::run(Container& container) {
  if (const auto made = make_sandbox(container); !made) {
    container.sandbox.reset();
    if (container.group) container.group->remove();
    if (container.spec->image_run.is_given()) clear_container(container);
    if (is_delayed(made)) {
      loop_.post_at(clock_.monotonic() + disk_patience, [this, &container] { run(container); });
      return;
    }
    fail(container, {StartFailure::Kind::set_up, made.error().message});
    return tell_change();
  }
  container.started_watch = loop_.watch(container.sandbox->started_descriptor(), Interest::readable,
                                        [this, &container] { started(container); });
  watch_end(container);
  if (!is_at_gate_) return container.sandbox->release();
  container.ready_watch = loop_.watch(container.sandbox->ready_descriptor(), Interest::readable,
                                      [this, &container] { reached_gate(container); });
}

void Shim::watch_end(Container& container) {
  const int descriptor = container.sandbox->ended_descriptor();
  if (descriptor < 0 || container.ended_watch != WatchId{}) return;
  container.ended_watch =
      loop_.watch(descriptor, Interest::readable, [this, &container] { ended(container); });
}

Result<> Shim::make_sandbox(Container& container) {
  const ContainerSpec& spec = *container.spec;
  TRY(open_log(container));
  if (spec.image_run.is_given()) return make_container(container);
  if (spec.arguments.empty() || spec.arguments.front().empty()) {
    return Error::invalid(
        "the container names no command: images of this machine's filesystem have no entrypoint "
        "of their own");
  }
  SandboxSpec sandbox = sandbox_spec(spec);
  TRY(make_last_words(spec, sandbox));
  TRY(open_streams(container, sandbox));
  container.group =
      TRY(groups_.make(shim_group_name(spec_.pod.uid, spec.name),
                       {.memory_bytes = spec.memory_bytes_max,
                        .processes = spec_.processes_max,
                        .cpu_quota_microseconds = spec.image_run.cpu_quota_microseconds}));
  sandbox.group = *container.group;
  container.sandbox = std::make_unique<HostProcess>(TRY(Sandbox::start(sandbox)));
  open_attach(container);
  return {};
}

// Of the logs of earlier runs, that of the last one stays.
Result<> Shim::open_log(Container& container) {
  const std::string& name = container.spec->name;
  const int attempt = container.state.attempt;
  TRY(make_folders(pod_folder::log_folder(folder_, name)));
  for (int generation = 0; attempt >= 2 && generation < spec_.log_limits.files; ++generation) {
    TRY(remove_folder_tree(pod_folder::log_path(folder_, name, attempt - 2, generation)));
  }
  container.log =
      std::make_unique<LogFiles>(pod_folder::log_path(folder_, name, attempt), spec_.log_limits);
  container.log->begin();
  container.streams.clear();
  container.kill_at.reset();
  return {};
}

SandboxSpec Shim::sandbox_spec(const ContainerSpec& container) const {
  SandboxSpec sandbox;
  sandbox.arguments = container.arguments;
  for (const auto& [name, value] : container.environment) {
    sandbox.environment.push_back(fmt::format("{}={}", name, value));
  }
  // In / nothing can be written, so that is no folder to work in.
  sandbox.working_folder =
      container.working_folder == "/" ? workspace_target : container.working_folder;
  sandbox.hidden = spec_.hidden;
  for (const DeviceNode& node : container.devices.nodes) {
    sandbox.devices.emplace_back(node.host_path, node.path);
  }
  sandbox.processes_of = processes_.first_process();
  sandbox.own_network = spec_.network.has_bridge();
  sandbox.user = user_of(container);
  sandbox.is_read_only = container.has_read_only_root;
  sandbox.mounts.push_back(
      {pod_folder::workspace_path(folder_), workspace_target, container.has_read_only_root});
  for (const char* name : {"hosts", "hostname", "resolv.conf"}) {
    sandbox.mounts.push_back({fmt::format("{}/{}", pod_folder::etc_path(folder_), name),
                              fmt::format("/etc/{}", name), true});
  }
  for (const Mount& mount : container.mounts) {
    sandbox.mounts.push_back({mount.source, mount.target, mount.read_only, mount.below});
  }
  return sandbox;
}

void Shim::started(Container& container) {
  loop_.unwatch(std::exchange(container.started_watch, {}));
  if (const auto failure = container.sandbox->take_start()) {
    fail(container, *failure);
    watch_end(container);
    if (container.ended_watch == WatchId{}) end_run(container);
    return;
  }
  if (const auto taken = take_terminal(container); !taken) {
    write_line(Console::standard_error, taken.error().message);
  }
  watch_end(container);
  container.state.phase = Phase::running;
  container.state.reason.clear();
  container.state.started = clock_.wall();
  container.state.process_id = container.sandbox->process_id();
  // Who ends a container from an image without its shim finds it by what is on disk.
  return container.spec->image_run.is_given() ? tell(Durable::no) : tell_start();
}

void Shim::ended(Container& container) {
  if (container.started_watch != WatchId{}) started(container);
  loop_.unwatch(std::exchange(container.ended_watch, {}));
  const ExitStatus status = container.sandbox->take_end();
  if (spec_.processes != ProcessSharing::none) {
    end_group_everywhere(shim_group_name(spec_.pod.uid, container.spec->name));
  }
  // Also of a program that only waited for the one that was killed.
  const bool out_of_memory = container.group->killed_for_memory() > 0 && status.code != 0;
  drain_logs(container);
  ContainerState& state = container.state;
  if (state.phase != Phase::exited) {  // it may have been told why it could not start
    state.phase = Phase::exited;
    state.exit_code = status.code;
    state.signal = status.signal;
    state.reason = status.code == 0 ? "Completed" : out_of_memory ? "OOMKilled" : "Error";
    state.message = last_words(container, status.code != 0);
    state.finished = clock_.wall();
  }
  end_run(container);
}

// Whatever became of it, nothing of this run is left but its log.
void Shim::end_run(Container& container) {
  reached_gate(container);
  drain_logs(container);
  container.state.process_id = 0;
  container.sandbox.reset();
  container.group->remove();
  if (container.spec->image_run.is_given()) clear_container(container);
  tell_change();
}

SandboxUser user_of(const ContainerSpec& container) {
  return {.user = container.user, .group = container.group, .groups = container.groups};
}

// What never ran has no start of its own; it ends where it would have begun.
void Shim::fail(Container& container, const StartFailure& failure) {
  ContainerState& state = container.state;
  state.phase = Phase::exited;
  state.started = clock_.wall();
  state.finished = state.started;
  state.message = failure.message;
  state.reason = "StartError";
  switch (failure.kind) {
    case StartFailure::Kind::set_up:
      state.exit_code = exit_cannot_start;
      break;
    case StartFailure::Kind::not_found:
      state.exit_code = exit_not_found;
      break;
    case StartFailure::Kind::not_executable:
      state.reason = "ContainerCannotRun";
      state.exit_code = exit_not_executable;
      break;
  }
}

std::string shim_group_name(std::string_view uid, std::string_view container) {
  return fmt::format("muster-{}-{}", uid, container);
}

namespace {

// `muster shim FOLDER [CONTAINER…]`: with names of containers it runs only those, once more, in a
// pod that has ended.
int shim_main(std::span<const std::string> arguments) {
  constexpr std::size_t before_folder = 2;
  if (arguments.size() <= before_folder) return 2;
  ignore_broken_pipes();
  ignore_requests_to_end();
  Descriptor connection(shim_connection_descriptor);
  const Descriptor lock(shim_lock_descriptor);
  const std::string& folder = arguments[before_folder];
  const auto refuse = [](const Error& error) {
    write_line(Console::standard_error, "muster shim: " + error.message);
    return 1;
  };
  const auto text = read_whole_file(pod_folder::spec_path(folder), shim_file_bytes_max);
  if (!text) return refuse(text.error());
  auto spec = parse_shim_spec(*text);
  if (!spec) return refuse(spec.error());
  std::optional<ShimState> before;
  const auto state = read_whole_file(pod_folder::state_path(folder), shim_file_bytes_max);
  if (state) {
    auto parsed = parse_shim_state(*state);
    if (!parsed) return refuse(parsed.error());
    before = std::move(*parsed);
  }
  PollLoop loop;
  Shim shim(loop, folder, std::move(*spec), std::move(before));
  const auto again = arguments.subspan(before_folder + 1);
  shim.start(std::move(connection), {again.begin(), again.end()});
  loop.run();
  shim.unplug();
  return 0;
}

}  // namespace

int shim_server_main(std::span<char* const> arguments) {
  const auto of_shim = serve_forks(arguments);
  return of_shim ? shim_main(*of_shim) : 0;
}

}  // namespace muster::agent
