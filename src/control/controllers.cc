// SPDX-License-Identifier: Apache-2.0
#include "control/controllers.h"

#include <array>
#include <optional>
#include <utility>

#include "client/object_cache.h"
#include "control/apps_loops.h"
#include "control/cron_job_loop.h"
#include "control/events.h"
#include "control/job_loop.h"
#include "control/kueue_metrics.h"
#include "control/live_configuration.h"
#include "control/node_loop.h"
#include "control/provisioning_loop.h"
#include "control/queue_status_loop.h"
#include "control/queueing_loop.h"
#include "control/record.h"
#include "control/scheduling_loop.h"
#include "control/unserved_loop.h"
#include "control/workload_loop.h"
#include "control/writer.h"
#include "core/lifecycle/run_cron_job.h"
#include "core/lifecycle/run_unserved.h"
#include "core/queueing/provision.h"
#include "objects/resource.h"

namespace muster::control {

namespace {

namespace resources = objects::resources;

// What queueing and queue status read beyond what decisions depend on.
constexpr std::array queueing_resources = {
    resources::jobs,
    resources::workload_priority_classes,
};

std::vector<client::Selection> selections_for(Role role) {
  std::vector<client::Selection> selections;
  for (const objects::Resource& each : scheduled_resources()) selections.push_back({each});
  for (const objects::Resource& each : queueing_resources) selections.push_back({each});
  selections.push_back(LiveConfiguration::selection());
  if (role == Role::embedded) {
    for (const objects::Resource& each : AppsLoops::resources()) selections.push_back({each});
    selections.push_back({core::cron_jobs});
    selections.push_back(
        {.resource = resources::leases, .name_space = std::string(NodeLoop::lease_namespace)});
    // Elsewhere the kind may not be installed, and an autoscaler answers.
    selections.push_back({core::provisioning_requests});
    selections.push_back({core::provisioning_request_configs});
    selections.push_back({core::pod_templates});
    for (const objects::Resource& each : core::unserved_kinds()) selections.push_back({each});
  }
  return selections;
}

}  // namespace

struct Controllers::Parts {
  Parts(client::Api& api, client::House house, ControlOptions options_in)
      : options(std::move(options_in)),
        metrics(options.metrics == nullptr ? own_metrics : *options.metrics),
        cache(api, house, selections_for(options.role)),
        events(api, house),
        writer(api, cache, events, metrics, options.log),
        record(record_for(options, house)),
        configuration(cache, events, options.policy.kueue),
        scheduling(house, cache, writer, options.policy, record.get()),
        queueing(house, cache, writer, configuration),
        workloads(house, cache, writer, configuration),
        queue_status(house, cache, writer, scheduling.state()),
        kueue_metrics(house, cache, metrics, scheduling.state(), queue_status) {
    configuration.when_changed([this] { scheduling.configure(configuration.current()); });
    scheduling.when_configured([this] { queue_status.mark_all_queues(); });
    scheduling.when_cycled(
        [this](const core::Plan& plan, Span took) { kueue_metrics.on_cycle(plan, took); });
    cache.when_troubled([this](const objects::Resource& resource, const Error& error) {
      log_trouble(resource, error);
    });
    if (options.role == Role::embedded) {
      jobs.emplace(house, cache, writer);
      cron_jobs.emplace(house, cache, writer, options.time_zones);
      nodes.emplace(house, cache, writer);
      apps.emplace(house, cache, writer);
      unserved.emplace(house, cache, writer);
      provisioning.emplace(house, cache, writer, ProvisioningLoop::Provider::embedded);
    }
  }

  static std::unique_ptr<RecordFile> record_for(const ControlOptions& options,
                                                client::House house) {
    if (options.record_folder.empty()) return nullptr;
    CHECK(options.disk != nullptr);
    return std::make_unique<RecordFile>(*options.disk, house.executor,
                                        RecordOptions{.folder = options.record_folder});
  }

