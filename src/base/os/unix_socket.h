// Stream sockets between processes of this machine, named by a file in a folder. The folder may
// lie deeper than the 107 bytes that the kernel gives to the name of such a socket.
//
//   Descriptor listener = TRY(listen_in(folder, "control"));
//   Descriptor peer = TRY(connect_in(folder, "control"));      // elsewhere
//
// Assumes: who may open the folder may connect; there is no other check. All descriptors are
// non-blocking and closed on exec.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/os/descriptor.h"
#include "base/result.h"

namespace muster {

// Two ends of one connection.
Result<std::pair<Descriptor, Descriptor>> connected_pair();

// Replaces a socket that a dead process left behind.
Result<Descriptor> listen_in(const std::string& folder, const std::string& name);

// not_found when nobody listens there.
Result<Descriptor> connect_in(const std::string& folder, const std::string& name);

// Nothing when nobody asks.
std::optional<Descriptor> accept_from(int listener);

// A descriptor that the other end sends along with whatever it says; waits for it, but not long.
Result<Descriptor> receive_descriptor(const Descriptor& socket);

}  // namespace muster
