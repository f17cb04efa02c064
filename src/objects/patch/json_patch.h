// JSON patch (RFC 6902): a list of operations (add, remove, replace, move, copy, test) that apply
// one after another, all or none.
//
//   [{"op":"test","path":"/spec/suspend","value":true},{"op":"remove","path":"/spec/suspend"}]
//
// Behaviour and messages are those of the library inside kube-apiserver where they differ from the
// RFC: `replace` makes a member that is missing, `copy` of a missing member gives null, `test`
// takes a missing member for null, -1 is the last element, numbers are equal only when both are
// whole or both are not. Stricter than it: an index with a leading zero or a plus sign and a path
// without a leading slash are refused. The result shares with the document what is unchanged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "objects/patch/limits.h"
#include "objects/value.h"

namespace muster::objects {

// bad_request: not a JSON patch; invalid: an operation does not apply; too_large: a limit.
Result<Value> apply_json_patch(const Value& document, const Value& patch,
                               const PatchLimits& limits = {});

// A patch with apply(json_patch_between(from, to), from) == to. It is short where lists changed
// at one place; it has no move and no copy. Beyond json_patch_operations_max it replaces the
// whole document.
Value json_patch_between(const Value& from, const Value& to);

}  // namespace muster::objects
