// ValidationRule: one entry of x-kubernetes-validations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace muster::objects {

struct ValidationRule {
  std::string rule;
  std::string message;
};

}  // namespace muster::objects
