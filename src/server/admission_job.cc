// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <vector>

#include "core/queueing/admit_job.h"
#include "objects/builder.h"
#include "objects/label_selector.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "objects/schema/error_order.h"
#include "objects/schema/formats.h"
#include "server/admission.h"
#include "server/job_status.h"
#include "server/kueue_rules.h"
#include "server/queue_context.h"

namespace muster::server {

using objects::Builder;
using objects::FieldError;
using objects::MemberView;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

// FieldError::pass: what comes after the peer has looked at the spec itself.
constexpr std::uint8_t selector_fit = 1;
constexpr std::uint8_t after_both_looks = 4;

// Those who run jobs here know how; what others write is looked at.
constexpr std::string_view own_controllers = "system:muster:controller";

constexpr std::string_view controller_uid_label = "batch.kubernetes.io/controller-uid";

// The labels by which a job finds its pods; the short ones are what they were called before.
struct GeneratedLabel {
  std::string_view key;
  std::string_view value;
};
std::array<GeneratedLabel, 4> generated_labels(View job) {
  const std::string_view uid = objects::uid_of(job);
  const std::string_view name = objects::name_of(job);
  return {{{"controller-uid", uid},
           {"job-name", name},
           {controller_uid_label, uid},
           {"batch.kubernetes.io/job-name", name}}};
}

Node template_with_labels(Builder& builder, const Admission& admission) {
  const View pod_template = admission.object["spec"]["template"];
  const View labels = pod_template["metadata"]["labels"];
  std::vector<Node::Member> members;
  for (const MemberView label : labels.members()) {
    members.push_back({builder.text(label.key), label.value.node()});
  }
  for (const auto& [key, value] : generated_labels(admission.object)) {
    if (!labels[key]) members.push_back({Builder::literal(key), builder.text(value)});
  }
  Rewrite metadata(pod_template["metadata"]);
  metadata.set("labels", builder.object(members));
  Rewrite next(pod_template);
  next.set("metadata", metadata.finish(builder));
  return next.finish(builder);
}

// The selector that was sent, with the label that tells this job's pods from all others.
Node selector_with_uid(Builder& builder, View job) {
  const View given = job["spec"]["selector"];
  std::vector<Node::Member> members;
  for (const MemberView label : given["matchLabels"].members()) {
    members.push_back({builder.text(label.key), label.value.node()});
  }
  members.push_back({Builder::literal(controller_uid_label), builder.text(objects::uid_of(job))});
  Rewrite selector(given);
  selector.set("matchLabels", builder.object(members));
  return selector.finish(builder);
}

void generate_selector(Admission& admission) {
  Builder builder;
  builder.retain(admission.object);
  Rewrite next(admission.object["spec"]);
  next.set("selector", selector_with_uid(builder, admission.object));
  next.set("template", template_with_labels(builder, admission));
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

// The selector is the one that the server makes, and finds the pods of the template.
void check_generated_selector(Admission& admission) {
  const View spec = admission.object["spec"];
  const View labels = spec["template"]["metadata"]["labels"];
  for (const auto& [key, value] : generated_labels(admission.object)) {
    if (labels[key].string_or("") == value) continue;
    if (!labels[key]) {
      admission.errors.add(
          FieldError::required(fmt::format("spec.template.metadata.labels[{}]", key),
                               fmt::format("must be '{}'", value)));
      continue;
    }
    admission.errors.add(FieldError::invalid(fmt::format("spec.template.metadata.labels[{}]", key),
                                             labels, fmt::format("must be '{}'", value)));
  }
  const View wanted = spec["selector"]["matchLabels"];
  const bool is_own =
      wanted.size() == 1 && spec["selector"]["matchExpressions"].empty() &&
      wanted[controller_uid_label].string_or("") == objects::uid_of(admission.object);
  if (!is_own) {
    admission.errors.add(
        FieldError::invalid("spec.selector", spec["selector"], "`selector` not auto-generated"));
  }
}

void check_selector_matches(Admission& admission) {
  const View spec = admission.object["spec"];
  const View labels = spec["template"]["metadata"]["labels"];
  const auto selector = objects::LabelSelector::of(spec["selector"]);
  if (!selector) return;  // its own errors say why
  if (spec["selector"].is_object() && selector->matches(labels)) return;
  FieldError error =
      FieldError::invalid("spec.template.metadata.labels", labels ? labels : View(Value::null()),
                          "`selector` does not match template `labels`");
  error.pass = selector_fit;
  admission.errors.add(std::move(error));
}

// The name of a job becomes a label of its pods.
void check_made_labels(Admission& admission) {
  for (const auto& [key, value] : generated_labels(admission.object)) {
    for (std::string& why : objects::label_value_violations(value)) {
      admission.errors.add(FieldError::invalid("spec.template.labels",
                                               Value::string(std::string(value)), std::move(why)));
    }
  }
}

// Where a job has the labels of its template, the peer has one map for both and looks at it twice,
// first among the metadata.
void check_shared_labels(Admission& admission) {
  objects::FieldErrors shared;
  const View labels = admission.object["spec"]["template"]["metadata"]["labels"];
  const auto refuse = [&](std::string_view text, std::vector<std::string> sentences) {
    for (std::string& why : sentences) {
      shared.add(
          FieldError::invalid("metadata.labels", Value::string(std::string(text)), std::move(why)));
    }
  };
  for (const MemberView label : labels.members()) {
    const std::string_view value = label.value.string_or("");
    refuse(label.key, objects::qualified_name_violations(label.key));
    refuse(value, objects::label_value_violations(value));
  }
  if (shared.empty()) return;
  objects::FieldErrors all;
  std::vector<FieldError> others;
  for (FieldError& error : std::move(admission.errors).take()) {
    if (error.path.starts_with("metadata.name") && error.pass == 0) {
      all.add(std::move(error));
    } else {
      others.push_back(std::move(error));
    }
  }
  all.add_all(std::move(shared));
  for (FieldError& error : others) all.add(std::move(error));
  admission.errors = std::move(all);
}

// A job without labels has those of its pods, the generated ones too.
void give_labels(Admission& admission) {
  const View labels = admission.object["spec"]["template"]["metadata"]["labels"];
  if (labels.empty()) return;
  Builder builder;
  builder.retain(admission.object);
  Rewrite metadata(admission.object["metadata"]);
  metadata.set("labels", labels.node());
  Rewrite root(admission.object);
  root.set("metadata", metadata.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

// Pods of an Indexed job have names of their own, which must be labels.
void check_name(Admission& admission) {
  const View spec = admission.object["spec"];
  const View completions = spec["completions"];
  if (spec["completionMode"].string_or("") != "Indexed" || completions.integer_or(0) < 1) return;
  const std::string name(objects::name_of(admission.object));
  const std::string last = fmt::format("{}-{}", name, completions.integer_or(0) - 1);
  if (objects::dns_label_violations(last).empty()) return;
  admission.errors.add(FieldError::invalid(
      "metadata.name", Value::string(name),
      fmt::format("will not able to create pod with invalid DNS label: {}", last)));
}

// The peer looks at the spec of a job, and at how its selector fits, twice when it is updated,
// before it looks at what changed.
void say_twice(objects::FieldErrors& errors) {
  objects::FieldErrors all;
  for (FieldError error : std::move(errors).take()) {
    const bool again = error.pass <= selector_fit && error.path.starts_with("spec");
    if (error.pass == objects::error_pass_of_changes) error.pass = after_both_looks;
    all.add(error);
    if (!again) continue;
    error.pass = static_cast<std::uint8_t>(error.pass + 2);
    all.add(std::move(error));
  }
  errors = std::move(all);
}

}  // namespace

Outcome<> admit_job(Context& context, Admission& admission) {
  if (admission.target.is_status()) {
    if (admission.identity.name != own_controllers) check_job_status(admission);
    return {};
  }
  const bool is_manual = admission.object["spec"]["manualSelector"].boolean_or(false);
  const bool has_labels = !objects::labels_of(admission.object).empty();
  const bool shares =
      !has_labels && !admission.object["spec"]["template"]["metadata"]["labels"].empty();
  if (admission.is_create() && !is_manual) {
    generate_selector(admission);
    check_made_labels(admission);
    if (shares) check_shared_labels(admission);
  }
  if (!has_labels) give_labels(admission);
  if (admission.is_create()) check_name(admission);
  if (!admission.object["spec"]["selector"]) {
    FieldError error = FieldError::required("spec.selector");
    error.pass = selector_fit;
    admission.errors.add(std::move(error));
  }
  check_selector_matches(admission);
  if (!admission.is_create()) say_twice(admission.errors);
  if (!is_manual && admission.object["spec"]["selector"]) check_generated_selector(admission);
  core::JobWrite write{.job = admission.object, .old_job = admission.old_object};
  write.has_default_queue = has_default_queue(context, admission.target.name_space);
  const SharedConfiguration rules = kueue_rules(context);
  write.gates = &rules->gates;
  if (admission.is_create()) {
    write.scope = &rules->jobs;
    write.name_space = find_namespace(context, admission.target.name_space);
  }
  core::JobAdmission queued = core::admit_job(write);
  admission.object = std::move(queued.job);
  admission.errors.add_all(std::move(queued.errors));
  return {};
}

}  // namespace muster::server
