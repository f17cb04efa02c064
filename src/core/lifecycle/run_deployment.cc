// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/run_deployment.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/draft.h"
#include "core/lifecycle/deployment_sets.h"
#include "core/lifecycle/deployment_status.h"
#include "core/lifecycle/replica_pods.h"
#include "objects/metadata.h"
#include "objects/resource.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace resources = objects::resources;

namespace {

constexpr std::string_view component = "deployment-controller";
constexpr std::string_view desired_annotation = "deployment.kubernetes.io/desired-replicas";
constexpr std::string_view maximum_annotation = "deployment.kubernetes.io/max-replicas";

// Annotations of a Deployment that are its own, not those of its revisions.
bool stays_with_deployment(std::string_view key) {
  return key == "kubectl.kubernetes.io/last-applied-configuration" || key == revision_annotation ||
         key == "deployment.kubernetes.io/revision-history" || key == desired_annotation ||
         key == maximum_annotation || key == "deprecated.deployment.rollback.to";
}

class DeploymentStep {
 public:
  explicit DeploymentStep(const DeploymentObserved& observed)
      : observed_(observed),
        deployment_(observed.deployment),
        sets_(find_sets(observed.deployment, observed.sets)) {}

  ReplicaStep take() {
    if (!objects::is_being_deleted(deployment_)) roll_out();
    write_status();
    return std::move(step_);
  }

 private:
  std::int64_t wanted() const {
    return std::max<std::int64_t>(deployment_["spec"]["replicas"].integer_or(1), 0);
  }

  void roll_out() {
    const bool paused = deployment_["spec"]["paused"].boolean_or(false);
    if (paused) return scale_paused();
    if (sets_.newest.is_absent()) {
      if (!waits_for_old_pods()) return create_set();
      return scale(next_scale(deployment_, sets_));
    }
    if (keep_revision()) return;
    if (waits_for_old_pods() && shrinks_first()) return;
    scale(next_scale(deployment_, sets_));
    if (step_.edits.empty()) clean_up();
  }

  bool is_recreated() const {
    return deployment_["spec"]["strategy"]["type"].string_or("") == "Recreate";
  }

  // Of Recreate: nothing new before the old is gone.
  bool waits_for_old_pods() const {
    if (!is_recreated()) return false;
    for (const Value& set : sets_.older) {
      if (set["spec"]["replicas"].integer_or(0) > 0) return true;
    }
    return std::any_of(observed_.pods.begin(), observed_.pods.end(), [this](const Value& pod) {
      const std::string_view phase = pod["status"]["phase"].string_or("");
      const std::string_view owner = objects::controller_of(pod)["uid"].string_or("");
      return owner != objects::uid_of(sets_.newest) && phase != "Succeeded" && phase != "Failed";
    });
  }

  bool shrinks_first() {
    std::vector<ScaleChange> changes = next_scale(deployment_, sets_);
    std::erase_if(changes, [this](const ScaleChange& change) {
      return objects::uid_of(change.set) == objects::uid_of(sets_.newest);
    });
    scale(changes);
    return true;
  }

  // The one that has pods follows the number that is wanted; a rollout does not go on.
  void scale_paused() {
    std::vector<Value> all = sets_.older;
    if (!sets_.newest.is_absent()) all.push_back(sets_.newest);
    std::vector<Value> active;
    for (const Value& set : all) {
      if (set["spec"]["replicas"].integer_or(0) > 0) active.push_back(set);
    }
    if (active.empty() && !sets_.newest.is_absent()) active.push_back(sets_.newest);
    if (active.size() != 1) return;
    if (active[0]["spec"]["replicas"].integer_or(0) != wanted()) scale({{active[0], wanted()}});
  }

  std::int64_t next_revision() const {
    std::int64_t last = 0;
    for (const Value& set : sets_.older) last = std::max(last, revision_of(set));
    return last + 1;
  }

  Value annotations_for(const Value& set, std::int64_t revision) const {
    StringPairs pairs;
    for (const objects::MemberView each : objects::annotations_of(set).members()) {
      pairs.emplace_back(each.key, each.value.string_or(""));
    }
    for (const objects::MemberView each : objects::annotations_of(deployment_).members()) {
      if (!stays_with_deployment(each.key)) pairs.emplace_back(each.key, each.value.string_or(""));
    }
    pairs.emplace_back(desired_annotation, std::to_string(wanted()));
    pairs.emplace_back(maximum_annotation,
                       std::to_string(wanted() + rollout_bounds(deployment_).surge));
    pairs.emplace_back(revision_annotation, std::to_string(revision));
    return string_map(pairs);
  }

