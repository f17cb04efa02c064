// The text that the trainer learns by default: a page about what Muster does, in plain sentences.
// Small on purpose: the loss must fall within seconds on a laptop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace muster::trainer {

inline constexpr std::string_view text =
    "all present, or nobody marches. a training job has many workers, and it is useful only when "
    "all of them run. a cluster that starts pods one at a time will start half of one job and half "
    "of another, and then both wait for ever, each holding what the other needs. so the workers of "
    "a job are called together first, and counted, and only when the last one has a place does the "
    "first one begin. the workers are given numbers, and each number has a name, and each name has "
    "an address before anybody asks for it. rank zero listens, the others call. they form a ring: "
    "each one speaks to the next and listens to the one before. around the ring go the gradients, "
    "a piece at a time, until everybody holds the sum of all. then every worker takes the same "
    "step, and the loss that each of them prints is the same number, and the number falls. when a "
    "worker dies, the ring is broken, and the others stop too, because a ring with a hole carries "
    "nothing. what was learned up to the last checkpoint is not lost. a job that waits is told why "
    "it waits: which resource is short, and by how much, and who has it now. a job that is done "
    "gives back what it held in the same moment, and the job that was waiting for exactly that is "
    "the next to be called. nobody is started twice. nobody is forgotten. nothing is promised that "
    "is not there. teams share what they have; what one team does not use today another may borrow "
    "and must give back tomorrow. the queue is read from the front, the quota is counted in whole "
    "units, and the sum of what is given never exceeds what there is. all present, or nobody "
    "marches. ";

}  // namespace muster::trainer
