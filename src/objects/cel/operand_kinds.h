// Which kinds the operators of CEL take and yield, as far as they are known before evaluation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "objects/cel/datum.h"
#include "objects/cel/syntax.h"

namespace muster::objects::cel {

bool is_known(Kind kind);
bool is_number(Kind kind);
bool is_time(Kind kind);

// Whether < and its relatives may take these two.
bool may_be_ordered(Kind a, Kind b);

// A name of a type, as in type(self) == int.
std::optional<Kind> named_type(std::string_view name);

// The kind of the result, or nothing where no overload takes these two.
std::optional<Kind> arithmetic(Operation operation, Kind a, Kind b);

}  // namespace muster::objects::cel