  void create_set() {
    const std::string hash = template_hash(deployment_);
    const std::int64_t room = wanted() + rollout_bounds(deployment_).surge - sets_.sum_of_spec();
    const std::int64_t replicas =
        is_recreated() ? wanted() : std::clamp<std::int64_t>(room, 0, wanted());
    created_ = fmt::format("{}-{}", objects::name_of(deployment_), hash);
    const auto part = [&](View of) { return deployment_.part(of); };
    const Value hash_text = Value::string(hash);
    Draft set(Value::object({{"apiVersion", Value::string(resources::replica_sets.api_version())},
                             {"kind", Value::string(resources::replica_sets.kind)}}));
    set.set({"metadata", "name"}, Value::string(created_))
        .set({"metadata", "namespace"}, Value::string(objects::namespace_of(deployment_)))
        .set_or_drop({"metadata", "labels"},
                     part(deployment_["spec"]["template"]["metadata"]["labels"]))
        .set({"metadata", "labels", template_hash_label}, hash_text)
        .set({"metadata", "annotations"}, annotations_for({}, next_revision()))
        .set({"metadata", "ownerReferences"},
             Value::array({controller_reference(resources::deployments.api_version(),
                                                resources::deployments.kind, deployment_)}))
        .set({"spec", "replicas"}, Value::integer(replicas))
        .set({"spec", "selector"}, part(deployment_["spec"]["selector"]))
        .set({"spec", "selector", "matchLabels", template_hash_label}, hash_text)
        .set({"spec", "template"}, part(deployment_["spec"]["template"]))
        .set({"spec", "template", "metadata", "labels", template_hash_label}, hash_text);
    if (const std::int64_t minimum = deployment_["spec"]["minReadySeconds"].integer_or(0);
        minimum > 0) {
      set.set({"spec", "minReadySeconds"}, Value::integer(minimum));
    }
    step_.edits.push_back(Edit::create(resources::replica_sets, set.value()));
    if (replicas > 0) note_scaled("up", created_, 0, replicas);
  }

  // A template that is used again becomes the newest revision again. Whether something was written.
  bool keep_revision() {
    const std::int64_t revision = std::max(revision_of(sets_.newest), next_revision());
    const Value annotations = annotations_for(sets_.newest, revision);
    const bool set_is_right = annotations == objects::annotations_of(sets_.newest);
    const std::string text = std::to_string(revision);
    const bool is_right =
        objects::annotations_of(deployment_)[revision_annotation].string_or("") == text;
    if (!is_right) {
      deployment_ = Draft(deployment_)
                        .set({"metadata", "annotations", revision_annotation}, Value::string(text))
                        .value();
      step_.edits.push_back(Edit::update_status(resources::deployments, deployment_));
    }
    if (!set_is_right) {
      step_.edits.push_back(
          Edit::update(resources::replica_sets,
                       Draft(sets_.newest).set({"metadata", "annotations"}, annotations).value()));
    }
    return !is_right || !set_is_right;
  }

  void scale(const std::vector<ScaleChange>& changes) {
    for (const ScaleChange& change : changes) {
      const std::int64_t now = change.set["spec"]["replicas"].integer_or(0);
      step_.edits.push_back(Edit::update(
          resources::replica_sets,
          Draft(change.set)
              .set({"spec", "replicas"}, Value::integer(change.replicas))
              .set({"metadata", "annotations", desired_annotation},
                   Value::string(std::to_string(wanted())))
              .set({"metadata", "annotations", maximum_annotation},
                   Value::string(std::to_string(wanted() + rollout_bounds(deployment_).surge)))
              .value()));
      note_scaled(change.replicas > now ? "up" : "down", objects::name_of(change.set), now,
                  change.replicas);
    }
  }

  // Old revisions beyond the limit, oldest first, once everything is rolled out.
  void clean_up() {
    if (!is_complete(deployment_, deployment_["status"])) return;
    const std::int64_t limit = deployment_["spec"]["revisionHistoryLimit"].integer_or(10);
    std::vector<Value> idle;
    for (const Value& set : sets_.older) {
      if (set["spec"]["replicas"].integer_or(0) == 0 &&
          set["status"]["replicas"].integer_or(0) == 0 && !objects::is_being_deleted(set)) {
        idle.push_back(set);
      }
    }
    std::stable_sort(idle.begin(), idle.end(), [](const Value& a, const Value& b) {
      return revision_of(a) < revision_of(b);
    });
    for (std::int64_t more = static_cast<std::int64_t>(idle.size()) - limit, i = 0; i < more; ++i) {
      step_.edits.push_back(
          Edit::remove(resources::replica_sets, idle[static_cast<std::size_t>(i)]));
    }
  }

  void write_status() {
    const DeploymentStatus next = with_deployment_status(
        deployment_, {.sets = sets_, .now = observed_.now, .created = created_});
    step_.look_again = next.look_again;
    // An object is written once in a step: what changed in it is looked at in the next.
    const bool is_written = std::any_of(step_.edits.begin(), step_.edits.end(), [](const Edit& e) {
      return e.verb == Edit::Verb::update_status && e.resource == resources::deployments;
    });
    if (is_written || next.deployment["status"] == deployment_["status"]) return;
    step_.edits.push_back(Edit::update_status(resources::deployments, next.deployment));
  }

  void note_scaled(std::string_view direction, std::string_view set, std::int64_t from,
                   std::int64_t to) {
    step_.edits.push_back(Edit::record(
        {.resource = resources::deployments,
         .about = deployment_,
         .reason = "ScalingReplicaSet",
         .message = fmt::format("Scaled {} replica set {} from {} to {}", direction, set, from, to),
         .component = std::string(component)}));
  }

  const DeploymentObserved& observed_;
  Value deployment_;
  DeploymentSets sets_;
  std::string created_;
  ReplicaStep step_;
};

}  // namespace

ReplicaStep run_deployment(const DeploymentObserved& observed) {
  if (observed.deployment.is_absent()) return {};
  return DeploymentStep(observed).take();
}

}  // namespace muster::core
