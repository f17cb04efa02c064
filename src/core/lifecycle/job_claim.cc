// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/job_claim.h"

#include <utility>

#include "core/draft.h"
#include "core/words.h"
#include "objects/label_selector.h"
#include "objects/metadata.h"
#include "objects/resource.h"

namespace muster::core {

using objects::Value;
using objects::View;
using objects::resources::jobs;

namespace {

Value adopted(const Value& job, const JobPod& pod) {
  Draft draft(pod.object);
  const View owners = pod.object["metadata"]["ownerReferences"];
  const Value owner = controller_reference(jobs.api_version(), jobs.kind, job);
  if (owners.is_array()) {
    draft.set({"metadata", "ownerReferences", owners.size()}, owner);
  } else {
    draft.set({"metadata", "ownerReferences"}, Value::array({owner}));
  }
  const View finalizers = pod.object["metadata"]["finalizers"];
  const Value tracking = Value::string(words::job_tracking);
  if (!finalizers.is_array()) {
    draft.set({"metadata", "finalizers"}, Value::array({tracking}));
  } else if (!pod.is_tracked) {
    draft.set({"metadata", "finalizers", finalizers.size()}, tracking);
  }
  return draft.value();
}

Value let_go(const Value& job, const JobPod& pod) {
  std::vector<Value> owners;
  for (View each : pod.object["metadata"]["ownerReferences"].elements()) {
    const bool is_other = each["uid"].string_or("") != objects::uid_of(job);
    if (is_other) owners.push_back(pod.object.part(each));
  }
  return Draft(without_finalizer(pod.object, words::job_tracking))
      .set_or_drop({"metadata", "ownerReferences"}, list_of(owners))
      .value();
}

}  // namespace

std::vector<Edit> claim_pods(const Value& job, std::span<const JobPod> pods) {
  std::vector<Edit> edits;
  const View wanted = job["spec"]["selector"];
  const auto selector = objects::LabelSelector::of(wanted);
  const auto push = [&](Value pod) {
    Edit edit = Edit::update(objects::resources::pods, std::move(pod));
    edit.alongside = !edits.empty();
    edits.push_back(std::move(edit));
  };
  for (const JobPod& pod : pods) {
    const bool matches = !wanted || (selector && selector->matches(objects::labels_of(pod.object)));
    const bool is_owned = static_cast<bool>(objects::controller_of(pod.object));
    if (matches && !is_owned && !pod.is_deleted) {
      push(adopted(job, pod));
    } else if (!matches && is_owned) {
      push(let_go(job, pod));
    }
  }
  return edits;
}

}  // namespace muster::core
