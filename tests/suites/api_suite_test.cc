// SPDX-License-Identifier: Apache-2.0
#include "tests/suites/api_suite.h"

#include <cstdlib>

#include "base/os/files.h"
#include "server/authorization.h"
#include "simulator/seeded_random.h"
#include "simulator/virtual_time.h"
#include "tests/suites/https_world.h"

namespace muster::suites {
namespace {

// Our server in process, on virtual time.
class InProcessWorld final : public ApiWorld {
 public:
  InProcessWorld()
      : house_(time_),
        clock_(time_),
        random_(1),
        store_(store::open_memory_store(house_)),
        server_(*store_, house_, clock_, random_, {}) {
    server_.load().must();
    api_ = server_.in_process(server::admin_identity());
    time_.run_for(Span::of_seconds(1));
  }

  client::Api& api() override { return *api_; }
  void on_house(UniqueFunction<void()> body) override { body(); }

  // Some of the server's own timers never end, so steps are counted.
  bool run_until(UniqueFunction<bool()> condition) override {
    for (int step = 0; step < 100'000; ++step) {
      if (condition()) return true;
      if (!time_.step()) return false;
    }
    return false;
  }

  bool compact() override {
    bool is_done = false;
    store_->compact(store_->revision(), [&](Result<> result) { is_done = result.has_value(); });
    return run_until([&] { return is_done; });
  }

  std::string name_space() override { return "default"; }

 private:
  simulator::VirtualTime time_;
  simulator::VirtualExecutor house_;
  simulator::VirtualClock clock_;
  simulator::SeededRandom random_;
  std::unique_ptr<store::Store> store_;
  server::ApiServer server_;
  std::unique_ptr<client::Api> api_;
};

// Whatever MUSTER_SUITE_KUBECONFIG leads to: a real kube-apiserver, by hand.
class KubeconfigWorld final : public ApiWorld {
 public:
  explicit KubeconfigWorld(const std::string& path) {
    const std::string text = read_whole_file(path, client::kubeconfig_bytes_max).must();
    const std::string folder = path.substr(0, path.rfind('/'));
    const client::ClusterAccess access =
        client::read_kubeconfig(text, {.folder = folder}, [](const std::string& file) {
          return read_whole_file(file, client::kubeconfig_bytes_max);
        }).must();
    api_ = client::HttpsApi::make(access, {.house = house_}).must();
    house_thread_ = std::jthread([this] { house_.run(); });
    network_thread_ = std::jthread([this] { api_->run(); });
  }

  ~KubeconfigWorld() override {
    bool is_gone = false;
    on_house([&] {
      api_->call({.verb = client::Verb::remove,
                  .resource = objects::resources::namespaces,
                  .name = space_},
                 [&](const Result<objects::Value>&) { is_gone = true; });
    });
    run_until([&] { return is_gone; });
    api_->stop();
    network_thread_.join();
    on_house([&] { api_.reset(); });
    house_.stop();
  }

  client::Api& api() override { return *api_; }

  void on_house(UniqueFunction<void()> body) override {
    std::promise<void> done;
    house_.post([&] {
      body();
      done.set_value();
    });
    done.get_future().wait();
  }

  bool run_until(UniqueFunction<bool()> condition) override {
    return poll_until(std::move(condition),
                      [this](UniqueFunction<void()> body) { on_house(std::move(body)); });
  }

  bool compact() override { return false; }

  std::string name_space() override {
    space_ = "suite-" + std::to_string(random_.next() % 1'000'000'000);
    bool is_made = false;
    on_house([&] {
      api_->call(
          {.verb = client::Verb::create,
           .resource = objects::resources::namespaces,
           .body = objects::parse_json(R"({"metadata":{"name":")" + space_ + R"("}})").must()},
          [&](const Result<objects::Value>& result) { is_made = result.has_value(); });
    });
    EXPECT_TRUE(run_until([&] { return is_made; }));
    return space_;
  }

 private:
  EventLoop house_;
  SystemRandom random_;
  std::string space_;
  std::unique_ptr<client::HttpsApi> api_;
  std::jthread house_thread_;
  std::jthread network_thread_;
};

std::unique_ptr<ApiWorld> in_process() {
  return std::make_unique<InProcessWorld>();
}

std::unique_ptr<ApiWorld> https() {
  return std::make_unique<HttpsWorld>();
}

std::unique_ptr<ApiWorld> kubeconfig() {
  return std::make_unique<KubeconfigWorld>(std::getenv("MUSTER_SUITE_KUBECONFIG"));
}

std::vector<ApiWorldFactory> worlds() {
  std::vector<ApiWorldFactory> all = {&in_process, &https};
  if (std::getenv("MUSTER_SUITE_KUBECONFIG") != nullptr) all.push_back(&kubeconfig);
  return all;
}

std::string name_of_world(const ::testing::TestParamInfo<ApiWorldFactory>& info) {
  if (info.param == &in_process) return "in_process";
  return info.param == &https ? "https" : "kubeconfig";
}

INSTANTIATE_TEST_SUITE_P(every, ApiSuite, ::testing::ValuesIn(worlds()), name_of_world);

}  // namespace
}  // namespace muster::suites
