// A namespace of processes that several sandboxes are in: each sees the processes of the others.
// Its first process does nothing but be there and let go of what nobody else waits for. When it
// ends, and it ends with the process that made it, the kernel ends all the others.
//
//   auto processes = TRY(ProcessNamespace::start());
//   Sandbox::start({.processes_of = processes.first_process(), …});
//
// Assumes: the calling process has one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/os/descriptor.h"
#include "base/result.h"

namespace muster {

class ProcessNamespace {
 public:
  static Result<ProcessNamespace> start();

  std::int64_t first_process() const { return first_process_; }

 private:
  std::int64_t first_process_ = 0;
};

// The children of this process that are made while it is there are in the namespace of another's.
class InNamespaceOf {
 public:
  static Result<InNamespaceOf> enter(std::int64_t process);
  InNamespaceOf(InNamespaceOf&&) = default;
  InNamespaceOf& operator=(InNamespaceOf&&) = default;
  ~InNamespaceOf();

 private:
  InNamespaceOf() = default;
  Descriptor own_;
};

}  // namespace muster
