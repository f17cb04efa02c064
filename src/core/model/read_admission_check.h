// What decisions need of an AdmissionCheck: who answers it, and whether it is answered at all.
//
//   read_admission_check(object).is_active
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "objects/value.h"

namespace muster::core {

struct AdmissionCheck {
  std::string controller;
  bool is_active = false;  // the condition Active
};

AdmissionCheck read_admission_check(objects::View object);

}  // namespace muster::core
