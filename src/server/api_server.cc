// SPDX-License-Identifier: Apache-2.0
#include "server/api_server.h"

#include <fmt/format.h>

#include <utility>

#include "objects/kind_registry.h"
#include "server/account_keeper.h"
#include "server/authorization.h"
#include "server/claim_protection.h"
#include "server/context.h"
#include "server/custom_kinds.h"
#include "server/disruption_keeper.h"
#include "server/garbage_collector.h"
#include "server/in_process_api.h"
#include "server/node_scope.h"
#include "server/object_cache.h"
#include "server/own_service.h"
#include "server/quota_book.h"
#include "server/request_handler.h"
#include "server/role_keeper.h"
#include "server/server_metrics.h"
#include "server/service_addresses.h"
#include "server/superseded_status.h"
#include "server/tree_cache.h"
#include "server/upkeep.h"
#include "server/webhooks.h"
#include "server/write.h"

namespace muster::server {

using objects::KindRegistry;
using objects::Value;

namespace {

constexpr std::string_view lasting_namespaces[] = {"default", "kube-system", "kube-public",
                                                   "kube-node-lease"};

struct SystemPriority {
  std::string_view name;
  std::int64_t value;
  std::string_view description;
};

constexpr SystemPriority system_priorities[] = {
    {"system-node-critical", 2'000'001'000,
     "For pods that the node they are on cannot do without."},
    {"system-cluster-critical", 2'000'000'000,
     "For pods that the whole cluster needs and that any node may run."}};

const MastersOnly masters_only;

// Compiled once for all servers of a process: a simulation makes thousands of them. Copies share
// the kinds.
const KindRegistry& built_in_kinds() {
  static const KindRegistry kinds = KindRegistry::built_in().must();
  return kinds;
}

std::string address_of(const ServiceAddress& service) {
  return service.address.empty() ? "" : fmt::format("{}:{}", service.address, service.port);
}

}  // namespace

struct ApiServer::Parts {
  Parts(store::Store& store, Executor& house, Clock& clock, Random& random,
        const ServerOptions& options)
      : registry(built_in_kinds()),
        cache(store, registry, trees),
        context{.store = store,
                .house = house,
                .clock = clock,
                .random = random,
                .registry = registry,
                .kind_changes = kind_changes,
                .trees = trees,
                .cache = cache,
                .authorizer = choose_authorizer(options),
                .roles = roles,
                .logs = options.logs,
                .signer = options.signer,
                .authority = options.authority,
                .authenticator = options.authenticator,
                .audit = options.audit,
                .address = address_of(options.own_service),
                .log = options.log},
        handler(context),
        custom_kinds(context, registry),
        collector(context),
        superseded(context),
        upkeep(context),
        quota(context),
        protection(context),
        disruption(context),
        webhooks(context, options.webhooks),
        metrics(options.metrics == nullptr ? own_metrics : *options.metrics),
        role_keeper(context, roles),
        account_keeper(context, {.authority_pem = options.authority_pem,
                                 .authenticator = options.authenticator}),
        own_service(context, options.own_service),
        service_addresses(context, options.service_cidr),
        in_parallel(options.in_parallel),
        role_based(options.role_based) {
    context.quota = &quota;
    context.webhooks = &webhooks;
    context.service_addresses = &service_addresses;
    context.metrics = &metrics;
  }

  const Authorizer& choose_authorizer(const ServerOptions& options) const;
  void start();
  void ensure_namespace(std::string_view name);
  void ensure_priority_class(const SystemPriority& system);
  void ensure(const objects::KindRegistry::Found& kind, std::string_view name, Value body);

