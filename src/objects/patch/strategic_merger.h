// StrategicMerger: the work of one strategic merge patch (strategic_merge.h is the front). Objects
// are merged in strategic_merge.cc, lists in strategic_list.cc.
//
// Assumes: the builder retains the object; what the patch brings is copied into the builder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/builder.h"
#include "objects/patch/directives.h"
#include "objects/patch/element_order.h"
#include "objects/patch/patch_schema.h"
#include "objects/value.h"

namespace muster::objects {

class StrategicMerger {
 public:
  StrategicMerger(const PatchSchema& schema, Builder& builder)
      : schema_(schema), builder_(builder) {}

  Result<Node> merge_object(View object, View patch, PatchPlace place);

 private:
  // Nothing when the member goes away. `before` and `change` may be absent.
  Result<std::optional<Node>> merge_member(View before, View change, const PatchField& field,
                                           const ListDirectives& directives);

  // `change` is absent when only directives speak.
  Result<Node> merge_list(View before, View change, const PatchField& field,
                          const ListDirectives& directives);
  Result<Node> merge_keyed_list(View before, View change, const PatchField& field, View order);
  Node merge_scalar_list(View before, View change, const ListDirectives& directives);

  Node arranged(const std::vector<Node>& merged, const Identities& identities,
                const Identities& wanted, const Identities& server);

  const PatchSchema& schema_;
  Builder& builder_;
};

// The JSON text of a scalar, or of an element's merge key: equal where the values are.
Identity scalar_identity(View scalar);
Result<Identity> element_identity(View element, std::string_view merge_key);

// That the patch's list does not contradict the order it asks for.
Result<void> check_element_order(View change, View order, std::string_view merge_key);

}  // namespace muster::objects
