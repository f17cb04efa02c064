// SPDX-License-Identifier: Apache-2.0
#include "agent/host_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "agent/machine_shares.h"
#include "agent/pod_folder.h"
#include "agent/pod_network.h"
#include "agent/readdress.h"
#include "agent/shim.h"
#include "base/os/control_group.h"
#include "base/os/files.h"
#include "base/os/folders.h"
#include "base/os/network.h"
#include "base/os/unix_socket.h"

namespace muster::agent {

namespace {

using Phase = ContainerState::Phase;

constexpr int exit_cannot_start = 128;
constexpr int exit_killed = 137;
constexpr int signal_kill = 9;
constexpr Span examine_interval = Span::of_milliseconds(5);
constexpr Span news_patience = Span::of_milliseconds(100);  // with a gang that starts
constexpr Span disk_patience = Span::of_milliseconds(500);

PodState creating(const PodSpec& spec) {
  PodState state{.uid = spec.uid, .containers = {}};
  for (const ContainerSpec& container : spec.containers) {
    state.containers.push_back(
        {.name = container.name,
         .reason = container.is_held ? std::string(held_reason) : "ContainerCreating"});
  }
  return state;
}

std::optional<ShimState> read_state(const std::string& folder) {
  const auto text = read_whole_file(pod_folder::state_path(folder), shim_file_bytes_max);
  if (!text) return std::nullopt;
  auto state = parse_shim_state(*text);
  if (!state) return std::nullopt;
  return std::move(*state);
}

}  // namespace

HostPods::HostPods(PollLoop& loop, HostOptions options, Log log, Report report)
    : loop_(loop),
      options_(std::move(options)),
      images_(options_.images),
      ledger_(std::move(options_.devices)),
      log_(std::move(log)),
      report_(std::move(report)) {}

HostPods::~HostPods() {
  for (const auto& [uid, pod] : pods_) loop_.unwatch(pod->child_watch);
}

HostPods::Pod* HostPods::find(const std::string& uid) {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : found->second.get();
}

// ---- Start -------------------------------------------------------------------------------------

void HostPods::start(PodSpec spec) {
  const std::string uid = spec.uid;
  if (Pod* known = find(uid)) {
    if (known->removing) known->next = std::move(spec);
    return;
  }
  auto& pod = *pods_.emplace(uid, std::make_unique<Pod>()).first->second;
  pod.folder = spec.folder;
  pod.settled = true;
  pod.state.pod = creating(spec);
  if (auto refused = refusal_of(spec)) {
    pod.state.pod = std::move(*refused);
    return report(pod);
  }
  try_begin(uid, pod, std::move(spec));
}

void HostPods::try_begin(const std::string& uid, Pod& pod, PodSpec spec) {
  const auto begun = begin(uid, pod, spec);
  if (begun) return;
  if (begun.error().code == ErrorCode::insufficient_storage) {
    return wait_for_disk(uid, pod, std::move(spec), begun.error());
  }
  for (ContainerState& container : pod.state.pod.containers) {
    container.phase = Phase::exited;
    container.reason = "StartError";
    container.message = begun.error().message;
    container.exit_code = exit_cannot_start;
    container.started = container.finished = clock_.wall();
  }
  report(pod);
}

// One image that is not to be had keeps the whole pod waiting: half a pod is of no use to a gang.
std::optional<PodState> HostPods::refusal_of(const PodSpec& spec) const {
  PodState state = creating(spec);
  bool refused = false;
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    if (spec.containers[i].image_run.is_given() || images_.match(spec.containers[i].image)) {
      continue;
    }
    refused = true;
    state.containers[i].reason = "ErrImagePull";
    state.containers[i].message = images_.refusal(spec.containers[i].image);
  }
  if (!refused) return std::nullopt;
  return state;
}

// A folder with a state, or with a lock that somebody holds, is a pod that was begun already.
Result<> HostPods::begin(const std::string& uid, Pod& pod, PodSpec spec) {
  TRY(make_folders(pod.folder));
  auto lock = lock_file(pod_folder::lock_path(pod.folder));
  const bool is_held = !lock && lock.error().code == ErrorCode::conflict;
  if (is_held || path_exists(pod_folder::state_path(pod.folder))) {
    pod.alive = true;
    lock = Descriptor();
    examine(uid);
    return {};
  }
  if (!lock) return lock.error();
  if (const auto given = ledger_.give(spec); !given) {
    wait(pod, std::move(spec), given.error());
    return {};
  }
  // Inside, relative paths and links lead elsewhere; and what is hidden may come to be later.
  std::vector<std::string> hidden;
  for (const std::string& path : options_.hidden) {
    hidden.push_back(canonical_path(path).value_or(path));
  }
  ShimSpec shim{.pod = std::move(spec),
                .isolation = options_.isolation,
                .network = options_.network,
                .hidden = std::move(hidden),
                .log_limits = options_.log_limits,
                .processes_max = options_.processes_max};
  share_with_machine(shim);
  pod.gang = shim.pod.gang;
  pod.gang_members = shim.pod.gang_members;
  TRY(replace_file(pod_folder::spec_path(pod.folder), to_json_text(shim), Durable::no));
  return spawn(uid, pod, std::move(*lock), {});
}

