// SPDX-License-Identifier: Apache-2.0
#include "objects/apply/last_applied.h"

#include <algorithm>
#include <string>
#include <vector>

#include "objects/apply/compare.h"
#include "objects/builder.h"
#include "objects/json.h"
#include "objects/limits.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"

namespace muster::objects {

namespace {

constexpr std::size_t annotations_bytes_max = std::size_t{256} * 1024;

// Members in the order of their names, as Go writes maps; without the annotation itself.
Node sorted(View value, Builder& builder) {
  if (value.is_array()) {
    std::vector<Node> elements;
    for (const View each : value.elements()) elements.push_back(sorted(each, builder));
    return builder.array(elements);
  }
  if (!value.is_object()) return builder.copy(value);
  std::vector<MemberView> members;
  for (const MemberView member : value.members()) {
    if (member.key != last_applied_annotation) members.push_back(member);
  }
  std::ranges::sort(members, {}, &MemberView::key);
  std::vector<Node::Member> nodes;
  nodes.reserve(members.size());
  for (const MemberView& member : members) {
    nodes.push_back({builder.text(member.key), sorted(member.value, builder)});
  }
  return builder.object(nodes);
}

std::string annotation_of(const Value& configuration) {
  Builder builder;
  const Node root = sorted(configuration, builder);
  return to_json(std::move(builder).finish(root)) + "\n";
}

std::size_t bytes_of(View annotations) {
  std::size_t total = 0;
  for (const MemberView member : annotations.members()) {
    total += member.key.size() + member.value.string_or("").size();
  }
  return total;
}

}  // namespace

std::optional<FieldSet> fields_last_applied(View live, std::string_view api_version,
                                            SchemaNode schema) {
  const std::string_view text = annotations_of(live)[last_applied_annotation].string_or("");
  if (text.empty()) return std::nullopt;
  const auto applied = parse_json(text);
  if (!applied || (*applied)["apiVersion"].string_or("") != api_version) return std::nullopt;
  auto fields = claimed_fields(*applied, schema);
  const auto since = compare(*applied, live, schema);
  if (!fields || !since) return std::nullopt;
  return difference(difference(difference(*fields, since->modified), since->added), since->removed);
}

Value with_last_applied(const Value& object, const Value& configuration) {
  const View present = annotations_of(object)[last_applied_annotation];
  if (present.string_or("").empty()) return object;
  const std::string text = annotation_of(configuration);
  const std::size_t others = bytes_of(annotations_of(object)) - present.string_or("").size();
  Builder builder;
  builder.retain(object);
  Rewrite annotations(object["metadata"]["annotations"]);
  if (others + text.size() > annotations_bytes_max) {
    annotations.drop(last_applied_annotation);
  } else {
    annotations.set(last_applied_annotation, builder.text(text));
  }
  Rewrite metadata(object["metadata"]);
  metadata.set("annotations", annotations.finish(builder));
  Rewrite root(object);
  root.set("metadata", metadata.finish(builder));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

}  // namespace muster::objects
