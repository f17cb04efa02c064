// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/run_stateful_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/draft.h"
#include "core/lifecycle/limits.h"
#include "core/lifecycle/replica_pods.h"
#include "core/lifecycle/stateful_pod.h"
#include "objects/metadata.h"
#include "objects/resource.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace resources = objects::resources;

namespace {

constexpr std::string_view component = "statefulset-controller";

bool has_ended(View pod) {
  const std::string_view phase = pod["status"]["phase"].string_or("");
  return phase == "Succeeded" || phase == "Failed";
}

class StatefulSetStep {
 public:
  explicit StatefulSetStep(const StatefulSetObserved& observed)
      : observed_(observed), set_(observed.set) {
    const View spec = set_["spec"];
    first_ = std::max<std::int64_t>(spec["ordinals"]["start"].integer_or(0), 0);
    count_ = std::clamp<std::int64_t>(spec["replicas"].integer_or(1), 0, replicas_max);
    in_order_ = spec["podManagementPolicy"].string_or("OrderedReady") != "Parallel";
    minimum_ready_seconds_ = spec["minReadySeconds"].integer_or(0);
    for (const Value& pod : observed.pods) {
      if (const auto ordinal = ordinal_of(set_, pod)) pods_.emplace(*ordinal, pod);
    }
  }

  ReplicaStep take() {
    if (objects::is_being_deleted(set_)) return {};
    if (!find_revisions()) return std::move(step_);
    own_claims();
    if (make_missing() && take_surplus()) roll_out();
    forget_revisions();
    write_status();
    return std::move(step_);
  }

 private:
  bool is_wanted(std::int64_t ordinal) const {
    return ordinal >= first_ && ordinal < first_ + count_;
  }

  bool is_healthy(View pod) {
    if (objects::is_being_deleted(pod)) return false;
    const auto from = available_at(pod, minimum_ready_seconds_);
    if (!from) return false;
    if (*from <= observed_.now) return true;
    if (!step_.look_again || *from < *step_.look_again) step_.look_again = from;
    return false;
  }

  const Value* revision(std::string_view name) const {
    for (const Value& each : observed_.revisions) {
      if (objects::name_of(each) == name) return &each;
    }
    return nullptr;
  }

  // False: the revision of the present template is being written.
  bool find_revisions() {
    const std::string name = revision_name(set_);
    std::int64_t newest = 0;
    for (const Value& each : observed_.revisions) {
      newest = std::max(newest, each["revision"].integer_or(0));
    }
    const Value* found = revision(name);
    if (found == nullptr) {
      step_.edits.push_back(
          Edit::create(resources::controller_revisions,
                       revision_of_template(resources::stateful_sets, set_, newest + 1)));
      return false;
    }
    if ((*found)["revision"].integer_or(0) < newest) {
      step_.edits.push_back(
          Edit::update(resources::controller_revisions,
                       Draft(*found).set({"revision"}, Value::integer(newest + 1)).value()));
      return false;
    }
    update_ = *found;
    const Value* current = revision(set_["status"]["currentRevision"].string_or(""));
    current_ = current == nullptr ? update_ : *current;
    return true;
  }

  std::int64_t partition() const {
    return set_["spec"]["updateStrategy"]["rollingUpdate"]["partition"].integer_or(0);
  }

  bool rolls() const {
    return set_["spec"]["updateStrategy"]["type"].string_or("RollingUpdate") == "RollingUpdate";
  }

  // False: something must be seen first.
  bool make_missing() {
    for (std::int64_t ordinal = first_; ordinal < first_ + count_; ++ordinal) {
      if (step_.edits.size() > replica_burst_max) return false;
      const auto found = pods_.find(ordinal);
      if (found == pods_.end()) {
        create(ordinal);
        if (in_order_) return false;
        continue;
      }
      const Value& pod = found->second;
      if (has_ended(pod) && !objects::is_being_deleted(pod)) {
        note(true, "RecreatingFailedPod",
             fmt::format("StatefulSet {}/{} is recreating failed Pod {}",
                         objects::namespace_of(set_), objects::name_of(set_),
                         objects::name_of(pod)));
        remove(pod);
        if (in_order_) return false;
        continue;
      }
      if (in_order_ && !is_healthy(pod)) return false;
    }
    return true;
  }

