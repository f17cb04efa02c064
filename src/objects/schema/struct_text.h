// Structs as the peer prints them in a refusal: its own types with the names of their fields in Go,
// those of meta/v1 with the names of JSON, both in the order of the struct.
//
//   printed_struct("batch.v1.SuccessPolicy", policy)
//   {"Rules":[{"SucceededIndexes":"0","SucceededCount":null}]}
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "objects/value.h"

namespace muster::objects {

std::string printed_selector(View selector);
std::string printed_success_policy(View policy);

// Empty for values of types that are not known here.
std::string printed_struct(std::string_view type_name, View value);

}  // namespace muster::objects
