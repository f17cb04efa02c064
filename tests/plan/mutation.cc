// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/mutation.h"

#include <array>
#include <limits>
#include <string_view>

namespace muster::tests {

using objects::Builder;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

constexpr std::array<std::string_view, 22> texts{"",
                                                 "0",
                                                 "-1",
                                                 "1",
                                                 "1e30",
                                                 "-9e30",
                                                 "9223372036854775807",
                                                 "100m",
                                                 "1n",
                                                 "4Gi",
                                                 "x",
                                                 "1000000000Gi",
                                                 "a",
                                                 "b",
                                                 "True",
                                                 "False",
                                                 "cpu",
                                                 "pods",
                                                 "kubernetes.io/hostname",
                                                 "default",
                                                 "2025-01-01T00:00:00Z",
                                                 "nvidia.com/gpu"};
constexpr std::array<std::int64_t, 9> numbers{0,
                                              1,
                                              -1,
                                              2,
                                              3,
                                              1'000'000,
                                              2'147'483'647,
                                              std::numeric_limits<std::int64_t>::max(),
                                              std::numeric_limits<std::int64_t>::min()};

std::size_t size_of(View view) {
  std::size_t size = 1;
  for (const auto& [key, member] : view.members()) size += size_of(member);
  for (const View element : view.elements()) size += size_of(element);
  return size;
}

View place_at(View view, std::size_t& countdown) {
  if (countdown == 0) return view;
  --countdown;
  for (const auto& [key, member] : view.members()) {
    if (const View found = place_at(member, countdown)) return found;
  }
  for (const View element : view.elements()) {
    if (const View found = place_at(element, countdown)) return found;
  }
  return {};
}

}  // namespace

std::size_t Mutation::next(std::size_t end) {
  if (end <= 1 || is_used_up()) return 0;
  std::size_t value = bytes_[at_++];
  if (end > 256 && !is_used_up()) value = value * 256 + bytes_[at_++];
  return value % end;
}

Node Mutation::strange(Builder& builder, View view, View root) {
  switch (next(6)) {
    case 0:
      return Builder::null();
    case 1:
      return Builder::integer(numbers[next(numbers.size())]);
    case 2:
      return builder.text(texts[next(texts.size())]);
    case 3:
      return next(2) == 0 ? builder.array({}) : builder.object({});
    case 4: {
      std::size_t countdown = next(size_of(root));
      return builder.copy(place_at(root, countdown));
    }
    default: {
      const Node twice[] = {builder.copy(view), builder.copy(view)};
      return view.is_boolean() ? Builder::boolean(!view.boolean_or(false)) : builder.array(twice);
    }
  }
}

// The place at which the countdown ends is changed, or left out of its object or list.
Node Mutation::changed(Builder& builder, View view, std::size_t& countdown, View root) {
  constexpr std::size_t done = std::numeric_limits<std::size_t>::max();
  if (countdown == 0) {
    countdown = done;
    return strange(builder, view, root);
  }
  if (countdown != done) --countdown;
  const bool may_drop = countdown == 0 && next(3) == 0;
  if (view.is_object()) {
    std::vector<Node::Member> members;
    bool drops = may_drop;
    for (const auto& [key, member] : view.members()) {
      if (drops) {
        drops = false;
        countdown = done;
        continue;
      }
      members.push_back({builder.text(key), changed(builder, member, countdown, root)});
    }
    return builder.object(members);
  }
  if (view.is_array()) {
    std::vector<Node> elements;
    for (const View element : view.elements()) {
      elements.push_back(changed(builder, element, countdown, root));
    }
    return builder.array(elements);
  }
  return builder.copy(view);
}

Value Mutation::of(const Value& object) {
  Value value = object;
  const std::size_t changes = next(4);
  for (std::size_t i = 0; i < changes && !is_used_up(); ++i) {
    Builder builder;
    std::size_t countdown = next(size_of(value));
    const Node root = changed(builder, value, countdown, value);
    value = std::move(builder).finish(root);
  }
  return value;
}

}  // namespace muster::tests
