// AccessWorld: an API server with roles, tokens and a record, over a memory store on virtual time;
// and people who ask it as they would over HTTP: with a header, which says who they are.
//
//   AccessWorld world;
//   world.token("t-ann", {.name = "ann"});
//   EXPECT_EQ(world.ask({.method = "GET", .path = "/api/v1/pods"}, "Bearer t-ann").status, 403);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/json.h"
#include "server/api_server.h"
#include "server/authorization.h"
#include "server/status.h"
#include "simulator/seeded_random.h"
#include "simulator/virtual_disk.h"
#include "simulator/virtual_time.h"
#include "store/memory_store.h"
#include "tests/suites/response_text.h"

namespace muster::server {

class CapturedAudit final : public AuditSink {
 public:
  void write(AuditRecord record) override { lines.push_back(audit_line(record)); }

  std::vector<std::string> lines;
};

struct Told {
  int status = 0;
  std::string body;

  objects::Value json() const { return objects::parse_json(body).value_or(objects::Value()); }
  std::string message() const { return std::string(json()["message"].string_or("")); }
};

class AccessWorld {
 public:
  AccessWorld()
      : house(time),
        clock(time),
        random(1),
        signer(TokenSigner::of_key(TokenSigner::make_key().must().reveal()).must()),
        authenticator(clock, &signer),
        store(store::open_memory_store(house, {})) {
    authenticator.accept({.digest = digest_of("root"), .identity = admin_identity()}).must();
    restart();
  }

  void restart() {
    server.reset();
    server = std::make_unique<ApiServer>(*store, house, clock, random,
                                         ServerOptions{.role_based = true,
                                                       .signer = &signer,
                                                       .authenticator = &authenticator,
                                                       .authority_pem = "PEM",
                                                       .audit = &audit});
    server->load().must();
    settle();
  }

  void settle() { time.run_for(Span::of_milliseconds(200)); }

  void token(std::string_view text, Identity identity, std::optional<Instant> expires = {}) {
    authenticator
        .accept({.digest = digest_of(text), .identity = std::move(identity), .expires = expires})
        .must();
  }

  Told ask(Request request, std::string_view authorization = "Bearer root") {
    auto who = authenticator.authenticate({.authorization = authorization}, request.path);
    if (!who) return {401, objects::to_json(status_of(failures::unauthorized()))};
    request.identity = std::move(who->identity);
    request.bound = std::move(who->bound);
    if (!request.body.empty() && request.content_type.empty()) {
      request.content_type = "application/json";
    }
    std::optional<Response> response;
    server->handle(std::move(request), [&](Response made) { response.emplace(std::move(made)); });
    time.run_until([&] { return response.has_value(); });
    return {response->status, text_of(*response)};
  }

  Told get(std::string path, std::string_view authorization = "Bearer root") {
    std::string query;
    if (const std::size_t mark = path.find('?'); mark != std::string::npos) {
      query = path.substr(mark + 1);
      path.resize(mark);
    }
    return ask({.method = "GET", .path = std::move(path), .query = std::move(query)},
               authorization);
  }
  Told post(std::string path, std::string body, std::string_view authorization = "Bearer root") {
    return ask({.method = "POST", .path = std::move(path), .body = std::move(body)}, authorization);
  }
  Told as(std::string_view user, Request request) {
    request.impersonation.emplace_back("user", std::string(user));
    return ask(std::move(request));
  }

  simulator::VirtualTime time;
  simulator::VirtualExecutor house;
  simulator::VirtualClock clock;
  simulator::SeededRandom random;
  CapturedAudit audit;
  TokenSigner signer;
  Authenticator authenticator;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<ApiServer> server;
};

}  // namespace muster::server
