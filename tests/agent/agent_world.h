// AgentWorld: a node agent with pretend pods against the API server in process, on virtual time.
// Pods are created already bound, as tests of a node need them.
//
//   AgentWorld world;
//   world.create_pod("p", {.run_seconds = "2"});
//   world.pass_seconds(5);
//   EXPECT_EQ(world.phase("p"), "Succeeded");
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/node_agent.h"
#include "agent/pretend_runtime.h"
#include "objects/edit.h"
#include "objects/metadata.h"
#include "tests/suites/server_world.h"

namespace muster::agent {

namespace resources = objects::resources;
using objects::Value;
using objects::View;

// An Api that can be cut off: nothing passes, and every watch ends.
class FrailApi final : public client::Api {
 public:
  FrailApi(client::Api& inner, Executor& house) : inner_(inner), house_(house) {}

  void call(client::Call call, client::Answer answer) override {
    ++calls;
    if (lost || calls == lost_call) {
      const bool arrives = calls == lost_call && arrives_all_the_same;
      if (arrives) inner_.call(std::move(call), [](const Result<Value>&) {});
      house_.post([answer = std::move(answer)]() mutable {
        answer(Error{ErrorCode::unavailable, "the connection was lost"});
      });
      return;
    }
    inner_.call(std::move(call), std::move(answer));
  }

  std::unique_ptr<client::Watch> watch(client::WatchCall call, client::WatchSink sink) override {
    if (!lost) return inner_.watch(std::move(call), std::move(sink));
    house_.post([sink = std::move(sink)]() mutable {
      sink.on_closed(Error{ErrorCode::unavailable, "the connection was lost"});
    });
    return std::make_unique<client::Watch>();
  }

  bool lost = false;
  std::size_t calls = 0;
  std::size_t lost_call = 0;  // the number of a call whose answer is lost
  bool arrives_all_the_same = false;

 private:
  client::Api& inner_;
  Executor& house_;
};

struct PodWish {
  std::string run_seconds = {};  // empty: until it is stopped
  std::string exit_code = "0";
  std::string restart_policy = "Never";
  std::string node = "n1";       // empty: not bound
  std::string annotations = {};  // further ones: `,"k":"v"`
  std::string metadata = {};     // `,"finalizers":["x"]`
  std::string spec = {};         // `,"subdomain":"s"`
  std::string container = {};    // `,"env":[…]`
  bool is_received = true;       // it has an address
};

class AgentWorld {
 public:
  AgentWorld() {
    agent_api_ =
        server.server->in_process({.name = "system:node:all", .groups = {"system:masters"}});
    api.emplace(*agent_api_, server.house);
    NodeOptions n1 = parse_node_option("name=n1,cpu=8,memory=16Gi,nvidia.com/gpu=4").must();
    n1.address = "192.0.2.1";
    n1.pod_cidr = "10.64.1.0/24";
    NodeOptions n2 = n1;
    n2.name = "n2";
    nodes = {n1, n2};
    start_agent();
    settle();
  }

  void start_agent() {
    agent.emplace(NodeAgentOptions{.nodes = nodes}, *api,
                  client::House{server.house, server.clock, server.random}, runtime, files);
    agent->start();
  }
  void kill_agent() { agent.reset(); }
  void restart_agent() {
    kill_agent();
    start_agent();
    settle();
  }

  void settle() { server.time.run_for(Span::of_milliseconds(200)); }
  void pass_seconds(std::int64_t seconds) { server.time.run_for(Span::of_seconds(seconds)); }

  Value create_pod(std::string_view name, const PodWish& wish = {}) {
    const std::string run =
        wish.run_seconds.empty()
            ? ""
            : fmt::format(R"(,"muster.dev/pretend-run-seconds":"{}")", wish.run_seconds);
    const std::string node = wish.node.empty() ? "" : fmt::format(R"(,"nodeName":"{}")", wish.node);
    ++pods_;
    const std::string address =
        wish.is_received ? fmt::format(R"("muster.dev/pod-ip":"10.64.1.{}",)", pods_) : "";
    const std::string text = fmt::format(
        R"({{"metadata":{{"name":"{}","annotations":{{{}
            "muster.dev/pretend-exit-code":"{}"{}{}}}{}}},
            "spec":{{"restartPolicy":"{}",
                    "containers":[{{"name":"main","image":"trainer:1"{}}}]{}{}}}}})",
        name, address, wish.exit_code, run, wish.annotations, wish.metadata, wish.restart_policy,
        wish.container, node, wish.spec);
    return server
        .call_as(*agent_api_, {.verb = client::Verb::create,
                               .resource = resources::pods,
                               .name_space = "default",
                               .body = server::json(text)})
        .must();
  }

  void bind(std::string_view name, std::string_view node, std::string_view address = {}) {
    const std::string given =
        address.empty() ? ""
                        : fmt::format(R"(,"annotations":{{"muster.dev/pod-ip":"{}"}})", address);
    const std::string text =
        fmt::format(R"({{"metadata":{{"name":"{}"{}}},"target":{{"kind":"Node","name":"{}"}}}})",
                    name, given, node);
    server
        .call_as(*agent_api_, {.verb = client::Verb::create,
                               .resource = resources::pods,
                               .name_space = "default",
                               .name = std::string(name),
                               .subresource = "binding",
                               .body = server::json(text)})
        .must();
  }

  void delete_pod(std::string_view name, std::optional<std::int64_t> grace = {}) {
    server
        .call({.verb = client::Verb::remove,
               .resource = resources::pods,
               .name_space = "default",
               .name = std::string(name),
               .grace_period_seconds = grace})
        .must();
  }

  Value pod(std::string_view name) { return server.get(resources::pods, "default", name); }
  bool exists(std::string_view name) {
    return server.try_get(resources::pods, "default", name).has_value();
  }
  std::string phase(std::string_view name) {
    return std::string(pod(name)["status"]["phase"].string_or(""));
  }
  Value container(std::string_view name) {
    const Value found = pod(name);
    return Value::copy_of(found["status"]["containerStatuses"][std::size_t{0}]);
  }
  std::string version(std::string_view name) {
    return std::string(objects::resource_version_of(pod(name)));
  }

  // `reason: message` of every event about the pod, in the order of their writing.
  std::vector<std::string> events(std::string_view name) {
    std::vector<std::pair<std::uint64_t, std::string>> found;
    const Value list = server.list(resources::events, "default");
    for (View event : list["items"].elements()) {
      if (event["involvedObject"]["name"].string_or("") != name) continue;
      found.emplace_back(
          client::version_number(objects::resource_version_of(event)),
          fmt::format("{}: {}", event["reason"].string_or(""), event["message"].string_or("")));
    }
    std::sort(found.begin(), found.end());
    std::vector<std::string> lines;
    for (auto& [version, line] : found) lines.push_back(std::move(line));
    return lines;
  }

  std::uint64_t runs(const Value& pod) { return runtime.runs_of(objects::uid_of(pod)); }

  server::ServerWorld server;
  simulator::VirtualExecutor machine{server.time};
  PretendRuntime runtime{machine, server.clock};
  NoVolumeFiles files{server.house};
  std::vector<NodeOptions> nodes;
  std::optional<FrailApi> api;
  std::optional<NodeAgent> agent;

 private:
  std::unique_ptr<client::Api> agent_api_;
  int pods_ = 1;
};

}  // namespace muster::agent