// A full disk delays pods and no more.
void HostPods::wait_for_disk(const std::string& uid, Pod& pod, PodSpec spec, const Error& why) {
  ledger_.release(uid);
  wait(pod, std::move(spec), why);
  loop_.post_at(clock_.monotonic() + disk_patience, [this, uid] {
    if (Pod* const waiting = find(uid)) begin_again(uid, *waiting);
  });
}

// Whoever has devices may be on his way out: they come with the next release.
void HostPods::wait(Pod& pod, PodSpec spec, const Error& why) {
  for (ContainerState& container : pod.state.pod.containers) {
    if (!container.is_held()) container.message = why.message;
  }
  pod.waiting = std::move(spec);
  report(pod);
}

void HostPods::release_devices(const std::string& uid) {
  ledger_.release(uid);
  for (const auto& [other, pod] : pods_) begin_again(other, *pod);
}

void HostPods::begin_again(const std::string& uid, Pod& pod) {
  if (!pod.waiting) return;
  PodSpec spec = std::move(*pod.waiting);
  pod.waiting.reset();
  try_begin(uid, pod, std::move(spec));
}

// It will not run again: others may have its devices, also after a restart of the platform.
void HostPods::close_ended(const std::string& uid, Pod& pod) {
  if (pod.waiting) {
    pod.waiting.reset();
    for (ContainerState& container : pod.state.pod.containers) {
      container.phase = Phase::exited;
      container.reason = "Error";
      container.exit_code = exit_killed;
      container.started = container.finished = clock_.wall();
    }
    return report(pod);
  }
  if (!pod.state.has_ended()) return;
  if (!std::exchange(pod.state.is_stopped, true)) {
    const auto written =
        replace_file(pod_folder::state_path(pod.folder), to_json_text(pod.state), Durable::no);
    if (!written) log_.warning("cannot record an end", {{"error", written.error().message}});
  }
  release_devices(uid);
}

// The lock is taken here and inherited: from the moment there is a shim, nobody can take the
// folder for one without.
Result<> HostPods::spawn(const std::string& uid, Pod& pod, Descriptor lock,
                         const std::vector<std::string>& again) {
  auto [ours, theirs] = TRY(connected_pair());
  const Descriptor null = TRY(open_null());
  const Descriptor complaints = TRY(open_for_append(pod_folder::shim_log_path(pod.folder)));
  std::vector<std::string> arguments = {"muster", "shim", pod.folder};
  arguments.insert(arguments.end(), again.begin(), again.end());
  static_assert(shim_connection_descriptor == 3 && shim_lock_descriptor == 4);
  const auto ask = [&, &theirs = theirs] {
    return fork_shim(arguments, {null.number(), null.number(), complaints.number(), theirs.number(),
                                 lock.number()});
  };
  auto child = ask();
  if (!child) {
    // Who was asked may have forked before it died: then a shim has the lock, and is found as one
    // of an earlier platform is. Else once more.
    lock = Descriptor();
    auto free = lock_file(pod_folder::lock_path(pod.folder));
    if (!free && free.error().code == ErrorCode::conflict) {
      pod.alive = true;
      examine(uid);
      return {};
    }
    lock = TRY(std::move(free));
    child = ask();
  }
  pod.child = TRY(std::move(child));
  pod.alive = true;
  pod.child_watch = loop_.watch(pod.child->descriptor(), Interest::readable, [this, uid] {
    Pod* ended = find(uid);
    if (ended == nullptr || !ended->child->reap()) return;
    loop_.unwatch(std::exchange(ended->child_watch, {}));
    ended->child.reset();
  });
  connect(uid, std::move(ours));
  return {};
}

Result<ChildProcess> HostPods::fork_shim(const std::vector<std::string>& arguments,
                                         const std::vector<int>& descriptors) {
  if (!shims_) shims_.emplace(TRY(ForkServer::start(options_.shim_command)));
  auto child = shims_->make_child(arguments, descriptors);
  if (child) return child;
  shims_.reset();
  log_.warning("the process that starts shims is gone", {{"why", child.error().message}});
  return child;
}

// ---- Talk --------------------------------------------------------------------------------------

