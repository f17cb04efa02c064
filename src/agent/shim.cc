// SPDX-License-Identifier: Apache-2.0
#include "agent/shim.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/pod_folder.h"
#include "base/os/console.h"
#include "base/os/files.h"
#include "base/os/folders.h"
#include "base/os/pipe.h"
#include "base/os/process.h"
#include "base/os/unix_socket.h"

namespace muster::agent {

namespace {

using Phase = ContainerState::Phase;

constexpr int exit_cannot_start = 128;
constexpr int exit_not_found = 127;
constexpr int exit_not_executable = 126;
constexpr int signal_kill = 9;

std::string resolver_text(const PodSpec& pod) {
  std::string text;
  if (!pod.name_server.empty()) text += fmt::format("nameserver {}\n", pod.name_server);
  if (!pod.search_domains.empty()) {
    text += fmt::format("search {}\n", fmt::join(pod.search_domains, " "));
  }
  return text + "options ndots:5\n";
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
    added->state = {.name = container.name, .reason = "ContainerCreating"};
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
    if (named && container->state.phase == Phase::exited) {
      container->state = {.name = container->state.name,
                          .reason = "ContainerCreating",
                          .attempt = container->state.attempt + 1};
    }
  }
  listen(std::move(connection));
  // From here on, a platform that finds this folder knows that the pod was begun.
  tell(Durable::no);
  const auto entered = enter_namespaces();
  for (const auto& container : containers_) {
    if (container->state.phase == Phase::exited) continue;
    if (entered) {
      run(*container);
    } else {
      fail(*container, {StartFailure::Kind::set_up, entered.error().message});
    }
  }
  if (!entered || state().has_ended()) tell_change();
}

// ---- What the containers share -----------------------------------------------------------------

Result<> Shim::enter_namespaces() {
  TRY(write_etc_files());
  const bool own_network = spec_.network.has_bridge();
  std::optional<Netlink> outside;
  std::uint32_t bridge_index = 0;
  if (own_network) {
    outside = TRY(Netlink::open());
    bridge_index = TRY(link_index(spec_.network.bridge));
  }
  TRY(enter_shared_namespaces(
      {.isolation = spec_.isolation, .own_network = own_network, .hostname = spec_.pod.hostname}));
  if (!own_network) return {};
  return connect_network(*outside, bridge_index);
}

Result<> Shim::write_etc_files() {
  const std::string etc = pod_folder::etc_path(folder_);
  TRY(make_folders(etc));
  TRY(make_folders(pod_folder::workspace_path(folder_)));
  TRY(replace_file(etc + "/hosts", spec_.pod.hosts, Durable::no));
  TRY(replace_file(etc + "/hostname", spec_.pod.hostname + "\n", Durable::no));
  return replace_file(etc + "/resolv.conf", resolver_text(spec_.pod), Durable::no);
}

Result<> Shim::connect_network(Netlink& outside, std::uint32_t bridge_index) {
  const LinkAddress inside{
      .name = "eth0", .address = spec_.pod.address, .prefix = spec_.network.prefix};
  const std::string cable = cable_name(spec_.pod.uid);
  // The cable of an earlier shim of this pod goes with its namespace, which may take a moment.
  if (auto old = outside.remove_link(cable); !old && old.error().code != ErrorCode::not_found) {
    return old;
  }
  TRY(outside.plug_into_bridge(cable, bridge_index, inside));
  Netlink here = TRY(Netlink::open());
  TRY(here.set_up("lo"));
  TRY(here.add_address(inside));
  TRY(here.set_up(inside.name));
  return here.add_default_route(spec_.network.gateway);
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
    case ShimOrder::Verb::restart:
      for (const auto& container : containers_) {
        if (container->state.name != order.container || kill_at_) continue;
        if (container->state.phase != Phase::exited) continue;
        container->state = {.name = container->state.name,
                            .reason = "ContainerCreating",
                            .attempt = container->state.attempt + 1};
        run(*container);
      }
  }
}

// Asks once; kills when the shortest grace that was given is over.
void Shim::stop(Span grace) {
  const MonotonicInstant now = clock_.monotonic();
  const MonotonicInstant end = now + grace;
  const bool asked = kill_at_.has_value();
  if (asked && *kill_at_ <= end) return;
  kill_at_ = end;
  const auto kill_all = [this] {
    for (const auto& container : containers_) {
      if (container->sandbox) container->sandbox->kill_tree();
    }
  };
  if (grace <= Span{}) return kill_all();
  for (const auto& container : containers_) {
    if (container->sandbox && !asked) container->sandbox->ask_to_end();
  }
  loop_.post_at(end, kill_all);
}

// ---- A container -------------------------------------------------------------------------------

