// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/timestamp.h"
#include "core/words.h"
#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/admission.h"
#include "server/admission_policies.h"
#include "server/commit.h"
#include "server/limits.h"
#include "server/stored_object.h"
#include "server/webhooks.h"
#include "server/write.h"

namespace muster::server {

using objects::Builder;
using objects::FieldError;
using objects::FieldErrors;
using objects::go_quoted;
using objects::MemberView;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view reserved_prefix = "muster.dev/";

struct Binding {
  Context& context;
  WriteRequest request;
  WriteAnswer done;
  int attempts = 0;
};

void attempt(std::unique_ptr<Binding> binding);

Failure binding_conflict(const Target& target, std::string_view why) {
  return failures::conflict({.resource = "pods/binding"}, target.name, why);
}

// Muster's own word to a pod that somebody else put on its node: a binding to where it is already,
// which brings the address.
bool is_reception(const WriteRequest& request, View pod) {
  return is_part_of_muster(request.identity) &&
         request.body["target"]["name"] == pod["spec"]["nodeName"] &&
         objects::annotations_of(request.body)[core::words::pod_ip] &&
         !objects::annotations_of(pod)[core::words::pod_ip];
}

Outcome<> check(const WriteRequest& request, View pod) {
  const Target& target = request.target;
  const View body = request.body;
  const std::string_view name = objects::name_of(body);
  if (!name.empty() && name != target.name) {
    return Error::bad_request("name in URL does not match name in Binding object");
  }
  FieldErrors errors;
  const View node = body["target"]["name"];
  if (node.string_or("").empty()) errors.add(FieldError::required("target.name"));
  const std::string kinds[] = {"Node", "<empty>"};
  const View kind = body["target"]["kind"];
  if (!kind.string_or("").empty() && kind.string_or("") != "Node") {
    errors.add(FieldError::not_supported("target.kind", kind, kinds));
  }
  if (!errors.empty()) {
    Failure failure;  // the peer says so without a reason
    failure.message = errors.to_string();
    return failure;
  }
  const std::string_view uid = objects::uid_of(body);
  if (!uid.empty() && uid != objects::uid_of(pod)) {
    return binding_conflict(target, fmt::format("Precondition failed: UID in precondition: {}, "
                                                "UID in object meta: {}",
                                                uid, objects::uid_of(pod)));
  }
  if (objects::is_being_deleted(pod)) {
    return binding_conflict(
        target, fmt::format("pod {} is being deleted, cannot be assigned to a host", target.name));
  }
  const std::string_view present_node = pod["spec"]["nodeName"].string_or("");
  if (!present_node.empty() && !is_reception(request, pod)) {
    return binding_conflict(target, fmt::format("pod {} is already assigned to node {}",
                                                target.name, go_quoted(present_node)));
  }
  if (!pod["spec"]["schedulingGates"].empty()) {
    return binding_conflict(target,
                            fmt::format("pod {} has non-empty .spec.schedulingGates", target.name));
  }
  return {};
}

// Annotations of the Binding go to the pod, as in kube-apiserver; of Muster's own only the address.
Node annotations(Builder& builder, const WriteRequest& request, View pod) {
  std::vector<Node::Member> members;
  const View given = objects::annotations_of(request.body);
  for (const MemberView member : objects::annotations_of(pod).members()) {
    if (!given[member.key]) members.push_back({builder.text(member.key), member.value.node()});
  }
  for (const MemberView member : given.members()) {
    const bool reserved = member.key.starts_with(reserved_prefix);
    const bool passes =
        !reserved || (member.key == core::words::pod_ip && is_part_of_muster(request.identity));
    if (passes && member.value.is_string()) {
      members.push_back({builder.text(member.key), builder.copy(member.value)});
    }
  }
  return members.empty() ? Node() : builder.object(members);
}

Value bound(Context& context, const WriteRequest& request, const Value& pod) {
  Builder builder;
  builder.retain(pod);
  Rewrite metadata(pod["metadata"]);
  metadata.set("annotations", annotations(builder, request, pod));
  Rewrite spec(pod["spec"]);
  spec.set("nodeName", builder.text(request.body["target"]["name"].string_or("")));
  Rewrite root(pod);
  root.set("metadata", metadata.finish(builder));
  root.set("spec", spec.finish(builder));
  const Node node = root.finish(builder);
  const Value next = std::move(builder).finish(node);
  return objects::with_condition(
      next, {.type = "PodScheduled", .status = "True", .reason = {}, .message = {}},
      context.clock.wall());
}

void attempt(std::unique_ptr<Binding> binding) {
  Context& context = binding->context;
  const WriteRequest& request = binding->request;
  ++binding->attempts;
  const Present now = present(context, request.target);
  Outcome<> allowed = now ? check(request, now.tree) : Outcome<>(not_found(request.target));
  if (!allowed) {
    return answer_later(context, std::move(binding->done), std::move(allowed).error());
  }
  Value next = stored_form(bound(context, request, now.tree));
  const store::Revision revision = now.cached->revision;
  if (request.dry_run) {
    return answer_later(context, std::move(binding->done),
                        Written{.object = with_revision(next, revision),
                                .managed = std::string(now.managed()),
                                .revision = revision});
  }
  const Target target = request.target;
  put(context, target, std::move(next), now.managed(), store::Expected::exactly(revision),
      [binding = std::move(binding)](Outcome<Written> outcome) mutable {
        if (was_overtaken(outcome) && binding->attempts < write_attempts_max) {
          return attempt(std::move(binding));
        }
        outcome = as_seen_by_caller(binding->request.target, std::move(outcome));
        if (outcome) outcome->created = true;
        binding->done(std::move(outcome));
      });
}

}  // namespace

// Policies and validating webhooks have their say in it, as in the creation of a Binding. (What
// would change one is not asked: what a binding says is decided by then.)
void bind(Context& context, WriteRequest request, WriteAnswer done) {
  struct Asked {
    explicit Asked(Binding binding_in)
        : binding(std::move(binding_in)),
          admission{.target = binding.request.target,
                    .identity = binding.request.identity,
                    .object = binding.request.body,
                    .dry_run = binding.request.dry_run} {}
    Binding binding;
    Admission admission;
  };
  auto asked = std::make_shared<Asked>(Binding{context, std::move(request), std::move(done)});
  const auto go_on = [asked](const Outcome<>& allowed) {
    Binding& binding = asked->binding;
    if (allowed) return attempt(std::make_unique<Binding>(std::move(binding)));
    answer_later(binding.context, std::move(binding.done), Outcome<Written>(allowed.error()));
  };
  const auto allowed = check_admission_policies(context, asked->admission);
  if (!allowed || context.webhooks == nullptr) return go_on(allowed);
  context.webhooks->check(asked->admission, go_on);
}

}  // namespace muster::server
