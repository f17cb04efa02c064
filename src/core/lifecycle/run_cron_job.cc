// A look in the order of kube-controller-manager's sync: what became of its jobs, how many are
// kept, whether one is due. Jobs in the way are removed before the status forgets them, and the
// status is written before a new one is made.
// SPDX-License-Identifier: Apache-2.0
#include "core/lifecycle/run_cron_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/civil_date.h"
#include "base/go_quote.h"
#include "base/timestamp.h"
#include "core/draft.h"
#include "core/lifecycle/cron_job_times.h"
#include "core/words.h"
#include "objects/cron_schedule.h"
#include "objects/metadata.h"
#include "objects/resource.h"

namespace muster::core {

using objects::CronSchedule;
using objects::Value;
using objects::View;
using objects::resources::jobs;

namespace {

constexpr std::int64_t second_nanoseconds = 1'000'000'000;

std::int64_t seconds_of(Instant time) {
  return floor_divide(time.nanoseconds, second_nanoseconds);
}

std::string job_name(View cron_job, Instant due) {
  return fmt::format("{}-{}", objects::name_of(cron_job), floor_divide(seconds_of(due), 60));
}

// "2026-11-15T10:00:00+01:00", or Z.
std::string time_in_zone(Instant time, const TimeZone& zone) {
  const std::int64_t seconds = seconds_of(time);
  const std::int64_t offset = zone.at(seconds).seconds;
  const Instant local{(seconds + offset) * second_nanoseconds};
  std::string text = format_time(Timestamp::of(local));
  if (offset == 0) return text;
  const std::int64_t minutes = (offset < 0 ? -offset : offset) / 60;
  text.pop_back();
  return fmt::format("{}{}{:02}:{:02}", text, offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

// "Sun, 15 Nov 2026 10:00:00 +0000"
std::string mail_time(Instant time) {
  constexpr std::string_view days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::string_view months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::int64_t seconds = seconds_of(time);
  const std::int64_t day = floor_divide(seconds, seconds_per_day);
  const CivilDate date = date_of(day);
  const std::int64_t of_day = seconds - day * seconds_per_day;
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} +0000",
                     days[static_cast<std::size_t>(weekday_of(day))], date.day,
                     months[static_cast<std::size_t>(date.month - 1)], date.year, of_day / 3'600,
                     of_day / 60 % 60, of_day % 60);
}

// "Complete", "Failed", or nothing.
std::string_view end_of(View job) {
  for (const std::string_view type : {"Complete", "Failed"}) {
    if (objects::is_true(objects::condition(job, type))) return type;
  }
  return {};
}

class CronJobLook {
 public:
  explicit CronJobLook(const CronJobObserved& observed)
      : observed_(observed), cron_job_(observed.cron_job), spec_(cron_job_["spec"]) {}

  CronJobStep step();

 private:
  void read_status();
  void look_over_jobs();
  void look_over_job(const Value& job);
  void forget_missing();
  void keep_history();
  void keep_of(std::string_view end, std::string_view limit);
  void run_if_due();
  void run_at(Instant due);
  void start(Instant due);
  void finish();

  std::optional<Instant> scheduled_time(View job) const;
  bool is_active(std::string_view uid) const;
  void drop_active(std::string_view uid);
  void remove(std::vector<Edit>& group, const Value& job);
  Value new_job(Instant due) const;
  Note note(std::string_view reason, std::string message, bool warning = false) const;
  void tell(std::vector<Edit>& group, std::string_view reason, std::string message,
            bool warning = false) const;

