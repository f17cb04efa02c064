// Reals as Go prints them (strconv's 'g', fmt's %v), which is how kubectl and CEL show them:
// the shortest digits that read back as the same number, with an exponent of at least two digits
// when it is below -4 or above 5.
//
//   append_go_real(1000000.0, out);   // 1e+06
//   append_go_real(0.25, out);        // 0.25
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace muster::objects {

void append_go_real(double value, std::string& out);
void append_go_real(float value, std::string& out);

}  // namespace muster::objects
