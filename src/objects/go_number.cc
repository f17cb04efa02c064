// SPDX-License-Identifier: Apache-2.0
#include "objects/go_number.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace muster::objects {

namespace {

template <class Real>
void append_shortest(Real value, std::string& out) {
  if (!std::isfinite(value)) {
    out += std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
    return;
  }
  char buffer[64];
  const auto scientific =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(scientific.ptr - buffer));
  const std::string_view digits = text.substr(text.find('e') + 1);
  int exponent = 0;
  const std::size_t sign = digits.starts_with('+') ? 1 : 0;
  std::from_chars(digits.data() + sign, digits.data() + digits.size(), exponent);
  if (exponent < -4 || exponent > 5) {
    out += text;
    return;
  }
  const auto fixed =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::fixed);
  out.append(buffer, fixed.ptr);
}

}  // namespace

void append_go_real(double value, std::string& out) {
  append_shortest(value, out);
}

void append_go_real(float value, std::string& out) {
  append_shortest(value, out);
}

}  // namespace muster::objects
