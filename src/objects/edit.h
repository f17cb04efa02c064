// Path edits: a new value that differs at one place and shares everything else.
//
//   Value pinned = TRY(with(pod, {"spec", "nodeName"}, Value::string("n1")));
//   Value freed = TRY(without(pod, {"spec", "nodeName"}));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "objects/value.h"

namespace muster::objects {

// One step: a member's key or an element's index.
using Step = std::variant<std::string_view, std::size_t>;
using Path = std::span<const Step>;

// `spec.containers[0].image`, as Kubernetes writes field paths.
std::string to_string(Path path);

// The view at the path; absent when a step finds nothing.
View at(View root, Path path);

// Sets the place, making objects for absent members on the way. Fails (invalid, with the path)
// where a step goes through a scalar or an index that does not exist; the index one past the end
// appends.
Result<Value> with(const Value& root, Path path, const Value& replacement);
Result<Value> with(const Value& root, std::initializer_list<Step> path, const Value& replacement);

// Removes the member or element; a place that is absent already is no error.
Result<Value> without(const Value& root, Path path);
Result<Value> without(const Value& root, std::initializer_list<Step> path);

}  // namespace muster::objects
