// KindTraits: where built-in kinds differ in what kube-apiserver's code does with them, and no
// schema key says so. Kinds of CRDs are all alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/api.h"
#include "objects/kind_registry.h"

namespace muster::server {

struct KindTraits {
  bool has_generation = false;
  bool unconditional_update = true;  // PUT without resourceVersion
  bool created_by_update = false;    // PUT makes what is not there
  bool keeps_status_on_create = false;
  bool deletes_gracefully = false;
  bool answers_deleted_object = false;  // DELETE yields the object even when it is gone
  client::Propagation propagation = client::Propagation::background;  // when DELETE names none
};

KindTraits traits_of(const objects::Kind& kind);

}  // namespace muster::server
