// What a shim says of its pod: to the platform, and on disk for the next one.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "agent/pod_folder.h"
#include "agent/shim.h"
#include "base/os/console.h"
#include "base/os/folders.h"

namespace muster::agent {

namespace {

constexpr Span start_rest = Span::of_milliseconds(200);

}  // namespace

ShimState Shim::state() const {
  const bool is_on_the_way =
      std::any_of(containers_.begin(), containers_.end(),
                  [](const auto& container) { return container->ready_watch != WatchId{}; });
  ShimState state{.shim = process_,
                  .pod = {.uid = spec_.pod.uid, .containers = {}},
                  .is_stopped = kill_at_.has_value(),
                  .is_at_gate = is_at_gate_ && !is_on_the_way};
  for (const auto& container : containers_) state.pod.containers.push_back(container->state);
  return state;
}

// On disk first: what the platform has heard, the next platform can read.
void Shim::tell(Durable durable) {
  const std::string text = write_state(durable);
  if (platform_ != nullptr) platform_->send(text);
}

std::string Shim::write_state(Durable durable) {
  is_written_ = true;
  std::string text = to_json_text(state());
  if (const auto written = replace_file(pod_folder::state_path(folder_), text, durable); !written) {
    write_line(Console::standard_error, written.error().message);
  }
  return text;
}

// A start is on disk a little later, so that the members of a gang do not wait for each other's
// files: the shim of a running container tells the next platform itself.
void Shim::tell_start() {
  if (platform_ != nullptr) platform_->send(to_json_text(state()));
  is_written_ = false;
  loop_.post_at(clock_.monotonic() + start_rest, [this] {
    if (!is_written_) write_state(Durable::no);
  });
}

void Shim::tell_change() {
  tell(Durable::yes);
  const bool all_gone = std::all_of(containers_.begin(), containers_.end(),
                                    [](const auto& container) { return !container->sandbox; });
  if (state().has_ended() && all_gone) loop_.stop();
}

}  // namespace muster::agent
