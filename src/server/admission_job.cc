// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <vector>

#include "core/queueing/admit_job.h"
#include "objects/builder.h"
#include "objects/label_selector.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/admission.h"

namespace muster::server {

using objects::Builder;
using objects::FieldError;
using objects::MemberView;
using objects::Node;
using objects::Rewrite;
using objects::View;

namespace {

constexpr std::string_view controller_uid_label = "batch.kubernetes.io/controller-uid";

// The labels by which a job finds its pods; the short ones are what they were called before.
struct GeneratedLabel {
  std::string_view key;
  std::string_view value;
};
std::array<GeneratedLabel, 4> generated_labels(View job) {
  const std::string_view uid = objects::uid_of(job);
  const std::string_view name = objects::name_of(job);
  return {{{controller_uid_label, uid},
           {"batch.kubernetes.io/job-name", name},
           {"controller-uid", uid},
           {"job-name", name}}};
}

void check_manual_selector(Admission& admission) {
  const View spec = admission.object["spec"];
  if (!spec["selector"]) {
    admission.errors.add(FieldError::required("spec.selector"));
    return;
  }
  const View labels = spec["template"]["metadata"]["labels"];
  const auto selector = objects::LabelSelector::of(spec["selector"]);
  if (selector && selector->matches(labels)) return;
  admission.errors.add(FieldError::invalid("spec.template.metadata.labels", labels,
                                           "`selector` does not match template `labels`"));
}

Node template_with_labels(Builder& builder, Admission& admission) {
  const View pod_template = admission.object["spec"]["template"];
  const View labels = pod_template["metadata"]["labels"];
  std::vector<Node::Member> members;
  for (const MemberView label : labels.members()) {
    members.push_back({builder.text(label.key), label.value.node()});
  }
  for (const auto& [key, value] : generated_labels(admission.object)) {
    const View present = labels[key];
    if (!present) {
      members.push_back({Builder::literal(key), builder.text(value)});
    } else if (present.string_or("") != value) {
      admission.errors.add(
          FieldError::invalid(fmt::format("spec.template.metadata.labels[{}]", key), present,
                              fmt::format("must be '{}'", value)));
    }
  }
  Rewrite metadata(pod_template["metadata"]);
  metadata.set("labels", builder.object(members));
  Rewrite next(pod_template);
  next.set("metadata", metadata.finish(builder));
  return next.finish(builder);
}

void generate_selector(Admission& admission) {
  const View spec = admission.object["spec"];
  if (spec["selector"]) {
    admission.errors.add(
        FieldError::invalid("spec.selector", spec["selector"], "`selector` not auto-generated"));
    return;
  }
  Builder builder;
  builder.retain(admission.object);
  const Node::Member uid[] = {
      {Builder::literal(controller_uid_label), builder.text(objects::uid_of(admission.object))}};
  const Node::Member labels[] = {{Builder::literal("matchLabels"), builder.object(uid)}};
  Rewrite next(spec);
  next.set("selector", builder.object(labels));
  next.set("template", template_with_labels(builder, admission));
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

bool has_default_queue(Context& context, std::string_view name_space) {
  const auto queues = context.registry.find_resource("kueue.x-k8s.io", "localqueues");
  return queues != nullptr && context.cache.find(*queues, name_space, "default") != nullptr;
}

}  // namespace

Outcome<> admit_job(Context& context, Admission& admission) {
  if (admission.target.is_status()) return {};
  if (admission.is_create()) {
    if (admission.object["spec"]["manualSelector"].boolean_or(false)) {
      check_manual_selector(admission);
    } else {
      generate_selector(admission);
    }
  }
  core::JobAdmission queued = core::admit_job(
      {.job = admission.object,
       .old_job = admission.old_object,
       .has_default_queue = has_default_queue(context, admission.target.name_space)});
  admission.object = std::move(queued.job);
  admission.errors.add_all(std::move(queued.errors));
  return {};
}

}  // namespace muster::server
