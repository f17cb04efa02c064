// SPDX-License-Identifier: Apache-2.0
#include "base/os/descriptor.h"

#include <unistd.h>

namespace muster {

// Linux frees the number even when close() reports EINTR, so it must not be repeated; write
// errors are reported by sync, the only place that promises anything.
Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

}  // namespace muster
