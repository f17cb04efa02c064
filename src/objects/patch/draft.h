// Draft: a document while a JSON patch works on it. What operations touch is thawed into lists
// that change in place; everything else stays as it lies in the document's arena. finish() freezes
// it again: containers that did not change come back as the very nodes they were.
//
//   document ──▶ Draft ──▶ holder(pointer) ──▶ find / insert / assign / take ──▶ finish()
//
// Assumes: a failed operation may leave the draft half changed; whoever uses it drops it then,
// which is what makes a patch atomic. Nesting is bounded from above while the patch runs: a
// container never counts as shallower than it once was.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/builder.h"
#include "objects/patch/limits.h"
#include "objects/patch/pointer.h"
#include "objects/value.h"

namespace muster::objects {

class Draft {
 public:
  // A value in the draft: a frozen node, or the number of a thawed container.
  struct Slot {
    Node node;
    std::size_t depth = 0;  // containers nested in it, itself included; never too small
  };

  class Container;

  Draft(const Value& document, const PatchLimits& limits);

  // The container that the pointer's last token looks into; null where the way is missing.
  // The pointer must not be the root.
  Container* holder(const Pointer& pointer);

  // The value behind the holder's token: an error for an index that is none, a slot of type
  // absent for a member that is missing.
  Result<Slot> find(Container& holder, std::string_view token);

  // Sets a member, or inserts before an element ("-" and the size append).
  Result<void> insert(Container& holder, const Pointer& pointer, const Slot& value);

  // Sets a member or overwrites an element that exists.
  Result<void> assign(Container& holder, const Pointer& pointer, const Slot& value);

  // Removes and returns.
  Result<Slot> take(Container& holder, std::string_view token);

  // Overwrites the whole document.
  Result<void> assign_root(const Slot& value);

  // A value of the patch, copied into the draft.
  Slot bring(View view);

  // The same value for a second place.
  Slot share(Container& holder, std::string_view token, const Slot& found);

  // Whether the slot holds this value. An absent slot equals null.
  bool equals(const Slot& slot, View view) const;
  bool root_equals(View view) const { return equals(root_, view); }

  // Bytes of the value as JSON; the slot must have been shared.
  static std::size_t json_bytes(const Slot& slot);

  Result<Value> finish() &&;

 private:
  Container* thaw(Node& node, std::size_t depth);
  Container* container_of(const Node& node);
  const Container* container_of(const Node& node) const;
  Node* slot_in(Container& holder, std::string_view token);
  Node freeze(const Node& node);
  Result<void> deepen(const Pointer& pointer, std::size_t depth);
  Result<void> shifted(std::size_t elements);
  bool equals(const Node& node, View view) const;

  PatchLimits limits_;
  Builder builder_;
  std::deque<Container> containers_;
  std::vector<Container*> way_;  // from the root to the last holder
  Slot root_;
  std::size_t shifts_ = 0;
};

class Draft::Container {
 public:
  bool is_object() const { return origin_.type == Type::object; }

 private:
  friend class Draft;

  std::size_t element_count() const { return elements_.size(); }

  Node origin_;
  bool changed_ = false;
  std::size_t depth_ = 0;
  std::vector<Node> elements_;         // of an array
  std::vector<Node::Member> members_;  // of an object; a removed member's value is absent
  std::map<std::string_view, std::uint32_t> positions_;  // of the members that are there
};

}  // namespace muster::objects