  void log_trouble(const objects::Resource& resource, const Error& error) const {
    const LogField about{"resource", resource.plural};
    if (error.code == ErrorCode::not_found) {
      options.log.warning("a kind is not installed: muster crds | kubectl apply --server-side -f -",
                          {about});
    } else {
      options.log.warning("a resource cannot be followed", {about, {"error", error.message}});
    }
  }

  void start_loops() {
    kueue_metrics.start();
    options.log.info("controllers have synced", {{"events", scheduling.events()}});
    queueing.start();
    workloads.start();
    scheduling.start();
    if (jobs) jobs->start();
    if (cron_jobs) cron_jobs->start();
    if (nodes) nodes->start();
    if (apps) apps->start();
    if (unserved) unserved->start();
    if (provisioning) provisioning->start();
    queue_status.start();
  }

  ControlOptions options;
  MetricRegistry own_metrics;
  MetricRegistry& metrics;
  client::ObjectCache cache;
  EventRecorder events;
  Writer writer;
  std::unique_ptr<RecordFile> record;
  LiveConfiguration configuration;
  // The scheduler hears of a change first: what it decides is the longest way.
  SchedulingLoop scheduling;
  QueueingLoop queueing;
  WorkloadLoop workloads;
  QueueStatusLoop queue_status;
  KueueMetrics kueue_metrics;
  std::optional<JobLoop> jobs;
  std::optional<CronJobLoop> cron_jobs;
  std::optional<NodeLoop> nodes;
  std::optional<AppsLoops> apps;
  std::optional<UnservedLoop> unserved;
  std::optional<ProvisioningLoop> provisioning;
};

Controllers::Controllers(client::Api& api, Executor& house, const Clock& clock, Random& random,
                         ControlOptions options)
    : parts_(
          std::make_unique<Parts>(api, client::House{house, clock, random}, std::move(options))) {}

Controllers::~Controllers() {
  stop();
}

void Controllers::start() {
  parts_->cache.when_synced([parts = parts_.get()] { parts->start_loops(); });
  parts_->cache.start();
}

void Controllers::stop() {
  parts_->cache.stop();
  parts_->writer.stop();
  parts_->scheduling.stop();
  parts_->queueing.stop();
  parts_->workloads.stop();
  parts_->queue_status.stop();
  if (parts_->jobs) parts_->jobs->stop();
  if (parts_->cron_jobs) parts_->cron_jobs->stop();
  if (parts_->nodes) parts_->nodes->stop();
  if (parts_->apps) parts_->apps->stop();
  if (parts_->unserved) parts_->unserved->stop();
  if (parts_->provisioning) parts_->provisioning->stop();
}

bool Controllers::has_synced() const {
  return parts_->cache.has_synced();
}

bool Controllers::is_idle() const {
  const Parts& parts = *parts_;
  return has_synced() && parts.writer.is_idle() && parts.scheduling.is_idle() &&
         parts.queueing.is_idle() && parts.workloads.is_idle() && parts.queue_status.is_idle() &&
         (!parts.jobs || parts.jobs->is_idle()) &&
         (!parts.cron_jobs || parts.cron_jobs->is_idle()) &&
         (!parts.nodes || parts.nodes->is_idle()) && (!parts.apps || parts.apps->is_idle()) &&
         (!parts.unserved || parts.unserved->is_idle()) &&
         (!parts.provisioning || parts.provisioning->is_idle());
}

ControlStatistics Controllers::statistics() const {
  const Parts& parts = *parts_;
  return {.events = parts.scheduling.events(),
          .cycles = parts.scheduling.cycles(),
          .writes = parts.writer.counts().written,
          .refused = parts.writer.counts().refused,
          .notes = parts.events.recorded()};
}

const core::ClusterState& Controllers::state() const {
  return parts_->scheduling.state();
}

std::vector<std::string> Controllers::troubles() const {
  return parts_->cache.troubles();
}

}  // namespace muster::control
