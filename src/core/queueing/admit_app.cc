// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/admit_app.h"

#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/draft.h"
#include "core/queueing/check_job_names.h"
#include "core/queueing/job_queue.h"
#include "core/queueing/pod_words.h"
#include "core/queueing/role_hash.h"
#include "core/queueing/validate_workload.h"
#include "core/queueing/workload_status.h"
#include "core/words.h"
#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::FieldError;
using objects::FieldErrors;
using objects::labels_of;
using objects::Value;
using objects::View;

namespace {

bool is_running(View app) {
  return app["status"]["readyReplicas"].integer_or(0) > 0;
}

// Kueue's webhooks hear of kinds and namespaces that its configuration names.
bool is_heard_of(const App& app, const AppWrite& write) {
  if (write.scope == nullptr) return true;
  return write.scope->has_namespace(objects::namespace_of(write.object),
                                    labels_of(write.name_space)) &&
         write.scope->has_framework(app.integration);
}

bool may_be_queued(const App& app, const AppWrite& write) {
  return is_heard_of(app, write) && !write.has_managed_owner &&
         !objects::is_being_deleted(write.object);
}

bool is_queued(const App& app, const AppWrite& write) {
  const bool takes_all = write.scope != nullptr && write.scope->without_queue_name;
  return may_be_queued(app, write) && (takes_all || !queue_name_of(write.object).empty());
}

// What runs already is not drawn into the default queue by a later write: its queue could not
// change any more, and the write would be refused.
Value with_default_queue(const App& app, const AppWrite& write) {
  const bool applies = write.has_default_queue && may_be_queued(app, write) &&
                       queue_name_of(write.object).empty() && !is_running(write.old_object);
  if (!applies) return write.object;
  return Draft(write.object)
      .set({"metadata", "labels", words::queue_name}, Value::string(words::default_queue))
      .value();
}

Value with_waiting_pods(const App& app, const Value& object) {
  Draft draft(object);
  draft.set({"spec", "template", "metadata", "annotations", words::suspending_parent},
            Value::string(app.integration));
  if (app.resource == stateful_set_app.resource) return draft.value();
  const auto label = [&](std::string_view key, std::string_view text) {
    if (text.empty()) return;
    draft.set({"spec", "template", "metadata", "labels", key}, Value::string(text));
  };
  label(words::managed, "true");
  label(words::queue_name, queue_name_of(object));
  label(words::priority_class, priority_class_of(object));
  return draft.value();
}

void check_annotations(FieldErrors& errors, const App& app, const AppWrite& write,
                       const FeatureGates& gates) {
  const View object = write.object;
  if (is_elastic(object, gates)) {
    errors.add(FieldError::forbidden(annotation_path(words::elastic_job),
                                     fmt::format("elastic job is not supported for \"{}, Kind={}\"",
                                                 app.resource.api_version(), app.resource.kind)));
  }
  check_job_gates(errors, object, write.old_object, gates);
}

// Its queue may change while nothing of it runs, and is never taken away.
void check_update(FieldErrors& errors, const AppWrite& write) {
  const std::string_view queue = queue_name_of(write.object);
  const bool was_suspended = !is_running(write.old_object);
  if (!was_suspended || queue.empty()) {
    check_unchanged(errors, queue, queue_name_of(write.old_object), label_path(words::queue_name));
  }
  check_priority_change(errors, {.job = write.object,
                                 .old_job = write.old_object,
                                 .is_suspended = was_suspended,
                                 .was_suspended = was_suspended});
}

void check_same(FieldErrors& errors, View now, View before, const std::string& path) {
  if (now == before) return;
  errors.add(FieldError::invalid(path, now ? now : View(Value::null()), "field is immutable"));
}

void check_same_containers(FieldErrors& errors, View now, View before, const std::string& path) {
  if (now.size() != before.size()) return check_same(errors, now, before, path);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::string at = fmt::format("{}[{}]", path, i);
    check_same(errors, now[i]["ports"], before[i]["ports"], at + ".ports");
    check_same(errors, now[i]["resources"]["requests"], before[i]["resources"]["requests"],
               at + ".resources.requests");
  }
}

// What matters to admission in a pod, as role_text says it: everything but the containers is
// compared as a whole.
void check_same_shape(FieldErrors& errors, View now, View before, const std::string& path) {
  std::set<std::string_view> fields;
  for (const View each : {now, before}) {
    for (const objects::MemberView member : each.members()) fields.insert(member.key);
  }
  for (const std::string_view field : fields) {
    const bool is_containers = field == "containers" || field == "initContainers";
    const auto check = is_containers ? check_same_containers : check_same;
    check(errors, now[field], before[field], fmt::format("{}.{}", path, field));
  }
}

void check_from_zero(FieldErrors& errors, const AppWrite& write, const std::string& path) {
  if (write.object["status"]["replicas"].integer_or(0) > 0) {
    errors.add(FieldError::forbidden(path, "scaling down is still in progress"));
  } else if (write.workload && !is_on_hold(write.workload)) {
    errors.add(
        FieldError::forbidden(path, "workload from previous scale-down is still being deleted"));
  }
}

// What the Workload of a StatefulSet was made of.
void check_same_workload(FieldErrors& errors, const AppWrite& write) {
  const auto pod_spec = [](View of) { return of["spec"]["template"]["spec"]; };
  const auto shape = [&](View of) { return objects::parse_json(role_text(pod_spec(of))).must(); };
  const Value now_shape = shape(write.object);
  const Value old_shape = shape(write.old_object);
  check_same_shape(errors, now_shape["spec"], old_shape["spec"], "spec.template.spec");
  const std::string path = "spec.replicas";
  const std::int64_t now = write.object["spec"]["replicas"].integer_or(1);
  const std::int64_t before = write.old_object["spec"]["replicas"].integer_or(1);
  if (now != 0 && before != 0 && now != before) {
    errors.add(FieldError::invalid(path, Value::integer(now), "field is immutable"));
  }
  if (before == 0 && now > 0) check_from_zero(errors, write, path);
}

void warn_of_ignored_queue(const App& app, const AppWrite& write,
                           std::vector<std::string>& warnings) {
  if (write.scope == nullptr || write.has_managed_owner) return;
  const bool is_news =
      !write.old_object || queue_name_of(write.object) != queue_name_of(write.old_object);
  if (!is_news) return;
  Unmanaged why = why_unmanaged(*write.scope, app.integration, write.object, write.name_space);
  if (!why.sentence.empty()) warnings.push_back(std::move(why.sentence));
}

}  // namespace

AppAdmission admit_app(const App& app, const AppWrite& write) {
  static const FeatureGates usual;
  const FeatureGates& gates = write.gates == nullptr ? usual : *write.gates;
  AppAdmission answer{.object = write.object};
  if (belongs_to_another(app, write.object)) return answer;
  if (!is_heard_of(app, write)) {
    warn_of_ignored_queue(app, write, answer.warnings);
    return answer;
  }
  AppWrite asked = write;
  asked.object = with_default_queue(app, write);
  const bool waits = is_queued(app, asked);
  answer.object = waits ? with_waiting_pods(app, asked.object) : asked.object;
  check_name(answer.errors, labels_of(asked.object)[words::queue_name],
             label_path(words::queue_name));
  check_annotations(answer.errors, app, asked, gates);
  if (!write.old_object) return answer;
  check_update(answer.errors, asked);
  if (waits && app.resource == stateful_set_app.resource) {
    check_same_workload(answer.errors, asked);
  }
  return answer;
}

}  // namespace muster::core
