// How a string is written in YAML so that it reads back as the same string: plain where nothing in
// it means anything, otherwise in quotes, and as a block where it has lines. The choices are those
// of Go's writer, so that Muster's output looks like kubectl's; where that one would lose
// something (line separators of Unicode), double quotes with escapes are used.
//
// Internal to this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace muster::objects {

enum class YamlStyle : std::uint8_t { plain, single_quoted, double_quoted, literal };

// The style for a value, or for a key, which has to stand on one line.
YamlStyle yaml_style_of(std::string_view text);

struct CodePoint {
  std::uint32_t number = 0;
  std::size_t bytes = 1;
};

// The first character of a text that is not empty. What is not UTF-8 counts as one byte.
CodePoint first_code_point(std::string_view text);

// Whether the character can stand in the text as it is.
bool is_yaml_printable(std::uint32_t code_point);

// The order in which Go sorts keys: numbers inside by their value, letters behind everything else.
bool yaml_key_less(std::string_view a, std::string_view b);

}  // namespace muster::objects
