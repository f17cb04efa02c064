// MemberIndex: finds the members of one object by key. An object is a list, and patches look up
// many keys in it: without an index a large object and a large patch cost their product. Small
// objects are scanned; large ones sorted once (not hashed: keys come from whoever sends patches).
//
//   MemberIndex index(object);
//   View labels = index.find("labels");           // absent when there is none
//
// Assumes: the object outlives the index, and its keys are unique.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "objects/value.h"

namespace muster::objects {

class MemberIndex {
 public:
  explicit MemberIndex(View object);

  std::optional<std::size_t> position(std::string_view key) const;
  View find(std::string_view key) const;

 private:
  std::string_view key_at(std::size_t position) const;

  View object_;
  std::vector<std::uint32_t> sorted_;  // positions in the order of keys; empty when small
};

}  // namespace muster::objects
