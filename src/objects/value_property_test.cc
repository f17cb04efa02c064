// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "objects/edit.h"
#include "objects/json.h"
#include "objects/value.h"
#include "objects/yaml.h"
#include "tests/suites/arbitrary_value.h"

namespace muster::objects {
namespace {

RC_GTEST_PROP(ValueProperty, json_comes_back_as_the_same_value, (const Value& value)) {
  const std::string text = to_json(value);
  const Value back = parse_json(text).must();
  RC_ASSERT(back.view() == value.view());
  RC_ASSERT(hash(back) == hash(value));
  RC_ASSERT(to_json(back) == text);
}

RC_GTEST_PROP(ValueProperty, a_copy_is_equal_and_shares_nothing, (const Value& value)) {
  const Value copy = Value::copy_of(value);
  RC_ASSERT(copy.view() == value.view());
  if (copy.is_object() && copy.view().size() > 0) {
    RC_ASSERT(copy.view().node().members != value.view().node().members);
  }
}

RC_GTEST_PROP(ValueProperty, an_edit_changes_its_place_and_nothing_else, ()) {
  const Value object = *arbitrary_object();
  const std::string key = *arbitrary_text();
  const Value replacement = *rc::gen::arbitrary<Value>();
  const Step path[] = {std::string_view(key)};
  const Value edited = with(object, path, replacement).must();
  RC_ASSERT(edited[key] == replacement.view());
  for (const MemberView member : object.view().members()) {
    if (member.key != key) RC_ASSERT(edited[member.key] == member.value);
  }
  const Value removed = without(edited, path).must();
  RC_ASSERT(removed[key].is_absent());
  RC_ASSERT(removed.view() == without(object, path).must().view());
}

// Every reader of YAML in Kubernetes makes integers of reals without a fraction. In JSON text the
// difference is the ".0": both sides are compared without it.
Node without_whole_reals(View view, Builder& builder) {
  if (view.is_real()) return parse_yaml_document(to_json(view)).must().view().node();
  if (view.is_array()) {
    std::vector<Node> elements;
    for (const View element : view.elements()) {
      elements.push_back(without_whole_reals(element, builder));
    }
    return builder.array(elements);
  }
  if (!view.is_object()) return builder.copy(view);
  std::vector<Node::Member> members;
  for (const MemberView member : view.members()) {
    members.push_back({builder.text(member.key), without_whole_reals(member.value, builder)});
  }
  return builder.object(members);
}

Value without_whole_reals(View view) {
  Builder builder;
  const Node root = without_whole_reals(view, builder);
  return std::move(builder).finish(root);
}

RC_GTEST_PROP(ValueProperty, yaml_comes_back_as_the_same_value, (const Value& value)) {
  // In a sequence, because a document that is null counts as empty.
  const Value list = Value::array({value});
  const std::string text = to_yaml(list);
  const Value back = parse_yaml_document(text).must();
  RC_ASSERT(to_yaml(back) == text);
  RC_ASSERT(without_whole_reals(back) == without_whole_reals(list));
}

}  // namespace
}  // namespace muster::objects
