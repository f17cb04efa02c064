// How the heap keeps and gives back memory. glibc raises by itself the sizes from which a piece is
// a mapping of its own and from which a free end is given back, up to 64 MB in each thread's arena:
// after one large list a server would keep what nobody uses.
//
//   keep_free_pieces(argv);       // in main(), before a process that serves does anything
//   give_free_memory_back();      // once, at the start of a process that stays
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace muster {

void give_free_memory_back();

// A thread keeps seven free pieces of each size for itself, where a request makes and drops dozens.
// glibc takes another number from the environment of a new process alone, so this runs the program
// anew with it; and returns where somebody has set it already, or it cannot be done. Who is started
// from there does not inherit it.
void keep_free_pieces(char** arguments);

}  // namespace muster
