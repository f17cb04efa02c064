// HttpsApi: a Kubernetes API over HTTPS. Calls share a pool of kept connections; each watch has
// one of its own. HTTP, TLS and JSON are done on the one thread that calls run(); answers and
// events come on the house executor.
//
//   auto api = TRY(HttpsApi::make(access, {.house = house}));      // access: client/kubeconfig.h
//   std::jthread network([&] { api->run(); });                     // in main/
//   api->call({.verb = Verb::list, .resource = resources::jobs}, [](Result<Value> jobs) { … });
//   api->stop();                                                   // what is owed fails
//
// Assumes: as api.h says; made, called and destroyed on the house thread, destroyed after run()
// has returned. A connection that is lost is `unavailable`; only a read on a kept connection that
// the server had closed is asked again. A server that is too busy is too_many_requests: when to
// try again is the caller's. A house that is slow pauses its watches after a window.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/executor.h"
#include "base/result.h"
#include "client/api.h"
#include "client/https/limits.h"
#include "client/kubeconfig.h"

namespace muster::client {

struct HttpsOptions {
  Executor& house;
  std::string user_agent = "muster";
  HttpsLimits limits = {};
};

class HttpsApi final : public Api {
 public:
  static Result<std::unique_ptr<HttpsApi>> make(const ClusterAccess& access, HttpsOptions options);
  HttpsApi(const HttpsApi&) = delete;
  HttpsApi& operator=(const HttpsApi&) = delete;
  ~HttpsApi() override;

  void call(Call call, Answer answer) override;
  std::unique_ptr<Watch> watch(WatchCall call, WatchSink sink) override;

  // Serves until stop(). Once.
  void run();

  // From any thread.
  void stop();

  struct Core;

 private:
  explicit HttpsApi(std::shared_ptr<Core> core);

  std::shared_ptr<Core> core_;
};

}  // namespace muster::client
