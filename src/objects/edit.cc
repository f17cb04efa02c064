// SPDX-License-Identifier: Apache-2.0
#include "objects/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "objects/builder.h"

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
    std::vector<Node::Member> members;
    members.reserve(here.size() + 1);
    bool found = false;
    for (std::size_t i = 0; i < here.size(); ++i) {
      const Node::Member& member = here.node().members[i];
      if (found || std::string_view(member.key.text, member.key.size) != key) {
        members.push_back(member);
        continue;
      }
      found = true;
      const std::optional<Node> rebuilt = TRY(rebuild(View(&member.value), depth + 1));
      if (rebuilt) members.push_back({member.key, *rebuilt});
    }
    if (!found && replacement_ != nullptr) {
      const std::optional<Node> made = TRY(rebuild(View(), depth + 1));
      members.push_back({builder_.text(key), *made});
    }
    return std::optional<Node>(builder_.object(members));
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
