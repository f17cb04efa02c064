// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>

#include "core/queueing/pod_job.h"
#include "core/words.h"
#include "objects/metadata.h"
#include "simulator/house/checkers/checkers.h"
#include "simulator/house/checkers/read.h"

namespace muster::simulator {

namespace {

namespace words = core::words;
using objects::ObjectKey;
using objects::View;

// Who a pod is in its gang.
std::string member_of(View pod) {
  const View index = objects::annotations_of(pod)[words::completion_index];
  return std::string(index ? index.string_or("") : objects::uid_of(pod));
}

class Gangs final : public Checker {
 public:
  using Checker::Checker;

  void on_change(const Change& change) override {
    if (change.plural == "workloads") on_workload(change);
    if (change.plural == "pods") on_pod(change);
  }

  // Whoever starts a process knows the place of every member. Which of them had a place, and in
  // which admission, is what counts: the agent may learn late that one of them is gone again.
  void on_start(const agent::PodSpec& spec) override {
    const auto member = members_.find(spec.uid);
    if (member == members_.end()) return;
    const auto gang = gangs_.find(member->second.gang);
    if (gang == gangs_.end()) return;
    std::set<std::string> there = gang->second.placed[member->second.admission];
    const auto& done = succeeded_[member->second.owner];
    there.insert(done.begin(), done.end());
    if (static_cast<std::int64_t>(there.size()) >= gang->second.size) return;
    evidence_.violate(
        "I5 whole gangs",
        fmt::format("{}/{} starts while {} of {} members of {} have a place", spec.name_space,
                    spec.name, there.size(), gang->second.size, member->second.gang.to_string()));
  }

 private:
  struct Gang {
    std::int64_t size = 0;
    std::int64_t admission = 0;                            // how often it was admitted
    std::map<std::int64_t, std::set<std::string>> placed;  // members that had a node, by admission
  };
  struct Member {
    ObjectKey gang;
    std::int64_t admission = 0;
    std::string owner;  // the uid of its job, which may have one Workload after another
  };

  void on_workload(const Change& change) {
    // A Workload that was deleted may be made anew while pods of its last admission still start:
    // what had a place then is not forgotten.
    if (change.after.is_absent()) return;
    Gang& gang = gangs_[change.key];
    gang.size = pods_of(change.after);
    if (is_holding(change.before) || !is_holding(change.after)) return;
    ++gang.admission;
  }

  void on_pod(const Change& change) {
    const View pod = change.object();
    const std::string uid(objects::uid_of(pod));
    if (change.after.is_absent()) {
      members_.erase(uid);
      return;
    }
    const auto workload = objects::annotations_of(pod)[words::workload].string();
    // A group that is admitted before all its pods are there does not start as a gang.
    if (!workload || core::is_fast(pod)) return;
    const ObjectKey key{change.key.name_space, std::string(*workload)};
    const auto gang = gangs_.find(key);
    if (gang == gangs_.end()) return;
    const std::string owner(objects::controller_of(pod)["uid"].string_or(""));
    const auto member = members_.try_emplace(uid, Member{key, gang->second.admission, owner}).first;
    const bool is_placed = !pod["spec"]["nodeName"].string_or("").empty() &&
                           objects::annotations_of(pod)[words::pod_ip];
    if (is_placed && member->second.admission == gang->second.admission) {
      gang->second.placed[gang->second.admission].insert(member_of(pod));
    }
    if (pod["status"]["phase"].string_or("") == "Succeeded") {
      succeeded_[owner].insert(member_of(pod));
    }
  }

  std::map<ObjectKey, Gang> gangs_;
  std::map<std::string, Member> members_;                   // by uid
  std::map<std::string, std::set<std::string>> succeeded_;  // members, by the job's uid
};

}  // namespace

std::unique_ptr<Checker> make_gangs(Evidence& evidence) {
  return std::make_unique<Gangs>(evidence);
}

}  // namespace muster::simulator
