// Where in a text something is, in the words of an error message: "line 3, column 14". Slow, and
// asked only when something is wrong.
//
// Internal to this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::objects {

// Lines and columns count from 1, columns in bytes. An offset past the end is the end.
std::string place_of(std::string_view text, std::size_t offset);

// How many bytes from the beginning are UTF-8: all of them, or up to the first that is not.
std::size_t valid_utf8_bytes(std::string_view text);

}  // namespace muster::objects
