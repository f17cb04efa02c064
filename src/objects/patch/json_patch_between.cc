// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "objects/builder.h"
#include "objects/patch/json_patch.h"
#include "objects/patch/member_index.h"
#include "objects/patch/pointer.h"

namespace muster::objects {

namespace {

class Comparison {
 public:
  Value between(View from, View to) {
    compare(from, to);
    if (operations_.size() > json_patch_operations_max) {
      operations_.clear();
      here_ = Pointer();
      emit("replace", to);
    }
    const Node root = builder_.array(operations_);
    return std::move(builder_).finish(root);
  }

 private:
  void emit(std::string_view name, View value) {
    std::vector<Node::Member> members = {
        {Builder::literal("op"), Builder::literal(name)},
        {Builder::literal("path"), builder_.text(here_.to_string())}};
    if (!value.is_absent()) members.push_back({Builder::literal("value"), builder_.copy(value)});
    operations_.push_back(builder_.object(members));
  }

  // What is beyond the maximum is thrown away anyway.
  bool is_full() const { return operations_.size() > json_patch_operations_max; }

  void compare(View from, View to) {
    if (is_full()) return;
    if (from.is_object() && to.is_object()) return compare_objects(from, to);
    if (from.is_array() && to.is_array()) return compare_arrays(from, to);
    if (!(from == to)) emit("replace", to);
  }

  void compare_objects(View from, View to) {
    const MemberIndex after(to);
    for (const MemberView member : from.members()) {
      here_.push(member.key);
      const View now = after.find(member.key);
      if (now.is_absent()) {
        emit("remove", View());
      } else {
        compare(member.value, now);
      }
      here_.pop();
    }
    const MemberIndex before(from);
    for (const MemberView member : to.members()) {
      if (is_full()) return;
      if (before.position(member.key)) continue;
      here_.push(member.key);
      emit("add", member.value);
      here_.pop();
    }
  }

  // Equal ends stay; between them elements are compared in pairs, and what is over on one side
  // is removed or added.
  void compare_arrays(View from, View to) {
    const std::size_t shorter = std::min(from.size(), to.size());
    std::size_t head = 0;
    while (head < shorter && from[head] == to[head]) ++head;
    std::size_t tail = 0;
    while (tail < shorter - head && from[from.size() - 1 - tail] == to[to.size() - 1 - tail]) {
      ++tail;
    }
    for (std::size_t i = head; i < shorter - tail && !is_full(); ++i) {
      here_.push(i);
      compare(from[i], to[i]);
      here_.pop();
    }
    for (std::size_t i = from.size() - tail; i > shorter - tail && !is_full(); --i) {
      here_.push(i - 1);
      emit("remove", View());
      here_.pop();
    }
    for (std::size_t i = shorter - tail; i < to.size() - tail && !is_full(); ++i) {
      here_.push(i);
      emit("add", to[i]);
      here_.pop();
    }
  }

  Builder builder_;
  Pointer here_;
  std::vector<Node> operations_;
};

}  // namespace

Value json_patch_between(const Value& from, const Value& to) {
  return Comparison().between(from, to);
}

}  // namespace muster::objects
