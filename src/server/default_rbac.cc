// SPDX-License-Identifier: Apache-2.0
#include "objects/builder.h"
#include "objects/rewrite.h"
#include "server/admission.h"
#include "server/role_index.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::View;

namespace {

bool is_binding(const Admission& admission) {
  return admission.target.kind->kind.ends_with("Binding");
}

Node with_group(Builder& builder, View part) {
  Rewrite rewrite(part);
  if (part["apiGroup"].string_or("").empty()) {
    rewrite.set("apiGroup", Builder::literal(rbac_group));
  }
  return rewrite.finish(builder);
}

}  // namespace

// The group of roles and of people goes without saying.
void default_rbac(Admission& admission) {
  if (!is_binding(admission)) return;
  Builder builder;
  builder.retain(admission.object);
  Rewrite root(admission.object);
  const View reference = admission.object["roleRef"];
  if (reference.is_object() || reference.is_absent()) {
    root.set("roleRef", with_group(builder, reference));
  }
  std::vector<Node> subjects;
  for (const View subject : admission.object["subjects"].elements()) {
    const std::string_view kind = subject["kind"].string_or("");
    subjects.push_back(kind == "User" || kind == "Group" ? with_group(builder, subject)
                                                         : subject.node());
  }
  if (!subjects.empty()) root.set("subjects", builder.array(subjects));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

}  // namespace muster::server
