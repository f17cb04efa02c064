// SPDX-License-Identifier: Apache-2.0
#include "simulator/house/trace.h"

#include <fmt/format.h>

#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::simulator {

using objects::View;

namespace {

void tell_conditions(View object, std::string& line) {
  for (const View each : object["status"]["conditions"].elements()) {
    line += fmt::format(" {}={}({}: {})", each["type"].string_or(""), each["status"].string_or(""),
                        each["reason"].string_or(""), each["message"].string_or(""));
  }
}

void tell_pod(View pod, std::string& line) {
  line += fmt::format(" {} on {} uid {}", pod["status"]["phase"].string_or("-"),
                      pod["spec"]["nodeName"].string_or("-"), objects::uid_of(pod));
}

// Where the pods of each pod set have their places, as they are written, and how long it rests.
void tell_admission(View workload, std::string& line) {
  if (const View requeue = workload["status"]["requeueState"]) {
    line += fmt::format(" requeue {}", objects::to_json(requeue));
  }
  for (const View each : workload["status"]["admission"]["podSetAssignments"].elements()) {
    line += fmt::format(" {} at {}", each["name"].string_or(""),
                        objects::to_json(each["topologyAssignment"]["slices"]));
  }
}

void tell_job(View job, std::string& line) {
  line += fmt::format(" suspend={}", job["spec"]["suspend"].boolean_or(false));
  for (const std::string_view counter : {"active", "terminating", "succeeded", "failed"}) {
    line += fmt::format(" {}={}", counter, job["status"][counter].integer_or(0));
  }
}

}  // namespace

std::string trace_line(Span since_start, const Change& change) {
  const View object = change.after;
  std::string line = fmt::format("{:.3f} {} {}", static_cast<double>(since_start.nanoseconds) / 1e9,
                                 change.plural, change.key.to_string());
  if (object.is_absent()) return line + " is gone\n";
  if (objects::is_being_deleted(object)) line += " (being deleted)";
  for (const View each : object["metadata"]["finalizers"].elements()) {
    line += fmt::format(" finalizer:{}", each.string_or(""));
  }
  if (change.plural == "pods") tell_pod(object, line);
  if (change.plural == "jobs") tell_job(object, line);
  if (change.plural == "workloads") tell_admission(object, line);
  if (change.plural == "workloads" || change.plural == "jobs") tell_conditions(object, line);
  return line + "\n";
}

}  // namespace muster::simulator