  bool goes_with(std::string_view when) const {
    return set_["spec"]["persistentVolumeClaimRetentionPolicy"][when].string_or("") == "Delete";
  }

  // A claim goes with whom it belongs to: with its pod when that is beyond the number, else with
  // the set; each only where the policy says so.
  Value with_owner_of(const Value& claim, std::int64_t ordinal) const {
    const auto pod = pods_.find(ordinal);
    const bool is_beyond = !is_wanted(ordinal) && pod != pods_.end();
    std::vector<Value> owners;
    bool had_ours = false;
    for (View each : claim["metadata"]["ownerReferences"].elements()) {
      const std::string_view uid = each["uid"].string_or("");
      const bool is_ours = uid == objects::uid_of(set_) ||
                           (each["kind"].string_or("") == resources::pods.kind &&
                            each["name"].string_or("") == stateful_pod_name(set_, ordinal));
      had_ours = had_ours || is_ours;
      if (!is_ours) owners.push_back(claim.part(each));
    }
    if (is_beyond && goes_with("whenScaled")) {
      owners.push_back(
          controller_reference(resources::pods.api_version(), resources::pods.kind, pod->second));
    } else if (goes_with("whenDeleted")) {
      owners.push_back(controller_reference(resources::stateful_sets.api_version(),
                                            resources::stateful_sets.kind, set_));
    } else if (!had_ours) {
      return claim;
    }
    return Draft(claim).set_or_drop({"metadata", "ownerReferences"}, list_of(owners)).value();
  }

  // Before a pod beyond the number is taken away, so that its claims follow it.
  void own_claims() {
    if (set_["spec"]["volumeClaimTemplates"].empty()) return;
    std::map<std::string, Value, std::less<>> present;
    for (const Value& claim : observed_.claims) {
      if (!objects::is_being_deleted(claim)) {
        present.emplace(objects::name_of(claim), claim);
      }
    }
    for (const auto& [ordinal, pod] : pods_) {
      for (const Value& wanted : stateful_claims(set_, ordinal)) {
        const auto found = present.find(objects::name_of(wanted));
        if (found == present.end()) continue;
        const Value next = with_owner_of(found->second, ordinal);
        if (next == found->second) continue;
        step_.edits.push_back(Edit::update(resources::persistent_volume_claims, next));
      }
    }
  }

  void create(std::int64_t ordinal) {
    const std::string name = stateful_pod_name(set_, ordinal);
    for (const Value& claim : stateful_claims(set_, ordinal)) {
      const bool is_there = std::any_of(
          observed_.claims.begin(), observed_.claims.end(),
          [&](const Value& each) { return objects::name_of(each) == objects::name_of(claim); });
      if (is_there) continue;
      step_.edits.push_back(
          Edit::create(resources::persistent_volume_claims, with_owner_of(claim, ordinal)));
      note(false, "SuccessfulCreate",
           fmt::format("Create Claim {} Pod {} in StatefulSet {} success", objects::name_of(claim),
                       name, objects::name_of(set_)));
    }
    const bool stays_behind = rolls() && ordinal < partition();
    const bool first_rollout = set_["status"]["currentRevision"].string_or("").empty();
    const Value& as_of = stays_behind && !first_rollout ? current_ : update_;
    Edit edit = Edit::create(resources::pods, stateful_pod(set_, as_of, ordinal));
    edit.complaint = note_of(true, "FailedCreate",
                             fmt::format("Create Pod {} in StatefulSet {} failed error: ", name,
                                         objects::name_of(set_)));
    step_.edits.push_back(std::move(edit));
    note(false, "SuccessfulCreate",
         fmt::format("Create Pod {} in StatefulSet {} successful", name, objects::name_of(set_)));
  }

  void remove(const Value& pod) {
    step_.edits.push_back(Edit::remove(resources::pods, pod));
    note(false, "SuccessfulDelete",
         fmt::format("Delete Pod {} in StatefulSet {} successful", objects::name_of(pod),
                     objects::name_of(set_)));
  }

  // Those beyond the number, from the highest down. False: something must be seen first.
  bool take_surplus() {
    for (auto each = pods_.rbegin(); each != pods_.rend(); ++each) {
      if (is_wanted(each->first)) continue;
      if (objects::is_being_deleted(each->second)) {
        if (in_order_) return false;
        continue;
      }
      remove(each->second);
      if (in_order_) return false;
    }
    return true;
  }

