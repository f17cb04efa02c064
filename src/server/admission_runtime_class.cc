// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <vector>

#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/admission.h"
#include "server/resource_list.h"

namespace muster::server {

using objects::Builder;
using objects::go_quoted;
using objects::MemberView;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view wrong_overhead =
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

// The class that the pod names; absent where it names none.
Outcome<Value> class_of(Context& context, const Admission& admission) {
  const View name = admission.object["spec"]["runtimeClassName"];
  if (!name.is_string()) return Value();
  const auto kind = context.registry.find_resource("node.k8s.io", "runtimeclasses");
  const CachedObject* found =
      kind == nullptr ? nullptr : context.cache.find(*kind, "", name.string_or(""));
  if (found != nullptr) return context.trees.tree_of(found->bytes);
  return forbidden(admission.target, fmt::format("pod rejected: RuntimeClass {} not found",
                                                 go_quoted(name.string_or(""))));
}

// The pod's selector with what the class adds.
Outcome<Node> selector_of(const Admission& admission, View of_class, Builder& builder) {
  const View of_pod = admission.object["spec"]["nodeSelector"];
  std::vector<Node::Member> members;
  for (const MemberView member : of_pod.members()) {
    members.push_back({builder.text(member.key), member.value.node()});
  }
  for (const MemberView member : of_class.members()) {
    const View own = of_pod[member.key];
    if (!own) members.push_back({builder.text(member.key), builder.copy(member.value)});
    if (!own || own == member.value) continue;
    return forbidden(admission.target,
                     fmt::format("conflict: runtimeClass.scheduling.nodeSelector[{0}] = {1}; "
                                 "pod.spec.nodeSelector[{0}] = {2}",
                                 member.key, member.value.string_or(""), own.string_or("")));
  }
  return members.empty() ? of_pod.node() : builder.object(members);
}

Node tolerations_of(View of_pod, View of_class, Builder& builder) {
  std::vector<Node> all;
  for (View each : of_pod.elements()) all.push_back(each.node());
  for (View each : of_class.elements()) {
    bool known = false;
    for (View own : of_pod.elements()) known = known || own == each;
    if (!known) all.push_back(builder.copy(each));
  }
  return all.empty() ? of_pod.node() : builder.array(all);
}

}  // namespace

Outcome<> apply_runtime_class(Context& context, Admission& admission) {
  const Value runtime_class = ALLOWED(class_of(context, admission));
  if (runtime_class.is_absent()) return {};
  const View spec = admission.object["spec"];
  const View overhead = runtime_class["overhead"]["podFixed"];
  const View scheduling = runtime_class["scheduling"];
  Builder builder;
  builder.retain(admission.object);
  Rewrite next(spec);
  if (runtime_class["overhead"].is_object()) {
    if (!spec["overhead"].empty() &&
        resource_list_of(spec["overhead"]) != resource_list_of(overhead)) {
      return forbidden(admission.target, wrong_overhead);
    }
    if (!overhead.empty()) next.set("overhead", builder.copy(overhead));
  }
  if (scheduling.is_object()) {
    next.set("nodeSelector", ALLOWED(selector_of(admission, scheduling["nodeSelector"], builder)));
    next.set("tolerations",
             tolerations_of(spec["tolerations"], scheduling["tolerations"], builder));
  }
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
  return {};
}

Outcome<> check_runtime_class(Context& context, const Admission& admission) {
  const Value runtime_class = ALLOWED(class_of(context, admission));
  const View overhead = admission.object["spec"]["overhead"];
  if (!runtime_class["overhead"].is_object()) {
    if (!overhead) return {};
    return forbidden(admission.target,
                     "pod rejected: Pod Overhead set without corresponding RuntimeClass defined "
                     "Overhead");
  }
  const View fixed = runtime_class["overhead"]["podFixed"];
  if (resource_list_of(overhead) == resource_list_of(fixed)) return {};
  return forbidden(admission.target, wrong_overhead);
}

}  // namespace muster::server
