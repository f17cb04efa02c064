// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/run_daemon_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/uid.h"
#include "core/draft.h"
#include "core/lifecycle/daemon_pod.h"
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

constexpr std::string_view component = "daemonset-controller";

// A number, or a part of `whole` in percent, rounded up.
std::int64_t share_of(View value, std::int64_t whole, std::int64_t otherwise) {
  if (value.is_integer()) return std::max<std::int64_t>(value.integer_or(0), 0);
  const std::string_view text = value.string_or("");
  std::int64_t percent = 0;
  if (text.empty()) return otherwise;
  std::from_chars(text.data(), text.data() + text.size(), percent);
  return saturating_add(saturating_multiply(std::max<std::int64_t>(percent, 0), whole), 99) / 100;
}

class DaemonSetStep {
 public:
  explicit DaemonSetStep(const DaemonSetObserved& observed)
      : observed_(observed), set_(observed.set), template_(observed.set) {
    for (const Value& pod : observed.pods) {
      pods_[std::string(daemon_node_of(pod))].push_back(pod);
      taken_.emplace(objects::name_of(pod));
    }
    // The oldest first: it is the one that stays.
    for (auto& [node, pods] : pods_) {
      std::stable_sort(pods.begin(), pods.end(), [](const Value& a, const Value& b) {
        const auto made = [](View pod) {
          return pod["metadata"]["creationTimestamp"].string_or("");
        };
        return made(a) != made(b) ? made(a) < made(b) : objects::name_of(a) < objects::name_of(b);
      });
    }
  }

  ReplicaStep take() {
    const View selector = set_["spec"]["selector"];
    const bool selects_all =
        selector["matchLabels"].empty() && selector["matchExpressions"].empty();
    if (objects::is_being_deleted(set_) || selects_all) return {};
    if (!find_revision()) return std::move(step_);
    look_at_nodes();
    manage();
    if (changes_ == 0 && rolls()) roll_out();
    forget_revisions();
    write_status();
    return std::move(step_);
  }

 private:
  bool rolls() const {
    return set_["spec"]["updateStrategy"]["type"].string_or("RollingUpdate") == "RollingUpdate";
  }

  // False: the revision of the present template is being written.
  bool find_revision() {
    const std::string name = revision_name(set_);
    hash_ = name.substr(objects::name_of(set_).size() + 1);
    std::int64_t newest = 0;
    const Value* found = nullptr;
    for (const Value& each : observed_.revisions) {
      newest = std::max(newest, each["revision"].integer_or(0));
      if (objects::name_of(each) == name) found = &each;
    }
    if (found == nullptr) {
      step_.edits.push_back(
          Edit::create(resources::controller_revisions, revision_of_daemon(newest + 1)));
      return false;
    }
    if ((*found)["revision"].integer_or(0) < newest) {
      step_.edits.push_back(
          Edit::update(resources::controller_revisions,
                       Draft(*found).set({"revision"}, Value::integer(newest + 1)).value()));
      return false;
    }
    return true;
  }

  Value revision_of_daemon(std::int64_t number) const {
    Draft revision(revision_of_template(daemon_sets, set_, number));
    revision.set({"metadata", "labels"}, set_.part(set_["spec"]["template"]["metadata"]["labels"]))
        .set({"metadata", "labels", revision_hash_label}, Value::string(hash_))
        .set_or_drop({"metadata", "annotations"}, set_.part(objects::annotations_of(set_)));
    return revision.value();
  }

  void look_at_nodes() {
    for (const Value& node : observed_.nodes) {
      const std::string name(objects::name_of(node));
      fits_[name] = template_.fit(node);
    }
  }

  std::span<const Value> pods_on(const std::string& node) const {
    const auto at = pods_.find(node);
    return at == pods_.end() ? std::span<const Value>() : std::span<const Value>(at->second);
  }

  bool is_present(View pod) const {
    return objects::labels_of(pod)[revision_hash_label].string_or("") == hash_;
  }

  bool is_available(View pod) {
    const auto from = available_at(pod, set_["spec"]["minReadySeconds"].integer_or(0));
    if (!from) return false;
    if (*from <= observed_.now) return true;
    if (!step_.look_again || *from < *step_.look_again) step_.look_again = from;
    return false;
  }

