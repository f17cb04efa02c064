// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/run_replica_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "base/timestamp.h"
#include "base/uid.h"
#include "core/draft.h"
#include "core/lifecycle/limits.h"
#include "core/lifecycle/replica_pods.h"
#include "objects/label_selector.h"
#include "objects/metadata.h"
#include "objects/resource.h"

namespace muster::core {

using objects::Value;
using objects::View;

namespace resources = objects::resources;

namespace {

class ReplicaSetStep {
 public:
  explicit ReplicaSetStep(const ReplicaSetObserved& observed)
      : set_(observed.set),
        resource_(observed.resource),
        now_(observed.now),
        all_(observed.pods),
        refusal_(observed.refusal) {}

  ReplicaStep take() {
    const auto selector = selector_of(resource_, set_);
    if (!selector) return std::move(step_);
    claim(*selector);
    if (!objects::is_being_deleted(set_)) manage();
    write_status();
    return std::move(step_);
  }

 private:
  bool is_mine(View pod) const {
    return objects::controller_of(pod)["uid"].string_or("") == objects::uid_of(set_);
  }

  // Its own that match stay; its own that do not are let go; orphans that match become its own.
  void claim(const objects::LabelSelector& selector) {
    for (const Value& pod : all_) {
      const bool matches = selector.matches(objects::labels_of(pod));
      if (is_mine(pod)) {
        if (matches) {
          owned_.push_back(pod);
        } else if (!objects::is_being_deleted(pod)) {
          step_.edits.push_back(Edit::update(resources::pods, without_owner(pod)));
        }
      } else if (matches && !objects::controller_of(pod) && is_active_replica(pod) &&
                 !objects::is_being_deleted(set_)) {
        step_.edits.push_back(Edit::update(resources::pods, with_owner(pod)));
        adopted_ = true;
      }
    }
  }

  Value with_owner(const Value& pod) const {
    std::vector<Value> owners;
    for (View each : pod["metadata"]["ownerReferences"].elements()) {
      owners.push_back(pod.part(each));
    }
    owners.push_back(controller_reference(resource_.api_version(), resource_.kind, set_));
    return Draft(pod).set({"metadata", "ownerReferences"}, list_of(owners)).value();
  }

  Value without_owner(const Value& pod) const {
    std::vector<Value> owners;
    for (View each : pod["metadata"]["ownerReferences"].elements()) {
      if (each["uid"].string_or("") != objects::uid_of(set_)) owners.push_back(pod.part(each));
    }
    return Draft(pod).set_or_drop({"metadata", "ownerReferences"}, list_of(owners)).value();
  }

  void manage() {
    if (adopted_) return;  // how many there are is known at the next look
    const std::vector<Value> active = in_order_of_removal(owned_);
    const auto wanted = static_cast<std::size_t>(
        std::clamp<std::int64_t>(set_["spec"]["replicas"].integer_or(1), 0, replicas_max));
    if (active.size() > wanted) {
      remove(std::span(active).first(std::min(active.size() - wanted, replica_burst_max)));
    } else if (active.size() < wanted) {
      is_creating_ = true;
      create(std::min(wanted - active.size(), replica_burst_max));
    }
  }

  void remove(std::span<const Value> pods) {
    for (const Value& pod : pods) {
      step_.edits.push_back(Edit::remove(resources::pods, pod));
      note("SuccessfulDelete", fmt::format("Deleted pod: {}", objects::name_of(pod)));
    }
  }

  void create(std::size_t count) {
    std::set<std::string, std::less<>> taken;
    for (const Value& pod : all_) taken.emplace(objects::name_of(pod));
    const std::string prefix = std::string(objects::name_of(set_))
                                   .substr(0, generated_name_length_max - name_suffix_length - 1) +
                               "-";
    const Value pod = pod_of_template(resource_, set_);
    for (std::size_t attempt = 0; count > 0; ++attempt) {
      const std::string name =
          prefix + suffix_following(fmt::format("{}\n{}\n{}", objects::uid_of(set_),
                                                objects::resource_version_of(set_), attempt),
                                    name_suffix_length);
      if (!taken.insert(name).second) continue;
      Edit edit = Edit::create(resources::pods,
                               Draft(pod)
                                   .set({"metadata", "generateName"}, Value::string(prefix))
                                   .set({"metadata", "name"}, Value::string(name))
                                   .value());
      edit.alongside = true;
      edit.complaint = note_of(true, "FailedCreate", "Error creating: ");
      step_.edits.push_back(std::move(edit));
      note("SuccessfulCreate", fmt::format("Created pod: {}", name));
      --count;
    }
  }