  const CronJobObserved& observed_;
  const Value& cron_job_;
  const View spec_;
  std::vector<Value> active_;  // references
  std::optional<Instant> last_schedule_;
  std::optional<Instant> last_success_;
  std::vector<Edit> replaced_;
  std::vector<Edit> status_notes_;
  std::vector<Edit> removals_;
  std::vector<Edit> creation_;
  CronJobStep step_;
};

CronJobStep CronJobLook::step() {
  read_status();
  look_over_jobs();
  forget_missing();
  keep_history();
  if (!objects::is_being_deleted(cron_job_)) run_if_due();
  finish();
  return std::move(step_);
}

void CronJobLook::read_status() {
  const View status = cron_job_["status"];
  for (View each : status["active"].elements()) active_.push_back(cron_job_.part(each));
  last_schedule_ = objects::instant_of(status["lastScheduleTime"]);
  last_success_ = objects::instant_of(status["lastSuccessfulTime"]);
}

void CronJobLook::look_over_jobs() {
  for (const Value& job : observed_.jobs) look_over_job(job);
}

void CronJobLook::look_over_job(const Value& job) {
  const std::string name(objects::name_of(job));
  const auto scheduled = scheduled_time(job);
  const bool is_news = scheduled && (!last_schedule_ || *last_schedule_ < *scheduled);
  const std::string_view end = end_of(job);
  const bool was_active = is_active(objects::uid_of(job));
  if (is_news) last_schedule_ = scheduled;
  if (end.empty() && !was_active && !objects::is_being_deleted(job)) {
    if (scheduled) {
      active_.push_back(
          Value::object({{"kind", Value::string(jobs.kind)},
                         {"namespace", Value::string(objects::namespace_of(job))},
                         {"name", Value::string(name)},
                         {"uid", Value::string(objects::uid_of(job))},
                         {"apiVersion", Value::string(jobs.api_version())},
                         {"resourceVersion", Value::string(objects::resource_version_of(job))}}));
    } else {
      tell(status_notes_, "UnexpectedJob",
           "Saw a job that the controller did not create or forgot: " + name, true);
    }
  }
  if (!end.empty() && (was_active || is_news)) {
    drop_active(objects::uid_of(job));
    tell(status_notes_, "SawCompletedJob",
         fmt::format("Saw completed job: {}, condition: {}", name, end));
  }
  const auto completed = objects::instant_of(job["status"]["completionTime"]);
  if (end == "Complete" && completed && (!last_success_ || *last_success_ < *completed)) {
    last_success_ = completed;
  }
}

// What it was made for, of a job that this CronJob made.
std::optional<Instant> CronJobLook::scheduled_time(View job) const {
  const auto time = objects::instant_of(objects::annotations_of(job)[words::scheduled_timestamp]);
  if (!time || objects::name_of(job) != job_name(cron_job_, *time)) return std::nullopt;
  return time;
}

void CronJobLook::forget_missing() {
  const std::vector<Value> listed = active_;
  for (const Value& each : listed) {
    const std::string_view uid = each["uid"].string_or("");
    const bool exists = std::any_of(observed_.jobs.begin(), observed_.jobs.end(),
                                    [&](const Value& job) { return objects::uid_of(job) == uid; });
    if (exists) continue;
    drop_active(uid);
    tell(status_notes_, "MissingJob",
         fmt::format("Active job went missing: {}", each["name"].string_or("")));
  }
}

void CronJobLook::keep_history() {
  keep_of("Complete", "successfulJobsHistoryLimit");
  keep_of("Failed", "failedJobsHistoryLimit");
}

// The oldest go; those that never started count as the newest.
void CronJobLook::keep_of(std::string_view end, std::string_view limit) {
  const auto count_max = spec_[limit].integer();
  if (!count_max) return;
  std::vector<const Value*> ended;
  for (const Value& job : observed_.jobs) {
    if (end_of(job) == end && !objects::is_being_deleted(job)) ended.push_back(&job);
  }
  std::sort(ended.begin(), ended.end(), [](const Value* a, const Value* b) {
    const auto age = [](const Value& job) {
      const auto started = objects::instant_of(job["status"]["startTime"]);
      return std::tuple(!started, started.value_or(Instant{}), objects::name_of(job));
    };
    return age(*a) < age(*b);
  });
  const std::int64_t surplus = std::ssize(ended) - *count_max;
  for (std::int64_t i = 0; i < surplus; ++i) remove(removals_, *ended[static_cast<std::size_t>(i)]);
}

void CronJobLook::run_if_due() {
  const std::string_view zone = spec_["timeZone"].string_or("");
  if (observed_.zone == nullptr) {
    return tell(status_notes_, "UnknownTimeZone",
                fmt::format("invalid timeZone: {}: unknown time zone {}", go_quote(zone), zone),
                true);
  }
  if (spec_["suspend"].boolean_or(false)) return;
  const std::string_view text = spec_["schedule"].string_or("");
  const auto schedule = CronSchedule::parse(text);
  if (!schedule) {
    return tell(
        status_notes_, "UnparseableSchedule",
        fmt::format("unparseable schedule: {} : {}", go_quote(text), schedule.error().message),
        true);
  }
  const Value current =
      Draft(cron_job_)
          .set_or_drop(
              {"status", "lastScheduleTime"},
              last_schedule_ ? Value::string(format_time(Timestamp::of(*last_schedule_))) : Value())
          .value();
  const CronJobTimes times =
      cron_job_times(current, *schedule, *observed_.zone,
                     {.now = observed_.now, .rescheduled = observed_.rescheduled});
  if (times.is_never_due) {
    return tell(status_notes_, "InvalidSchedule",
                fmt::format("invalid schedule: {} : time difference between two schedules is less "
                            "than 1 second",
                            text),
                true);
  }
  step_.look_again = times.next;
  if (!times.due) return;
  if (times.missed_many) {
    tell(status_notes_, "TooManyMissedTimes",
         "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check "
         "clock skew",
         true);
  }
  run_at(*times.due);
}

void CronJobLook::run_at(Instant due) {
  const auto deadline = spec_["startingDeadlineSeconds"].integer();
  if (deadline && (observed_.now - due).nanoseconds / second_nanoseconds > *deadline) {
    return tell(status_notes_, "MissSchedule",
                "Missed scheduled time to start a job: " + mail_time(due), true);
  }
  const std::string policy(spec_["concurrencyPolicy"].string_or("Allow"));
  if (policy == "Forbid" && !active_.empty()) {
    return tell(status_notes_, "JobAlreadyActive",
                "Not starting job because prior execution is running and concurrency policy is "
                "Forbid");
  }
  if (policy == "Replace") {
    for (const Value& job : observed_.jobs) {
      if (is_active(objects::uid_of(job))) remove(replaced_, job);
    }
  }
  start(due);
}

void CronJobLook::start(Instant due) {
  Value job = new_job(due);
  const std::string name(objects::name_of(job));
  if (observed_.is_taken && observed_.is_taken(name)) return;  // by somebody else
  Edit edit = Edit::create(jobs, std::move(job));
  edit.complaint = note("FailedCreate", "Error creating job: ", true);
  creation_.push_back(std::move(edit));
  tell(creation_, "SuccessfulCreate", "Created job " + name);
}

Value CronJobLook::new_job(Instant due) const {
  const View made_from = spec_["jobTemplate"];
  const View metadata = made_from["metadata"];
  Draft job(Value::object(
      {{"apiVersion", Value::string(jobs.api_version())}, {"kind", Value::string(jobs.kind)}}));
  job.set({"metadata", "name"}, Value::string(job_name(cron_job_, due)))
      .set({"metadata", "namespace"}, Value::string(objects::namespace_of(cron_job_)))
      .set_or_drop({"metadata", "labels"}, cron_job_.part(metadata["labels"]))
      .set_or_drop({"metadata", "annotations"}, cron_job_.part(metadata["annotations"]))
      .set({"metadata", "annotations", words::scheduled_timestamp},
           Value::string(time_in_zone(due, *observed_.zone)))
      .set({"metadata", "ownerReferences"},
           Value::array({controller_reference(cron_jobs.api_version(), cron_jobs.kind, cron_job_)}))
      .set({"spec"}, cron_job_.part(made_from["spec"]));
  return job.value();
}

void CronJobLook::finish() {
  Draft next(cron_job_);
  const auto set_time = [&](std::string_view key, std::optional<Instant> time) {
    if (objects::instant_of(cron_job_["status"][key]) == time || !time) return;
    next.set({"status", key}, Value::string(format_time(Timestamp::of(*time))));
  };
  if (!(cron_job_["status"]["active"] == list_of(active_).view()) &&
      !(active_.empty() && cron_job_["status"]["active"].empty())) {
    next.set_or_drop({"status", "active"}, list_of(active_));
  }
  set_time("lastScheduleTime", last_schedule_);
  set_time("lastSuccessfulTime", last_success_);
  std::vector<Edit>& edits = step_.edits;
  const auto append = [&](std::vector<Edit>& group) {
    for (Edit& each : group) edits.push_back(std::move(each));
  };
  append(replaced_);
  if (!(next.value().view() == cron_job_.view())) {
    edits.push_back(Edit::update_status(cron_jobs, next.value()));
  }
  append(status_notes_);
  append(removals_);
  append(creation_);
}

bool CronJobLook::is_active(std::string_view uid) const {
  return std::any_of(active_.begin(), active_.end(),
                     [&](const Value& each) { return each["uid"].string_or("") == uid; });
}

void CronJobLook::drop_active(std::string_view uid) {
  std::erase_if(active_, [&](const Value& each) { return each["uid"].string_or("") == uid; });
}

void CronJobLook::remove(std::vector<Edit>& group, const Value& job) {
  Edit edit = Edit::remove(jobs, job);
  edit.complaint = note("FailedDelete", "Deleted job: ", true);
  group.push_back(std::move(edit));
  tell(group, "SuccessfulDelete", fmt::format("Deleted job {}", objects::name_of(job)));
  drop_active(objects::uid_of(job));
}

Note CronJobLook::note(std::string_view reason, std::string message, bool warning) const {
  return {.resource = cron_jobs,
          .about = cron_job_,
          .warning = warning,
          .reason = std::string(reason),
          .message = std::move(message),
          .component = "cronjob-controller"};
}

void CronJobLook::tell(std::vector<Edit>& group, std::string_view reason, std::string message,
                       bool warning) const {
  group.push_back(Edit::record(note(reason, std::move(message), warning)));
}

}  // namespace

CronJobStep run_cron_job(const CronJobObserved& observed) {
  return CronJobLook(observed).step();
}

}  // namespace muster::core
