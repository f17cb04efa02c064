// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/shape.h"

namespace muster::core {

const Shape* find_shape(const objects::Resource& resource) {
  for (const Shape* shape : {&job_shape()}) {
    if (shape->resource == resource) return shape;
  }
  return nullptr;
}

}  // namespace muster::core