void Shim::run(Container& container) {
  if (const auto made = make_sandbox(container); !made) {
    container.sandbox.reset();
    fail(container, {StartFailure::Kind::set_up, made.error().message});
    return tell_change();
  }
  container.started_watch = loop_.watch(container.sandbox->started_descriptor(), Interest::readable,
                                        [this, &container] { started(container); });
  container.ended_watch = loop_.watch(container.sandbox->ended_descriptor(), Interest::readable,
                                      [this, &container] { ended(container); });
  container.sandbox->release();
}

Result<> Shim::make_sandbox(Container& container) {
  const ContainerSpec& spec = *container.spec;
  if (spec.arguments.empty() || spec.arguments.front().empty()) {
    return Error::invalid(
        "the container names no command: images of this machine's filesystem have no entrypoint "
        "of their own");
  }
  const int attempt = container.state.attempt;
  TRY(make_folders(pod_folder::log_folder(folder_, spec.name)));
  for (int generation = 0; attempt >= 2 && generation < spec_.log_limits.files; ++generation) {
    TRY(remove_folder_tree(pod_folder::log_path(folder_, spec.name, attempt - 2, generation)));
  }
  container.log = std::make_unique<LogFiles>(pod_folder::log_path(folder_, spec.name, attempt),
                                             spec_.log_limits);
  container.streams.clear();
  SandboxSpec sandbox = sandbox_spec(spec);
  TRY(open_streams(container, sandbox));
  container.sandbox = TRY(Sandbox::start(sandbox));
  open_attach(container);
  container.group =
      TRY(groups_.make(shim_group_name(spec_.pod.uid, spec.name),
                       {.memory_bytes = spec.memory_bytes_max, .processes = spec_.processes_max}));
  return container.group->add(container.sandbox->init_id());
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
  sandbox.own_network = spec_.network.has_bridge();
  sandbox.mounts.push_back({pod_folder::workspace_path(folder_), workspace_target});
  for (const char* name : {"hosts", "hostname", "resolv.conf"}) {
    sandbox.mounts.push_back({fmt::format("{}/{}", pod_folder::etc_path(folder_), name),
                              fmt::format("/etc/{}", name), true});
  }
  for (const Mount& mount : container.mounts) {
    sandbox.mounts.push_back({mount.source, mount.target, mount.read_only});
  }
  return sandbox;
}

void Shim::started(Container& container) {
  loop_.unwatch(std::exchange(container.started_watch, {}));
  if (const auto failure = container.sandbox->take_start()) return fail(container, *failure);
  container.state.phase = Phase::running;
  container.state.reason.clear();
  container.state.started = clock_.wall();
  container.state.process_id = container.sandbox->init_id();
  tell(Durable::no);
}

void Shim::ended(Container& container) {
  if (container.started_watch != WatchId{}) started(container);
  loop_.unwatch(std::exchange(container.ended_watch, {}));
  const ExitStatus status = container.sandbox->take_end();
  const bool out_of_memory =
      container.group->killed_for_memory() > 0 && status.signal == signal_kill;
  container.group->remove();
  container.sandbox.reset();
  drain_logs(container);
  ContainerState& state = container.state;
  state.process_id = 0;
  if (state.phase != Phase::exited) {  // it may have been told why it could not start
    state.phase = Phase::exited;
    state.exit_code = status.code;
    state.signal = status.signal;
    state.reason = status.code == 0 ? "Completed" : out_of_memory ? "OOMKilled" : "Error";
    state.finished = clock_.wall();
  }
  tell_change();
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

// ---- State -------------------------------------------------------------------------------------

ShimState Shim::state() const {
  ShimState state{.shim = process_, .pod = {.uid = spec_.pod.uid, .containers = {}}};
  for (const auto& container : containers_) state.pod.containers.push_back(container->state);
  return state;
}

// On disk first: what the platform has heard, the next platform can read.
void Shim::tell(Durable durable) {
  const std::string text = to_json_text(state());
  if (const auto written = replace_file(pod_folder::state_path(folder_), text, durable); !written) {
    write_line(Console::standard_error, written.error().message);
  }
  if (platform_ != nullptr) platform_->send(text);
}

void Shim::tell_change() {
  tell(Durable::yes);
  const bool all_gone = std::all_of(containers_.begin(), containers_.end(),
                                    [](const auto& container) { return !container->sandbox; });
  if (state().has_ended() && all_gone) loop_.stop();
}

std::string shim_group_name(std::string_view uid, std::string_view container) {
  return fmt::format("muster-{}-{}", uid, container);
}

int shim_main(std::span<const char* const> arguments) {
  if (arguments.empty()) return 2;
  ignore_broken_pipes();
  ignore_requests_to_end();
  Descriptor connection(shim_connection_descriptor);
  const Descriptor lock(shim_lock_descriptor);
  close_descriptors_from(shim_lock_descriptor + 1);
  const std::string folder = arguments.front();
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
  const auto again = arguments.subspan(1);
  shim.start(std::move(connection), {again.begin(), again.end()});
  loop.run();
  return 0;
}

}  // namespace muster::agent
