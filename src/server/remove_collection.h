// deletecollection: every object of a snapshot is deleted as if somebody had deleted it by name, a
// bounded number at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/unique_function.h"
#include "server/context.h"
#include "server/outcome.h"
#include "server/read.h"
#include "server/write.h"

namespace muster::server {

// `how` has the kind, the options and who asks. An object that is gone already is no failure; the
// first other failure is the answer, and stops what has not begun.
void remove_all(Context& context, RemoveRequest how, const Snapshot& snapshot,
                UniqueFunction<void(Outcome<>)> done);

}  // namespace muster::server
