// Context: what every verb works with. One per server; the verbs are functions over it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "base/log.h"
#include "base/random.h"
#include "objects/kind_registry.h"
#include "server/authorizer.h"
#include "server/kind_changes.h"
#include "server/object_cache.h"
#include "server/pod_logs.h"
#include "server/pod_streams.h"
#include "server/role_index.h"
#include "server/tree_cache.h"
#include "store/store.h"

namespace muster::server {

class QuotaBook;
class ServerMetrics;
class ServiceAddresses;
class Webhooks;
class AuditSink;
class Authenticator;
class TokenSigner;
struct CertifiedKey;

struct Context {
  store::Store& store;
  Executor& house;
  Clock& clock;
  Random& random;
  const objects::KindRegistry& registry;  // changes while serving: ask it, and hold what it gives
  KindChanges& kind_changes;
  TreeCache& trees;
  ObjectCache& cache;
  const Authorizer& authorizer;
  const RoleIndex& roles;
  PodLogs* logs = nullptr;
  QuotaBook* quota = nullptr;
  Webhooks* webhooks = nullptr;
  ServiceAddresses* service_addresses = nullptr;
  ServerMetrics* metrics = nullptr;
  PodStreams* streams = nullptr;
  const TokenSigner* signer = nullptr;           // null: service accounts have no tokens
  const CertifiedKey* authority = nullptr;       // null: requests for certificates stay unsigned
  const Authenticator* authenticator = nullptr;  // null: nobody knows a token
  AuditSink* audit = nullptr;                    // null: nobody keeps a record
  std::string address = {};                      // "10.71.0.1:443"; empty: pods do not reach us
  Log log = Log::silent();
};

}  // namespace muster::server
