// ServerWorld: an API server over a memory store on virtual time, for tests. Calls run the world
// until their answer is there.
//
//   ServerWorld world;
//   Value made = world.create(resources::config_maps, "default", R"({"metadata":{"name":"a"}})");
//   EXPECT_EQ(world.get(resources::config_maps, "default", "a"), made);
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
#include "simulator/seeded_random.h"
#include "simulator/virtual_time.h"
#include "store/memory_store.h"
#include "tests/suites/response_text.h"

namespace muster::server {

inline objects::Value json(std::string_view text) {
  return objects::parse_json(text).must();
}

// What a watch has seen, one line an event: "ADDED a/x 12".
struct SeenEvents {
  std::vector<client::WatchEvent> events;
  std::optional<Error> closed;
  std::unique_ptr<client::Watch> watch;

  std::vector<std::string> lines() const;
};

class ServerWorld {
 public:
  using Call = client::Call;
  using Verb = client::Verb;
  using Resource = objects::Resource;
  using Value = objects::Value;

  explicit ServerWorld(store::StoreOptions options = {})
      : house(time),
        clock(time),
        random(1),
        store(store::open_memory_store(house, std::move(options))) {
    restart();
  }

  // A new server on the same store, as after a restart of the process.
  void restart() {
    api.reset();
    server.reset();
    server = std::make_unique<ApiServer>(*store, house, clock, random, ServerOptions{});
    server->load().must();
    api = server->in_process({.name = "admin", .groups = {"system:masters"}});
    time.run_for(Span::of_milliseconds(10));
  }

  Result<Value> call(Call call) { return call_as(*api, std::move(call)); }

  Result<Value> call_as(client::Api& caller, Call call) {
    std::optional<Result<Value>> answer;
    caller.call(std::move(call), [&](Result<Value> result) { answer.emplace(std::move(result)); });
    EXPECT_FALSE(answer.has_value()) << "answered from inside the call";
    time.run_until([&] { return answer.has_value(); });
    return std::move(*answer);
  }

  Result<Value> try_create(const Resource& resource, std::string_view name_space,
                           std::string_view body) {
    return call({.verb = Verb::create,
                 .resource = resource,
                 .name_space = std::string(name_space),
                 .body = json(body)});
  }
  Value create(const Resource& resource, std::string_view name_space, std::string_view body) {
    return try_create(resource, name_space, body).must();
  }
  Result<Value> try_get(const Resource& resource, std::string_view name_space,
                        std::string_view name) {
    return call({.verb = Verb::get,
                 .resource = resource,
                 .name_space = std::string(name_space),
                 .name = std::string(name)});
  }
  Value get(const Resource& resource, std::string_view name_space, std::string_view name) {
    return try_get(resource, name_space, name).must();
  }
  Value list(const Resource& resource, std::string_view name_space = {},
             std::string_view labels = {}, std::string_view fields = {}) {
    return call({.verb = Verb::list,
                 .resource = resource,
                 .name_space = std::string(name_space),
                 .label_selector = std::string(labels),
                 .field_selector = std::string(fields)})
        .must();
  }
  Result<Value> try_patch(const Resource& resource, std::string_view name_space,
                          std::string_view name, std::string_view patch,
                          std::string_view subresource = {}) {
    return call({.verb = Verb::patch,
                 .resource = resource,
                 .name_space = std::string(name_space),
                 .name = std::string(name),
                 .subresource = std::string(subresource),
                 .body = json(patch)});
  }
  Result<Value> try_update(const Resource& resource, const Value& body,
                           std::string_view subresource = {}) {
    return call({.verb = Verb::update,
                 .resource = resource,
                 .name_space = std::string(body["metadata"]["namespace"].string_or("")),
                 .name = std::string(body["metadata"]["name"].string_or("")),
                 .subresource = std::string(subresource),
                 .body = body});
  }
  Result<Value> try_remove(const Resource& resource, std::string_view name_space,
                           std::string_view name) {
    return call({.verb = Verb::remove,
                 .resource = resource,
                 .name_space = std::string(name_space),
                 .name = std::string(name)});
  }

  // As a transport: by an administrator unless the request names somebody.
  Response send(Request request) {
    if (request.identity.name.empty()) {
      request.identity = {.name = "admin", .groups = {"system:masters"}};
    }
    std::optional<Response> answer;
    server->handle(std::move(request),
                   [&](Response response) { answer.emplace(std::move(response)); });
    EXPECT_FALSE(answer.has_value()) << "answered from inside the call";
    time.run_until([&] { return answer.has_value(); });
    return std::move(*answer);
  }
  Response send(std::string_view method, std::string_view target, std::string_view body = {},
                std::string_view content_type = "application/json") {
    const std::size_t mark = target.find('?');
    return send({.method = std::string(method),
                 .path = std::string(target.substr(0, mark)),
                 .query = std::string(mark == std::string_view::npos ? std::string_view()
                                                                     : target.substr(mark + 1)),
                 .content_type = std::string(content_type),
                 .body = std::string(body)});
  }

  void settle() { time.run_for(Span::of_seconds(1)); }

  std::unique_ptr<SeenEvents> watch(client::WatchCall call) {
    auto seen = std::make_unique<SeenEvents>();
    SeenEvents* sink = seen.get();
    seen->watch = api->watch(
        std::move(call),
        {.on_event = [sink](client::WatchEvent event) { sink->events.push_back(std::move(event)); },
         .on_closed = [sink](Error error) { sink->closed = std::move(error); }});
    return seen;
  }

  simulator::VirtualTime time;
  simulator::VirtualExecutor house;
  simulator::VirtualClock clock;
  simulator::SeededRandom random;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<ApiServer> server;
  std::unique_ptr<client::Api> api;
};

inline std::vector<std::string> SeenEvents::lines() const {
  static constexpr std::string_view names[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"};
  std::vector<std::string> out;
  for (const client::WatchEvent& event : events) {
    out.push_back(std::string(names[static_cast<std::size_t>(event.type)]) + " " +
                  std::string(event.object["metadata"]["name"].string_or("")));
  }
  return out;
}

}  // namespace muster::server
