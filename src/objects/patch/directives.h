// The directives of strategic merge patch, as names and as they stand in one object of a patch.
//
//   Directives directives = TRY(Directives::read(patch_object));
//   if (directives.retains("type")) …
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/result.h"
#include "objects/builder.h"
#include "objects/value.h"

namespace muster::objects {

inline constexpr std::string_view patch_directive = "$patch";
inline constexpr std::string_view retain_keys_directive = "$retainKeys";
inline constexpr std::string_view element_order_prefix = "$setElementOrder/";
inline constexpr std::string_view removal_prefix = "$deleteFromPrimitiveList/";

bool is_directive(std::string_view key);

// What the directives of an object say about one of its lists.
struct ListDirectives {
  View order;    // $setElementOrder, an array or absent
  View removal;  // $deleteFromPrimitiveList, an array or absent
};

class Directives {
 public:
  // Fails (bad_request) on a directive that is not what it must be.
  static Result<Directives> read(View patch);

  bool retains(std::string_view key) const { return !retained_ || retained_->contains(key); }
  ListDirectives of(std::string_view list) const;

 private:
  std::optional<std::set<std::string_view>> retained_;
  std::map<std::string_view, ListDirectives> lists_;
};

// Content that meets nothing in the object, without nulls and directives. An object or element
// that carries $patch is either kept without it or, where it stands for an absent thing, dropped.
enum class Patched : unsigned char { kept, dropped };
std::optional<Node> fresh_content(View content, Patched patched, Builder& builder);

// `unknown patch type: x in map: …`
Error unknown_patch_type(View object);

}  // namespace muster::objects