  // What is counted is what was seen: the pods made in this step count when they are seen.
  void write_status() {
    const std::int64_t minimum = set_["spec"]["minReadySeconds"].integer_or(0);
    const View template_labels = set_["spec"]["template"]["metadata"]["labels"];
    std::int64_t active = 0;
    std::int64_t labeled = 0;
    std::int64_t ready = 0;
    std::int64_t available = 0;
    std::int64_t terminating = 0;
    for (const Value& pod : owned_) {
      if (objects::is_being_deleted(pod)) ++terminating;
      if (!is_active_replica(pod)) continue;
      ++active;
      if (has_all(template_labels, objects::labels_of(pod))) ++labeled;
      const auto from = available_at(pod, minimum);
      if (!from) continue;
      ++ready;
      if (*from <= now_) {
        ++available;
      } else if (!step_.look_again || *from < *step_.look_again) {
        step_.look_again = from;
      }
    }
    Draft next(set_);
    next.set({"status", "replicas"}, Value::integer(active))
        .set({"status", "observedGeneration"}, Value::integer(objects::generation_of(set_)));
    const auto count = [&next](std::string_view field, std::int64_t number) {
      if (number == 0) {
        next.drop({"status", field});
      } else {
        next.set({"status", field}, Value::integer(number));
      }
    };
    count("fullyLabeledReplicas", labeled);
    count("readyReplicas", ready);
    count("availableReplicas", available);
    if (!(resource_ == replication_controllers)) {
      next.set({"status", "terminatingReplicas"}, Value::integer(terminating));
    }
    tell_failure(next);
    if (next.value()["status"] == set_["status"]) return;
    step_.edits.push_back(Edit::update_counts(resource_, next.value()));
  }

  // That a pod was refused is said until none has to be made, in the words of the first refusal.
  void tell_failure(Draft& next) const {
    constexpr std::string_view type = "ReplicaFailure";
    const bool is_told = static_cast<bool>(objects::condition(set_, type));
    const bool fails = is_creating_ && (is_told || !refusal_.empty());
    if (fails == is_told) return;
    std::vector<Value> conditions;
    for (View each : set_["status"]["conditions"].elements()) {
      if (each["type"].string_or("") != type) conditions.push_back(set_.part(each));
    }
    if (fails) {
      conditions.push_back(
          Value::object({{"type", Value::string(type)},
                         {"status", Value::string("True")},
                         {"lastTransitionTime", Value::string(format_time(Timestamp::of(now_)))},
                         {"reason", Value::string("FailedCreate")},
                         {"message", Value::string(refusal_)}}));
    }
    next.set_or_drop({"status", "conditions"}, conditions.empty() ? Value() : list_of(conditions));
  }

  static bool has_all(View wanted, View labels) {
    for (const objects::MemberView each : wanted.members()) {
      if (!(labels[each.key] == each.value)) return false;
    }
    return true;
  }

  void note(std::string_view reason, std::string message) {
    step_.edits.push_back(Edit::record(note_of(false, reason, std::move(message))));
  }

  Note note_of(bool warning, std::string_view reason, std::string message) const {
    const bool is_set = !(resource_ == replication_controllers);
    const std::string_view component = is_set ? "replicaset-controller" : "replication-controller";
    return {.resource = resource_,
            .about = set_,
            .warning = warning,
            .reason = std::string(reason),
            .message = std::move(message),
            .component = std::string(component)};
  }

  const Value& set_;
  const objects::Resource resource_;
  Instant now_;
  std::span<const Value> all_;
  std::vector<Value> owned_;
  std::string_view refusal_;
  bool adopted_ = false;
  bool is_creating_ = false;
  ReplicaStep step_;
};

}  // namespace

std::optional<objects::LabelSelector> selector_of(const objects::Resource& resource,
                                                  const Value& set) {
  const View selector = set["spec"]["selector"];
  const bool is_map = resource == replication_controllers;
  const Value labels = is_map ? Value::object({{"matchLabels", set.part(selector)}}) : Value();
  auto read = objects::LabelSelector::of(is_map ? labels.view() : selector);
  if (!read || read->matches_everything()) return std::nullopt;
  return std::move(*read);
}

ReplicaStep run_replica_set(const ReplicaSetObserved& observed) {
  if (observed.set.is_absent()) return {};
  return ReplicaSetStep(observed).take();
}

}  // namespace muster::core