  void manage() {
    for (const auto& [node, fit] : fits_) manage_node(node, fit);
    // Those whose node is gone.
    for (const auto& [node, pods] : pods_) {
      if (fits_.contains(node)) continue;
      for (const Value& pod : pods) {
        if (!objects::is_being_deleted(pod)) remove(pod);
      }
    }
  }

  void manage_node(const std::string& node, const DaemonFit& fit) {
    const std::span<const Value> pods = pods_on(node);
    if (fit.should_run && pods.empty()) return create(node);
    std::vector<const Value*> running;
    for (const Value& pod : pods) {
      if (objects::is_being_deleted(pod)) continue;
      const std::string_view phase = pod["status"]["phase"].string_or("");
      if (!fit.may_stay) {
        remove(pod);
      } else if (phase == "Failed") {
        note(true, "FailedDaemonPod",
             fmt::format("Found failed daemon pod {}/{} on node {}, will try to kill it",
                         objects::namespace_of(pod), objects::name_of(pod), node));
        remove(pod);
      } else if (phase == "Succeeded") {
        note(false, "SucceededDaemonPod",
             fmt::format("Found succeeded daemon pod {}/{} on node {}, will try to delete it",
                         objects::namespace_of(pod), objects::name_of(pod), node));
        remove(pod);
      } else {
        running.push_back(&pod);
      }
    }
    if (surge() > 0) return;  // two may be there on purpose
    for (std::size_t i = 1; i < running.size(); ++i) remove(*running[i]);
  }

  std::int64_t desired() const {
    return std::count_if(fits_.begin(), fits_.end(),
                         [](const auto& each) { return each.second.should_run; });
  }

  std::int64_t surge() const {
    if (!rolls()) return 0;
    return share_of(set_["spec"]["updateStrategy"]["rollingUpdate"]["maxSurge"], desired(), 0);
  }

  // Not both are nothing: it would never be done.
  std::int64_t unavailable() const {
    const std::int64_t most =
        share_of(set_["spec"]["updateStrategy"]["rollingUpdate"]["maxUnavailable"], desired(), 1);
    return most == 0 && surge() == 0 ? 1 : most;
  }

  struct OnNode {
    const Value* present = nullptr;  // with the present template
    const Value* old = nullptr;
  };

  OnNode split(const std::string& node) const {
    OnNode found;
    for (const Value& pod : pods_on(node)) {
      if (objects::is_being_deleted(pod)) continue;
      (is_present(pod) ? found.present : found.old) = &pod;
    }
    return found;
  }

  void roll_out() {
    if (surge() > 0) return roll_with_surge();
    std::vector<const Value*> broken;
    std::vector<const Value*> candidates;
    std::int64_t missing = 0;
    for (const auto& [node, fit] : fits_) {
      if (!fit.should_run && pods_on(node).empty()) continue;
      const OnNode here = split(node);
      if (here.present == nullptr && here.old == nullptr) {
        ++missing;
      } else if (here.present != nullptr) {
        if (here.old != nullptr || !is_available(*here.present)) ++missing;
      } else if (!is_available(*here.old)) {
        broken.push_back(here.old);
      } else {
        candidates.push_back(here.old);
      }
    }
    const auto room = static_cast<std::size_t>(std::max<std::int64_t>(unavailable() - missing, 0));
    for (const Value* pod : broken) remove(*pod);
    for (std::size_t i = 0; i < std::min(room, candidates.size()); ++i) remove(*candidates[i]);
  }

  // A new one beside the old one, which goes when the new one is there.
  void roll_with_surge() {
    std::vector<std::string> broken;
    std::vector<std::string> candidates;
    std::int64_t coming = 0;
    for (const auto& [node, fit] : fits_) {
      const OnNode here = split(node);
      if (here.old == nullptr) continue;
      if (here.present == nullptr) {
        if (fit.should_run) (is_available(*here.old) ? candidates : broken).push_back(node);
      } else if (is_available(*here.present)) {
        remove(*here.old);
      } else {
        ++coming;
      }
    }
    const auto room = static_cast<std::size_t>(std::max<std::int64_t>(surge() - coming, 0));
    for (const std::string& node : broken) create(node);
    for (std::size_t i = 0; i < std::min(room, candidates.size()); ++i) create(candidates[i]);
  }

