// Merge patch (RFC 7386): an object that is laid over another. A member with null removes, an
// object merges, everything else (lists too) replaces.
//
//   apply_merge_patch({"a":1,"b":{"c":2}}, {"a":null,"b":{"d":3}})  →  {"b":{"c":2,"d":3}}
//
// As kube-apiserver has it, where it goes beyond the RFC: a patch that is null or a scalar is
// refused, and members with null vanish from objects inside lists of the patch too. The result
// shares with the document what the patch does not touch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "objects/patch/limits.h"
#include "objects/value.h"

namespace muster::objects {

Result<Value> apply_merge_patch(const Value& document, const Value& patch,
                                const PatchLimits& limits = {});

// The smallest merge patch that makes `from` into `to`. Both must be objects. A merge patch
// cannot write a null: where `to` holds a member with null that differs from `from`, applying the
// result leaves the member away.
Value merge_patch_between(const Value& from, const Value& to);

}  // namespace muster::objects
