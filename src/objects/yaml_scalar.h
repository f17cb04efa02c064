// What a YAML scalar means, as kubectl reads it (sigs.k8s.io/yaml): YAML 1.1 words and numbers,
// then through JSON, so that 1e3 and 1.0 are integers and what int64 cannot hold is a double.
// Base 60 is not read; a timestamp stays a string. yaml_read_oracle.h has the facts.
//
// Internal to this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "objects/value.h"

namespace muster::objects {

struct PlainScalar {
  // What the text is on its own, before JSON makes an integer of 1.0.
  enum class Kind : std::uint8_t { null, boolean, integer, big_integer, real, not_finite, string };

  Kind kind = Kind::string;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;  // also of big_integer (beyond int64, within uint64) and of not_finite
};

// A scalar without quotes and without a tag.
PlainScalar resolve_plain(std::string_view text);

// A date, or a date with a time, in one of the forms that YAML libraries take for a timestamp.
bool is_timestamp(std::string_view text);

// Base 60 (1:30), which other readers of YAML 1.1 take for a number.
bool is_sexagesimal(std::string_view text);

// The number as a key of a mapping: in single precision, as %g prints it.
std::string key_of_real(double value);

}  // namespace muster::objects
