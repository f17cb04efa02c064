// HttpsWorld: our API server behind its HTTPS listener, and a client that speaks to it, on real
// threads: a house for server and client, one network thread each.
//
//   HttpsWorld world;
//   world.on_house([&] { world.api().call(…); });
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/os/system_random.h"
#include "client/https/https_api.h"
#include "server/api_server.h"
#include "store/memory_store.h"
#include "tests/suites/api_world.h"
#include "tests/suites/served_listener.h"

namespace muster::suites {

// Polls the condition on the house thread, with a generous end.
inline bool poll_until(UniqueFunction<bool()> condition,
                       UniqueFunction<void(UniqueFunction<void()>)> on_house) {
  for (int round = 0; round < 20'000; ++round) {
    bool holds = false;
    on_house([&] { holds = condition(); });
    if (holds) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  return false;
}

class HttpsWorld final : public ApiWorld {
 public:
  explicit HttpsWorld(server::HttpLimits limits = {}, client::HttpsLimits client_limits = {})
      : served_([this](server::Request request,
                       server::Respond respond) { handle(std::move(request), std::move(respond)); },
                limits) {
    served_.on_house([&] {
      store_ = store::open_memory_store(served_.house());
      server_ = std::make_unique<server::ApiServer>(*store_, served_.house(), clock_, random_,
                                                    server::ServerOptions{});
      server_->load().must();
      connect(client_limits);
    });
    network_ = std::jthread([api = api_.get()] { api->run(); });
  }

  ~HttpsWorld() override {
    api_->stop();
    network_.join();
    served_.stop();
    served_.on_house([&] {
      api_.reset();
      server_.reset();
      store_.reset();
    });
  }

  // An administrator's.
  client::ClusterAccess access() const {
    client::ClusterAccess access{.context = "test", .server = "https://" + served_.address()};
    access.authority_pem = served_.authority().certificate_pem;
    access.token = Secret(std::string("good"));
    return access;
  }

  client::Api& api() override { return *api_; }
  server::Served& served() { return served_; }

  void on_house(UniqueFunction<void()> body) override { served_.on_house(std::move(body)); }

  bool run_until(UniqueFunction<bool()> condition) override {
    return poll_until(std::move(condition),
                      [this](UniqueFunction<void()> body) { on_house(std::move(body)); });
  }

  bool compact() override {
    bool is_done = false;
    on_house([&] {
      store_->compact(store_->revision(), [&](Result<> result) { is_done = result.has_value(); });
    });
    return run_until([&] { return is_done; });
  }

  // `default` always exists, but may appear a moment after load().
  std::string name_space() override {
    bool exists = false;
    run_until([&, is_asked = false]() mutable {
      if (!exists && !is_asked) {  // no answer may come after this function
        is_asked = true;
        api_->call({.verb = client::Verb::get,
                    .resource = objects::resources::namespaces,
                    .name = "default"},
                   [&](Result<objects::Value> result) {
                     exists = result.has_value();
                     is_asked = false;
                   });
      }
      return exists;
    });
    return "default";
  }

 private:
  void handle(server::Request request, server::Respond respond) {
    server_->handle(std::move(request), std::move(respond));
  }

  void connect(client::HttpsLimits limits) {
    api_ = client::HttpsApi::make(access(), {.house = served_.house(), .limits = limits}).must();
  }

  SystemClock clock_;
  SystemRandom random_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<server::ApiServer> server_;
  std::unique_ptr<client::HttpsApi> api_;
  server::Served served_;
  std::jthread network_;
};

}  // namespace muster::suites