  // One at a time, from the highest down to the partition.
  void roll_out() {
    if (!rolls() || !step_.edits.empty()) return;
    for (auto each = pods_.rbegin(); each != pods_.rend(); ++each) {
      if (each->first < partition() || !is_wanted(each->first)) continue;
      const Value& pod = each->second;
      if (!is_of(pod, update_) && !objects::is_being_deleted(pod)) return remove(pod);
      if (!is_healthy(pod)) return;
    }
  }

  // Those that nothing has any more, oldest first, beyond the limit.
  void forget_revisions() {
    std::vector<Value> idle;
    for (const Value& each : observed_.revisions) {
      const bool is_used = objects::name_of(each) == objects::name_of(update_) ||
                           objects::name_of(each) == objects::name_of(current_) ||
                           std::any_of(pods_.begin(), pods_.end(), [&each](const auto& pod) {
                             return is_of(pod.second, each);
                           });
      if (!is_used) idle.push_back(each);
    }
    std::stable_sort(idle.begin(), idle.end(), [](const Value& a, const Value& b) {
      return a["revision"].integer_or(0) < b["revision"].integer_or(0);
    });
    const std::int64_t limit = set_["spec"]["revisionHistoryLimit"].integer_or(10);
    const std::int64_t more = std::ssize(idle) - std::max<std::int64_t>(limit, 0);
    for (std::int64_t i = 0; i < more; ++i) {
      step_.edits.push_back(
          Edit::remove(resources::controller_revisions, idle[static_cast<std::size_t>(i)]));
    }
  }

  static bool is_of(View pod, View revision) {
    return objects::labels_of(pod)[revision_hash_label].string_or("") == objects::name_of(revision);
  }

  void write_status() {
    std::int64_t ready = 0;
    std::int64_t available = 0;
    std::int64_t current = 0;
    std::int64_t updated = 0;
    for (const auto& [ordinal, pod] : pods_) {
      const auto from = available_at(pod, minimum_ready_seconds_);
      if (from) ++ready;
      if (from && *from <= observed_.now) ++available;
      if (objects::is_being_deleted(pod)) continue;
      if (is_of(pod, current_)) ++current;
      if (is_of(pod, update_)) ++updated;
    }
    std::string_view present = objects::name_of(current_);
    if (updated == count_ && available == count_ && std::ssize(pods_) == count_ && rolls()) {
      present = objects::name_of(update_);
      current = updated;
    }
    Draft next(set_);
    const auto number = [&next](std::string_view field, std::int64_t value) {
      if (value == 0) {
        next.drop({"status", field});
      } else {
        next.set({"status", field}, Value::integer(value));
      }
    };
    next.set({"status", "observedGeneration"}, Value::integer(objects::generation_of(set_)))
        .set({"status", "replicas"}, Value::integer(std::ssize(pods_)))
        .set({"status", "availableReplicas"}, Value::integer(available))
        .set({"status", "collisionCount"}, Value::integer(0))
        .set({"status", "currentRevision"}, Value::string(present))
        .set({"status", "updateRevision"}, Value::string(objects::name_of(update_)));
    number("readyReplicas", ready);
    number("currentReplicas", current);
    number("updatedReplicas", updated);
    if (next.value()["status"] == set_["status"]) return;
    step_.edits.push_back(Edit::update_counts(resources::stateful_sets, next.value()));
  }

  void note(bool warning, std::string_view reason, std::string message) {
    step_.edits.push_back(Edit::record(note_of(warning, reason, std::move(message))));
  }

  Note note_of(bool warning, std::string_view reason, std::string message) const {
    return {.resource = resources::stateful_sets,
            .about = set_,
            .warning = warning,
            .reason = std::string(reason),
            .message = std::move(message),
            .component = std::string(component)};
  }

  const StatefulSetObserved& observed_;
  const Value& set_;
  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  bool in_order_ = true;
  std::int64_t minimum_ready_seconds_ = 0;
  std::map<std::int64_t, Value> pods_;  // by ordinal
  Value update_;                        // the revision of the present template
  Value current_;                       // the one that everything had last
  ReplicaStep step_;
};

}  // namespace

ReplicaStep run_stateful_set(const StatefulSetObserved& observed) {
  if (observed.set.is_absent()) return {};
  return StatefulSetStep(observed).take();
}

}  // namespace muster::core
