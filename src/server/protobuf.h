// Kubernetes' protobuf, read only: kubectl and every typed Go client send bodies of built-in kinds
// so. The schema of a kind has the field numbers; a message becomes the Value that the same object
// would be as JSON.
//
//   if (body_form(content_type) == BodyForm::protobuf) {
//     Value object = TRY(decode_protobuf(request.body, registry));   // apiVersion and kind set
//   }
//
// Assumes: nothing about the bytes. Unknown fields are skipped, as protobuf demands. What is
// malformed, too deep or too large is an Error with code bad_request or too_large; kinds that
// have no protobuf form (every CRD) are unsupported_media_type. The Value is not yet admitted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "objects/kind_registry.h"
#include "objects/value.h"

namespace muster::server {

// The whole body, with its four bytes of magic. DeleteOptions are understood in every group.
Result<objects::Value> decode_protobuf(std::string_view body,
                                       const objects::KindRegistry& registry);

}  // namespace muster::server
