// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_admission_check.h"

#include "objects/metadata.h"

namespace muster::core {

AdmissionCheck read_admission_check(objects::View object) {
  return {.controller = std::string(object["spec"]["controllerName"].string_or("")),
          .is_active = objects::is_true(objects::condition(object, "Active"))};
}

}  // namespace muster::core
