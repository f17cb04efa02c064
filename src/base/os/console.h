// Standard output and standard error: whole lines, written with one call where the kernel takes
// them whole, so that lines of several threads and processes do not mix.
//
//   write_line(Console::standard_output, "ready");
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace muster {

enum class Console : std::uint8_t { standard_output, standard_error };

// Writes the text as it is. False when nobody reads any more (a closed pipe, a full disk); there
// is nowhere left to complain, so callers decide whether that ends them.
bool write_text(Console console, std::string_view text);

// The same, with a line feed after it.
bool write_line(Console console, std::string_view line);

bool is_terminal(Console console);

}  // namespace muster