  KindRegistry registry;
  KindChanges kind_changes;
  std::shared_ptr<TreeCache> shared_trees = std::make_shared<TreeCache>();
  TreeCache& trees = *shared_trees;
  ObjectCache cache;
  RoleIndex roles;
  CachedNodeScope node_scope{registry, cache, trees};
  RoleAuthorizer role_authorizer{roles, &node_scope};
  Context context;
  RequestHandler handler;
  CustomKinds custom_kinds;
  GarbageCollector collector;
  SupersededStatus superseded;
  Upkeep upkeep;
  QuotaBook quota;
  ClaimProtection protection;
  DisruptionKeeper disruption;
  Webhooks webhooks;
  MetricRegistry own_metrics;
  ServerMetrics metrics;
  RoleKeeper role_keeper;
  AccountKeeper account_keeper;
  OwnService own_service;
  ServiceAddresses service_addresses;
  InParallel in_parallel;
  bool role_based;
};

const Authorizer& ApiServer::Parts::choose_authorizer(const ServerOptions& options) const {
  if (options.authorizer != nullptr) return *options.authorizer;
  if (options.role_based) return role_authorizer;
  return masters_only;
}

void ApiServer::Parts::start() {
  custom_kinds.start();
  collector.start();
  superseded.start();
  upkeep.start();
  quota.start();
  service_addresses.start();
  protection.start();
  disruption.start();
  cache.set_on_change([this](const CacheChange& change) {
    custom_kinds.on_change(change);
    collector.on_change(change);
    superseded.on_change(change);
    upkeep.on_change(change);
    quota.on_change(change);
    service_addresses.on_change(change);
    protection.on_change(change);
    disruption.on_change(change);
    role_keeper.on_change(change);
    if (role_based) account_keeper.on_change(change);
    own_service.on_change(change);
  });
}

void ApiServer::Parts::ensure_namespace(std::string_view name) {
  ensure(registry.find_resource("", "namespaces"), name,
         Value::object({{"metadata", Value::object({{"name", Value::string(name)}})}}));
}

void ApiServer::Parts::ensure_priority_class(const SystemPriority& system) {
  ensure(registry.find_resource("scheduling.k8s.io", "priorityclasses"), system.name,
         Value::object({{"metadata", Value::object({{"name", Value::string(system.name)}})},
                        {"value", Value::integer(system.value)},
                        {"description", Value::string(system.description)}}));
}

// Made by nobody: it is the server's own.
void ApiServer::Parts::ensure(const objects::KindRegistry::Found& kind, std::string_view name,
                              Value body) {
  if (cache.find(*kind, "", name) != nullptr) return;
  create(context,
         {.target = {.kind = kind, .version = &kind->storage_version()}, .body = std::move(body)},
         [log = context.log, named = std::string(name)](const Outcome<Written>& written) {
           if (written) return;
           log.warning("not made", {{"name", named}, {"why", written.error().message}});
         });
}

ApiServer::ApiServer(store::Store& store, Executor& house, Clock& clock, Random& random,
                     const ServerOptions& options)
    : parts_(std::make_unique<Parts>(store, house, clock, random, options)) {}

ApiServer::~ApiServer() = default;

Result<> ApiServer::load() {
  parts_->trees.keep_all();
  TRY(parts_->custom_kinds.load());
  TRY(parts_->cache.load(parts_->in_parallel));
  parts_->trees.keep_loaded();  // until upkeep, which is after everybody in the house has listed
  parts_->start();
  for (const std::string_view name : lasting_namespaces) parts_->ensure_namespace(name);
  for (const SystemPriority& system : system_priorities) parts_->ensure_priority_class(system);
  parts_->role_keeper.start(parts_->role_based);
  if (parts_->role_based) parts_->account_keeper.start();
  parts_->own_service.start();
  return {};
}

void ApiServer::set_logs(PodLogs* logs) {
  parts_->context.logs = logs;
}

void ApiServer::set_streams(PodStreams* streams) {
  parts_->context.streams = streams;
}

void ApiServer::set_queues(const core::ClusterState* queues) {
  parts_->handler.set_queues(queues);
}

void ApiServer::set_usage(const UsageSource* usage) {
  parts_->handler.set_usage(usage);
}

void ApiServer::handle(Request request, Respond respond) {
  parts_->handler.handle(std::move(request), std::move(respond));
}

std::unique_ptr<client::Api> ApiServer::in_process(Identity identity) {
  return make_in_process_api(parts_->context, std::move(identity));
}

}  // namespace muster::server
