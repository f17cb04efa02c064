// SPDX-License-Identifier: Apache-2.0
#include "objects/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "objects/builder.h"
#include "objects/member_index.h"

namespace muster::objects {

std::string to_string(Path path) {
  std::string out;
  for (const Step& step : path) {
    if (const auto* key = std::get_if<std::string_view>(&step)) {
      if (!out.empty()) out.push_back('.');
      out += *key;
    } else {
      out += fmt::format("[{}]", std::get<std::size_t>(step));
    }
  }
  return out;
}

View at(View root, Path path) {
  for (const Step& step : path) {
    root = std::visit([root](auto key) { return root[key]; }, step);
  }
  return root;
}

namespace {

// Rebuilds the spine from the root to the place; everything beside it is shared.
class Spine {
 public:
  Spine(Builder& builder, Path path, const Node* replacement)
      : builder_(builder), path_(path), replacement_(replacement) {}

  // Nothing when the place is to go away.
  Result<std::optional<Node>> rebuild(View here, std::size_t depth) {
    if (depth == path_.size()) {
      if (replacement_ == nullptr) return std::optional<Node>();
      return std::optional<Node>(*replacement_);
    }
    if (const auto* key = std::get_if<std::string_view>(&path_[depth])) {
      return rebuild_object(here, *key, depth);
    }
    return rebuild_array(here, std::get<std::size_t>(path_[depth]), depth);
  }

 private:
  Error not_a(std::string_view expected, View here, std::size_t depth) const {
    return Error::invalid(fmt::format("expected {}, found {}", expected, type_name(here.type())),
                          to_string(path_.first(depth)));
  }

  Result<std::optional<Node>> rebuild_object(View here, std::string_view key, std::size_t depth) {
    if (!here.is_object() && !here.is_absent() && !here.is_null()) {
      return not_a("an object", here, depth);
    }
    const Node& object = here.node();
    const Node::Member* const found = here.is_object() ? find_member(object, key) : nullptr;
    if (found == nullptr) {
      const std::optional<Node> made = TRY(rebuild(View(), depth + 1));
      return std::optional<Node>(with_member(here, {builder_.text(key), *made}));
    }
    const auto index = static_cast<std::size_t>(found - object.members);
    const std::optional<Node> rebuilt = TRY(rebuild(View(&found->value), depth + 1));
    if (rebuilt) return std::optional<Node>(builder_.object_replacing(object, index, *rebuilt));
    return std::optional<Node>(without_member(object, index));
  }

  Node with_member(View object, const Node::Member& added) {
    std::vector<Node::Member> members;
    members.reserve(object.size() + 1);
    if (object.is_object()) {
      members.assign(object.node().members, object.node().members + object.size());
    }
    members.push_back(added);
    return builder_.object(members);
  }

  Node without_member(const Node& object, std::size_t index) {
    std::vector<Node::Member> members(object.members, object.members + object.size);
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(index));
    return builder_.object(members);
  }

  Result<std::optional<Node>> rebuild_array(View here, std::size_t index, std::size_t depth) {
    if (!here.is_array()) return not_a("an array", here, depth);
    std::vector<Node> elements;
    elements.reserve(here.size() + 1);
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (i != index) {
        elements.push_back(here.node().elements[i]);
        continue;
      }
      const std::optional<Node> rebuilt = TRY(rebuild(here[i], depth + 1));
      if (rebuilt) elements.push_back(*rebuilt);
    }
    if (index == here.size() && replacement_ != nullptr) {
      elements.push_back(*TRY(rebuild(View(), depth + 1)));
    } else if (index > here.size() && replacement_ != nullptr) {
      return Error::invalid(fmt::format("index {} is past the end of {}", index, here.size()),
                            to_string(path_.first(depth)));
    }
    return std::optional<Node>(builder_.array(elements));
  }

  Builder& builder_;
  Path path_;
  const Node* replacement_;
};

}  // namespace

Result<Value> with(const Value& root, Path path, const Value& replacement) {
  Builder builder;
  builder.retain(root);
  const Node node = builder.embed(replacement);
  const std::optional<Node> rebuilt = TRY(Spine(builder, path, &node).rebuild(root, 0));
  return std::move(builder).finish(*rebuilt);
}

Result<Value> with(const Value& root, std::initializer_list<Step> path, const Value& replacement) {
  return with(root, Path(path.begin(), path.size()), replacement);
}

Result<Value> without(const Value& root, Path path) {
  if (at(root, path).is_absent()) return root;
  Builder builder;
  builder.retain(root);
  const std::optional<Node> rebuilt = TRY(Spine(builder, path, nullptr).rebuild(root, 0));
  if (!rebuilt) return Value();
  return std::move(builder).finish(*rebuilt);
}

Result<Value> without(const Value& root, std::initializer_list<Step> path) {
  return without(root, Path(path.begin(), path.size()));
}

}  // namespace muster::objects
