// The root of a sandbox: this machine's filesystem read-only, with private places over it. Called
// in the sandbox's init, in its own mount and pid namespaces, before the program exists.
//
//   TRY(build_sandbox_root(spec));     // afterwards "/" is the new root and the old one is gone
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/os/sandbox.h"
#include "base/result.h"

namespace muster {

Result<> build_sandbox_root(const SandboxSpec& spec);

// Of this process, which is in a mount namespace of its own: nothing is there.
Result<> enter_empty_root();

// A folder or file below the folder, by a path of which no link leads out of it; what is not there
// is made as a folder. Folder by folder, because who owns the volume can put links there.
Result<Descriptor> open_below(const std::string& folder, const std::string& below);

}  // namespace muster
