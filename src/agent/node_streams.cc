// SPDX-License-Identifier: Apache-2.0
#include "agent/node_streams.h"

#include <fmt/format.h>

#include <utility>

#include "agent/attached_stream.h"
#include "agent/container_visit.h"
#include "agent/pod_folder.h"
#include "agent/relayed_stream.h"
#include "base/os/pipe.h"
#include "base/os/sandbox_entry.h"
#include "base/os/unix_socket.h"

namespace muster::agent {

namespace {

Result<RelayEnds> begin_connection(std::int64_t process, const std::string& address,
                                   std::uint16_t port) {
  RelayEnds ends{.input_is_socket = true};
  ends.output = TRY(connect_inside(process, address, port));
  ends.input = TRY(duplicate(ends.output));
  return ends;
}

}  // namespace

Result<std::int64_t> NodeStreams::process_of(const std::string& pod_uid,
                                             const std::string& container) const {
  const ContainerState* state = agent_.container(pod_uid, container);
  if (state == nullptr || state->phase != ContainerState::Phase::running) {
    return Error::bad_request(fmt::format("container not found (\"{}\")", container));
  }
  if (machine_ == nullptr || state->process_id == 0) {
    return Error::bad_request(
        fmt::format("container \"{}\" is pretended: no process runs in it", container));
  }
  return state->process_id;
}

Result<std::unique_ptr<ContainerStream>> NodeStreams::exec(const ExecWish& wish) const {
  const std::int64_t process = TRY(process_of(wish.pod_uid, wish.container));
  const VisitWish visit{.folder = fmt::format("{}/{}", pods_folder_, wish.pod_uid),
                        .container = wish.container,
                        .process_id = process,
                        .command = wish.command,
                        .has_input = wish.has_input,
                        .has_terminal = wish.has_terminal};
  return std::make_unique<RelayedStream>(
      house_, *machine_, [visit]() -> Result<RelayEnds> { return begin_visit(visit); });
}

Result<std::unique_ptr<ContainerStream>> NodeStreams::attach(const std::string& pod_uid,
                                                             const std::string& container) const {
  TRY(process_of(pod_uid, container));
  const std::string folder = pod_folder::attach_path(fmt::format("{}/{}", pods_folder_, pod_uid));
  auto socket = std::make_unique<RelayedStream>(house_, *machine_,
                                                [folder, container]() -> Result<RelayEnds> {
                                                  RelayEnds ends;
                                                  ends.output = TRY(connect_in(folder, container));
                                                  ends.input = TRY(duplicate(ends.output));
                                                  return ends;
                                                });
  return std::make_unique<AttachedStream>(std::move(socket));
}

Result<std::unique_ptr<ContainerStream>> NodeStreams::connect(const std::string& pod_uid,
                                                              const std::string& container,
                                                              const std::string& address,
                                                              std::uint16_t port) const {
  const std::int64_t process = TRY(process_of(pod_uid, container));
  return std::make_unique<RelayedStream>(house_, *machine_,
                                         [process, address, port]() -> Result<RelayEnds> {
                                           return begin_connection(process, address, port);
                                         });
}

}  // namespace muster::agent