  void create(const std::string& node) {
    if (++changes_ > replica_burst_max) return;
    const std::string prefix = std::string(objects::name_of(set_))
                                   .substr(0, generated_name_length_max - name_suffix_length - 1) +
                               "-";
    std::string name;
    for (std::size_t attempt = 0; name.empty(); ++attempt) {
      const std::string next =
          prefix +
          suffix_following(fmt::format("{}\n{}\n{}\n{}\n{}", objects::uid_of(set_),
                                       objects::resource_version_of(set_), node, hash_, attempt),
                           name_suffix_length);
      if (taken_.insert(next).second) name = next;
    }
    Edit edit = Edit::create(
        resources::pods,
        Draft(template_.pod(node, hash_)).set({"metadata", "name"}, Value::string(name)).value());
    edit.alongside = true;
    edit.complaint = note_of(true, "FailedCreate", "Error creating: ");
    step_.edits.push_back(std::move(edit));
    note(false, "SuccessfulCreate", fmt::format("Created pod: {}", name));
  }

  void remove(const Value& pod) {
    if (++changes_ > replica_burst_max) return;
    step_.edits.push_back(Edit::remove(resources::pods, pod));
    note(false, "SuccessfulDelete", fmt::format("Deleted pod: {}", objects::name_of(pod)));
  }

  // Those that no pod has, the oldest first, as far as there are too many.
  void forget_revisions() {
    std::set<std::string, std::less<>> used = {hash_};
    for (const Value& pod : observed_.pods) {
      used.emplace(objects::labels_of(pod)[revision_hash_label].string_or(""));
    }
    std::vector<Value> idle;
    for (const Value& each : observed_.revisions) {
      if (!used.contains(objects::labels_of(each)[revision_hash_label].string_or(""))) {
        idle.push_back(each);
      }
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

  void write_status() {
    std::int64_t current = 0;
    std::int64_t misplaced = 0;
    std::int64_t ready = 0;
    std::int64_t available = 0;
    std::int64_t updated = 0;
    for (const auto& [node, fit] : fits_) {
      const std::span<const Value> pods = pods_on(node);
      if (pods.empty()) continue;
      if (!fit.should_run) {
        ++misplaced;
        continue;
      }
      ++current;
      const Value& pod = pods.front();
      if (is_ready_replica(pod)) ++ready;
      if (is_available(pod)) ++available;
      if (is_present(pod)) ++updated;
    }
    Draft next(set_);
    const auto number = [&next](std::string_view field, std::int64_t value, bool always) {
      if (value == 0 && !always) {
        next.drop({"status", field});
      } else {
        next.set({"status", field}, Value::integer(value));
      }
    };
    number("currentNumberScheduled", current, true);
    number("numberMisscheduled", misplaced, true);
    number("desiredNumberScheduled", desired(), true);
    number("numberReady", ready, true);
    number("observedGeneration", objects::generation_of(set_), true);
    number("updatedNumberScheduled", updated, false);
    number("numberAvailable", available, false);
    number("numberUnavailable", desired() - available, false);
    if (next.value()["status"] == set_["status"]) return;
    step_.edits.push_back(Edit::update_counts(daemon_sets, next.value()));
  }

  void note(bool warning, std::string_view reason, std::string message) {
    step_.edits.push_back(Edit::record(note_of(warning, reason, std::move(message))));
  }

  Note note_of(bool warning, std::string_view reason, std::string message) const {
    return {.resource = daemon_sets,
            .about = set_,
            .warning = warning,
            .reason = std::string(reason),
            .message = std::move(message),
            .component = std::string(component)};
  }

  const DaemonSetObserved& observed_;
  const Value& set_;
  const DaemonTemplate template_;
  std::string hash_;                                // of the present template
  std::map<std::string, std::vector<Value>> pods_;  // by node
  std::set<std::string, std::less<>> taken_;        // names
  std::map<std::string, DaemonFit> fits_;           // by node
  std::size_t changes_ = 0;
  ReplicaStep step_;
};

}  // namespace

ReplicaStep run_daemon_set(const DaemonSetObserved& observed) {
  if (observed.set.is_absent()) return {};
  return DaemonSetStep(observed).take();
}

}  // namespace muster::core
