// Strategic merge patch: a merge patch that knows the kind. Lists with a merge key merge element
// by element, sets of scalars unite, and directives say the rest:
//
//   $patch: replace | delete           in an object, or in an element of a list that merges
//   $retainKeys: [a, b]                every other member of the object goes
//   $setElementOrder/<list>: […]       the order of the list afterwards
//   $deleteFromPrimitiveList/<list>    scalars that leave the list
//
// Order without $setElementOrder: the elements of the patch keep the order they have there, the
// untouched ones theirs; an untouched element stands before an element of the patch that it stood
// before, and a new element comes as early as it can.
//
// Behaviour and messages are kube-apiserver's (tests/data/strategic_merge_oracle.json was recorded
// from it), but for content that is wholly new: directives and nulls in it are left away, where
// the real server leaves them for its decoder to drop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "objects/patch/limits.h"
#include "objects/patch/patch_schema.h"
#include "objects/value.h"

namespace muster::objects {

Result<Value> apply_strategic_merge_patch(const Value& object, const Value& patch,
                                          const PatchSchema& schema,
                                          const PatchLimits& limits = {});

// A patch with apply(strategic_merge_patch_between(from, to), from) == to. Both must be objects;
// neither may hold members with null or keys that begin with a dollar sign, which such a patch
// cannot say.
Value strategic_merge_patch_between(const Value& from, const Value& to, const PatchSchema& schema);

}  // namespace muster::objects
