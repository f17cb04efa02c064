// The structs of Go that objects/go_structs.h knows, one text for each package: its name, then
// `Struct: field type, field type;` for every struct. Facts, not code: the names of fields, their
// order and the type that Kubernetes and Kueue v0.19.2 publish.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace muster::objects {

extern const std::string_view structs_of_core;
extern const std::string_view structs_of_core_volumes;
extern const std::string_view structs_of_kueue_v1beta1;
extern const std::string_view structs_of_kueue_v1beta2;
extern const std::string_view structs_of_meta;

}  // namespace muster::objects