void HostPods::connect(const std::string& uid, Descriptor socket) {
  Pod& pod = *find(uid);
  pod.shim = std::make_unique<LineChannel>(
      loop_, std::move(socket),
      LineChannel::Listener{.on_line = [this, uid](std::string_view line) { heard(uid, line); },
                            .on_closed =
                                [this, uid] {
                                  if (Pod* closed = find(uid)) closed->shim.reset();
                                  examine(uid);
                                }});
  for (const std::string& order : std::exchange(pod.orders, {})) pod.shim->send(order);
}

void HostPods::heard(const std::string& uid, std::string_view line) {
  Pod* pod = find(uid);
  auto state = parse_shim_state(line);
  if (pod == nullptr || !state) return;
  for (const ContainerState& container : state->pod.containers) {
    const bool has_begun = container.attempt > 0 || !container.is_held();
    if (has_begun && container.phase != Phase::exited) pod->restarts.erase(container.name);
  }
  const bool first_creating = state->pod == pod->state.pod && pod->settled;
  // The last state is told when the shim is gone: then there is nothing that could be lost.
  const bool last = state->has_ended();
  pod->state = std::move(*state);
  settle(*pod);
  if (pod->state.is_at_gate) let_go(uid, *pod);
  if (last || first_creating) return;
  const auto& containers = pod->state.pod.containers;
  const bool has_begun = std::none_of(containers.begin(), containers.end(), [](const auto& each) {
    return each.phase == Phase::waiting;
  });
  has_begun ? tell(gates_.started(uid)) : report(*pod);
}

void HostPods::tell(const std::vector<std::string>& uids) {
  for (const std::string& uid : uids) {
    if (Pod* pod = find(uid)) report(*pod);
  }
}

// Who is complete starts: the processes of a gang wait for each other anyway, and measure it.
void HostPods::let_go(const std::string& uid, const Pod& pod) {
  const auto members = gates_.arrive(pod.gang, uid, pod.gang_members);
  for (const std::string& member : members) {
    if (Pod* waiting = find(member)) send(*waiting, {.verb = ShimOrder::Verb::go});
  }
  if (members.empty()) return;
  loop_.post_at(clock_.monotonic() + news_patience,
                [this, gang = pod.gang] { tell(gates_.give_up(gang)); });
}

void HostPods::send(Pod& pod, const ShimOrder& order) {
  if (!pod.alive) return;
  if (pod.shim != nullptr) return pod.shim->send(to_line(order));
  pod.orders.push_back(to_line(order));
}

void HostPods::stop(const std::string& uid, Span grace) {
  Pod* pod = find(uid);
  if (pod == nullptr || pod->removing) return;
  pod->stopping = true;
  pod->restarts.clear();
  if (!pod->alive) return close_ended(uid, *pod);
  send(*pod, {.verb = ShimOrder::Verb::stop, .grace = grace});
}

void HostPods::stop_container(const std::string& uid, const std::string& container, Span grace) {
  Pod* pod = find(uid);
  if (pod == nullptr || pod->removing) return;
  pod->restarts.erase(container);
  send(*pod, {.verb = ShimOrder::Verb::end, .grace = grace, .container = container});
}

void HostPods::run(const std::string& uid, const std::string& container) {
  Pod* pod = find(uid);
  if (pod == nullptr || pod->removing || pod->stopping) return;
  const auto& states = pod->state.pod.containers;
  const bool may_run = std::any_of(states.begin(), states.end(), [&](const auto& state) {
    return state.name == container && (state.phase == Phase::exited || state.is_held());
  });
  if (!may_run) return;
  pod->restarts.insert(container);
  if (pod->alive) return send(*pod, {.verb = ShimOrder::Verb::run, .container = container});
  pod->alive = true;
  examine(uid);
}

// ---- When there may be no shim -----------------------------------------------------------------

// Whoever holds the lock is the shim. Held: connect, or come again. Free: it is gone.
void HostPods::examine(const std::string& uid) {
  Pod* pod = find(uid);
  if (pod == nullptr || !pod->alive || pod->shim != nullptr) return;
  auto lock = lock_file(pod_folder::lock_path(pod->folder));
  if (lock) return conclude(uid, std::move(*lock));
  if (lock.error().code != ErrorCode::conflict) {
    log_.warning("cannot look at a pod", {{"uid", uid}, {"error", lock.error().message}});
    return examine_later(uid);
  }
  auto socket = connect_in(pod->folder, pod_folder::control_name);
  if (!socket) return examine_later(uid);
  connect(uid, std::move(*socket));
}

void HostPods::examine_later(const std::string& uid) {
  loop_.post_at(clock_.monotonic() + examine_interval, [this, uid] { examine(uid); });
}

