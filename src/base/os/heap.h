// How the heap gives memory back. glibc raises by itself the sizes from which a piece is a mapping
// of its own and from which a free end is given back, up to 64 MB in each thread's arena: after one
// large list a server would keep what nobody uses.
//
//   give_free_memory_back();      // once, at the start of a process that stays
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace muster {

void give_free_memory_back();

}  // namespace muster
