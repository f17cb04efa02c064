// ApiServer: a Kubernetes API over one store. Transports hand it authenticated requests; the
// controllers and agents of the same process use in_process(), which takes the same road through
// authorisation, admission and the verbs, without text in between.
//
//   ApiServer server(store, house, clock, random, {.authorizer = &authorizer, .logs = &logs});
//   TRY(server.load());
//   server.handle(std::move(request), [](Response response) { … });
//   std::unique_ptr<client::Api> api = server.in_process({.name = "system:muster:control", …});
//
// Assumes: everything happens on the house thread; the store outlives the server, the server every
// Stream, Api and Watch that came from it. An answer never comes from inside the call.
//
//   handle ─► route ─► authorise ─► decode ─► verb (Value level) ─► encode ─► Response
//                                               ▲        │
//   in_process ──────► authorise ───────────────┘        └─► admission ─► store ─► watchers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/executor.h"
#include "base/in_parallel.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/result.h"
#include "client/api.h"
#include "server/audit.h"
#include "server/authentication.h"
#include "server/authorizer.h"
#include "server/own_service.h"
#include "server/pod_logs.h"
#include "server/pod_streams.h"
#include "server/request.h"
#include "server/usage.h"
#include "server/webhook_transport.h"
#include "store/store.h"

namespace muster::core {
class ClusterState;
}

namespace muster::server {

struct ServerOptions {
  const Authorizer* authorizer = nullptr;   // null: system:masters alone, or as roles say
  bool role_based = false;                  // roles and bindings decide, and default ones are kept
  PodLogs* logs = nullptr;                  // null: there are none
  WebhookTransport* webhooks = nullptr;     // null: nobody can be asked
  MetricRegistry* metrics = nullptr;        // null: the server has one of its own
  const TokenSigner* signer = nullptr;      // null: service accounts have no tokens
  Authenticator* authenticator = nullptr;   // is given the tokens that are kept as Secrets
  std::string authority_pem = {};           // who vouches for this server, told to every namespace
  const CertifiedKey* authority = nullptr;  // null: requests for certificates stay unsigned
  ServiceAddress own_service = {};          // where pods find this server; empty: nowhere
  std::string service_cidr = "10.96.0.0/16";  // where Services get their addresses
  InParallel in_parallel = one_by_one;        // for what must be read before anybody is served
  AuditSink* audit = nullptr;                 // null: nobody keeps a record of who changed what
  Log log = Log::silent();
};

class ApiServer {
 public:
  ApiServer(store::Store& store, Executor& house, Clock& clock, Random& random,
            const ServerOptions& options);
  ApiServer(const ApiServer&) = delete;
  ApiServer& operator=(const ApiServer&) = delete;
  ~ApiServer();

  // Reads the store, and starts what runs by itself: garbage collection, the end of old events,
  // compaction. The namespaces that always exist are written if they do not; they may appear a
  // moment later.
  Result<> load();

  // Where the logs come from may be known only after the agents are made.
  void set_logs(PodLogs* logs);
  void set_streams(PodStreams* streams);
  void set_usage(const UsageSource* usage);
  // Must stay until another is set; null: nobody decides about queues here.
  void set_queues(const core::ClusterState* queues);

  void handle(Request request, Respond respond);

  std::unique_ptr<client::Api> in_process(Identity identity);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace muster::server
