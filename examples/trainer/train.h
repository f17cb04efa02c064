// train(): the run itself. Every rank computes the gradient of its own share of the batch, the ring
// adds them up, everybody takes the same step. Prints the loss, which is equal on all ranks, and
// SUCCESS at the end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

#include "examples/trainer/options.h"

namespace muster::trainer {

struct Trained {
  int exit_code = exit_success;
  float first_loss = 0;
  float last_loss = 0;
};

// `terminated` is looked at before every step.
Trained train(const Options& options, const volatile std::sig_atomic_t& terminated);

}  // namespace muster::trainer
