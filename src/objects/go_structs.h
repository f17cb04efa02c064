// GoStructs: objects as Kueue's own program holds them. Its webhooks and conversions work on Go
// structs: unknown fields are gone, an absent text is "", an empty list is none, 1000m is 1. What
// they compare and what they print follows from that.
//
//   GoType workload = go_type("kueue.v1beta2.Workload");
//   if (!decodes(workload, object)) …                  // a text where the struct has a number
//   go_equal(pod_set, now, before);                    // 1Gi is 1024Mi, [] is absent
//   to_go_json(pod_set, now);                          // {"name":"main","template":{…},"count":1}
//
// The notation of objects/structs/: `name! type`; the mark: Go writes it even when it is zero.
// Types: *T a pointer, []T a list, {}T a map by texts, a struct (of another package: with its
// name), or string, word (a string type of its own), bool, int32, int64, quantity, time,
// int-or-string, any.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "objects/value.h"

namespace muster::objects {

// A handle; cheap to copy, valid for ever.
struct GoType {
  std::uint32_t index = 0;
};

// The struct must be one of objects/structs/.
GoType go_type(std::string_view name);

// Whether Go's JSON decoder would take the value for the type. Null is absent everywhere. 3.0 is no
// integer for it, but an API server has written it as 3 before the decoder sees it.
enum class WholeReals : std::uint8_t { integers, refused };
bool decodes(GoType type, View value, WholeReals reals = WholeReals::integers);

// The value in Go's struct: unknown fields and nulls dropped, fields in Go's order, quantities and
// times canonical. The value must decode.
Value decoded_form(GoType type, const Value& value);

// The same after encoding: zeros that Go leaves out are gone, those that it writes are there.
Value encoded_form(GoType type, const Value& value);

// The text of the encoded form.
std::string to_go_json(GoType type, const Value& value);

// apimachinery's semantic equality: quantities by amount, empty lists and maps as absent ones.
// Both values must decode.
bool go_equal(GoType type, View a, View b);

}  // namespace muster::objects
