// TablePatchSchema: a PatchSchema read from a JSON table, for tests that need kinds that api/ does
// not have. The table of the real API types is tests/data/strategic_merge_types.json:
//
//   {"kinds": {"Pod": "core.v1.Pod"},
//    "types": {"core.v1.PodSpec": {"containers": {"type": …, "strategy": "merge", "key": "name"}}}}
//
// Types and fields without a rule on or below them have no row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "objects/patch/patch_schema.h"
#include "objects/value.h"

namespace muster::objects {

class TablePatchSchema final : public PatchSchema {
 public:
  TablePatchSchema(Value table, std::string_view kind) : table_(std::move(table)) {
    PatchPlace next = 0;
    for (const MemberView type : table_["types"].members()) {
      places_.emplace(type.key, next);
      types_.emplace(next++, type.value);
    }
    root_ = place_of(table_["kinds"][kind].string_or(""));
  }

  PatchPlace root() const override { return root_; }

  PatchField field(PatchPlace object, std::string_view key) const override {
    const auto type = types_.find(object);
    if (type == types_.end()) return {};
    const View row = type->second[key];
    const std::string_view strategy = row["strategy"].string_or("");
    return {.merge = strategy.starts_with("merge"),
            .replace = strategy.starts_with("replace"),
            .retain_keys = strategy.ends_with("retainKeys"),
            .merge_key = row["key"].string_or(""),
            .below = place_of(row["type"].string_or(""))};
  }

 private:
  PatchPlace place_of(std::string_view type) const {
    const auto found = places_.find(type);
    return found == places_.end() ? patch_place_unknown : found->second;
  }

  Value table_;
  std::map<std::string_view, PatchPlace> places_;
  std::map<PatchPlace, View> types_;
  PatchPlace root_ = patch_place_unknown;
};

}  // namespace muster::objects