void HostPods::conclude(const std::string& uid, Descriptor lock) {
  Pod& pod = *find(uid);
  pod.alive = false;
  tell(gates_.leave(uid));
  if (pod.removing) {
    lock = Descriptor();
    return forget_soon(uid);
  }
  const auto state = read_state(pod.folder);
  // A full disk may hold less than the shim told us before it ended.
  if (state && (state->has_ended() || !pod.state.has_ended())) pod.state = *state;
  if (!pod.state.has_ended()) mark_lost(pod);
  if (!pod.restarts.empty()) return run_again(uid, pod, std::move(lock));
  settle(pod);
  if (pod.stopping) close_ended(uid, pod);
  report(pod);
}

// The shim was killed, or the machine went down: the containers died with it, and nobody saw how.
// Those from images did not, and are ended now.
void HostPods::mark_lost(Pod& pod) {
  for (const ContainerState& container : pod.state.pod.containers) {
    end_group_everywhere(shim_group_name(pod.state.pod.uid, container.name));
  }
  // As Shim::unplug() would have done, from the other end.
  if (auto outside = Netlink::open(); outside && options_.network.has_bridge()) {
    static_cast<void>(outside->remove_link(cable_name(pod.state.pod.uid)));
  }
  for (ContainerState& container : pod.state.pod.containers) {
    if (container.phase == Phase::exited || container.is_held()) continue;
    container.phase = Phase::exited;
    container.reason = "Error";
    container.message =
        "the process that watched over this container was killed, and the container with it";
    container.exit_code = exit_killed;
    container.signal = signal_kill;
    container.finished = clock_.wall();
    if (container.started == Instant{}) container.started = container.finished;
  }
  const auto written =
      replace_file(pod_folder::state_path(pod.folder), to_json_text(pod.state), Durable::yes);
  if (!written) log_.warning("cannot record an end", {{"error", written.error().message}});
}

void HostPods::run_again(const std::string& uid, Pod& pod, Descriptor lock) {
  const std::vector<std::string> names(pod.restarts.begin(), pod.restarts.end());
  pod.restarts.clear();
  const auto moved = readdress_in(pod.folder, options_.network);
  const auto spawned = moved ? spawn(uid, pod, std::move(lock), names) : moved;
  if (!spawned) {
    log_.warning("cannot run again", {{"uid", uid}, {"error", spawned.error().message}});
    return report(pod);
  }
  for (ContainerState& container : pod.state.pod.containers) {
    if (std::find(names.begin(), names.end(), container.name) == names.end()) continue;
    const int attempt = container.is_held() ? container.attempt : container.attempt + 1;
    container = {.name = container.name, .reason = "ContainerCreating", .attempt = attempt};
  }
  report(pod);
}

// ---- Adopt -------------------------------------------------------------------------------------

void HostPods::adopt(Found found) {
  const auto names = names_in_folder(options_.pods_folder);
  if (!names && names.error().code != ErrorCode::not_found) return found(names.error());
  found_ = std::move(found);
  unsettled_ = 1;  // ours, until all are looked at
  for (const std::string& uid : names.value_or(std::vector<std::string>{})) {
    if (find(uid) != nullptr) continue;
    const std::string folder = options_.pods_folder + "/" + uid;
    auto lock = lock_file(pod_folder::lock_path(folder));
    const bool is_held = !lock && lock.error().code == ErrorCode::conflict;
    if (!is_held && !path_exists(pod_folder::state_path(folder))) {
      // Nothing was begun here; if the pod is still wanted, it is started anew.
      unmount_memory_in(folder + "/volumes");
      static_cast<void>(remove_folder_tree(folder));
      continue;
    }
    lock = Descriptor();
    auto& pod = *pods_.emplace(uid, std::make_unique<Pod>()).first->second;
    pod.folder = folder;
    pod.state.pod.uid = uid;
    note_spec(pod);
    pod.alive = true;
    ++unsettled_;
    examine(uid);
  }
  Pod nobody;
  settle(nobody);
}

// The devices that its specification was given are its own until it is over for good.
void HostPods::note_spec(Pod& pod) {
  const auto state = read_state(pod.folder);
  if (state && state->has_ended() && state->is_stopped) return;
  const auto text = read_whole_file(pod_folder::spec_path(pod.folder), shim_file_bytes_max);
  if (!text) return;
  const auto spec = parse_shim_spec(*text);
  if (!spec) return;
  ledger_.note(spec->pod);
  pod.gang = spec->pod.gang;
  pod.gang_members = spec->pod.gang_members;
}

// The last one that settles answers adopt().
void HostPods::settle(Pod& pod) {
  if (std::exchange(pod.settled, true) || !found_) return;
  if (--unsettled_ > 0) return;
  std::vector<PodState> states;
  for (const auto& [uid, known] : pods_) states.push_back(known->state.pod);
  auto found = std::move(found_);
  found_ = nullptr;
  found(std::move(states));
}

void HostPods::report(Pod& pod) {
  if (pod.removing || found_) return;
  report_(pod.state.pod);
}

}  // namespace muster::agent
