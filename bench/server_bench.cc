// SPDX-License-Identifier: Apache-2.0
// The API server beside the limits of this machine, in one process: durable creates of 6 KB pods by
// 64 clients beside the bare store writing the same bytes, lists and watches beside a bare copy of
// what is sent.
//
//   server_bench [FOLDER]          where the store goes (default: the working folder)
//   server_bench posts             only what a POST of a pod costs the house thread
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/os/event_loop.h"
#include "base/os/system_clock.h"
#include "base/os/system_disk.h"
#include "base/os/system_random.h"
#include "bench/load_pod.h"
#include "bench/sample_pod.h"
#include "objects/edit.h"
#include "objects/json.h"
#include "server/api_server.h"
#include "store/memory_store.h"
#include "store/sqlite_store.h"

namespace muster::server {
namespace {

using Stopwatch = std::chrono::steady_clock;
using objects::Value;

constexpr int clients = 64;
constexpr int writes = 10'000;
constexpr int watchers = 1'000;
constexpr int repetitions = 5;

double since(Stopwatch::time_point began) {
  return std::chrono::duration<double>(Stopwatch::now() - began).count();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// A server on this thread, the lanes of its disk on two others.
class House {
 public:
  explicit House(const std::string& folder)
      : commit_([this] { disk_.lane(DiskLane::commit).run(); }),
        background_([this] { disk_.lane(DiskLane::background).run(); }) {
    std::filesystem::remove_all(folder);
    store = store::open_sqlite_store(disk_, loop, folder, {}).must();
    server = std::make_unique<ApiServer>(*store, loop, clock, random, ServerOptions{});
    server->load().must();
    api = server->in_process({.name = "bench", .groups = {"system:masters"}});
    // Answered after the namespaces that load() has begun to write.
    store->put_if("/bare/start", store::Bytes::copy_of(""), store::Expected::absent(),
                  [this](const Result<store::Revision>&) { loop.stop(); });
    loop.run();
  }
  ~House() {
    api.reset();
    server.reset();
    store->close([this] { loop.stop(); });
    loop.run();
    store.reset();
    disk_.lane(DiskLane::commit).stop();
    disk_.lane(DiskLane::background).stop();
  }

  // Starts all clients; each goes on until the work is done.
  double run(const std::function<void(std::function<void()>)>& one) {
    int sent = 0;
    int answered = 0;
    std::function<void()> next = [&] {
      if (sent == writes) return;
      ++sent;
      one([&] {
        if (++answered == writes) return loop.stop();
        next();
      });
    };
    const auto began = Stopwatch::now();
    loop.post([&] {
      for (int i = 0; i < clients; ++i) next();
    });
    loop.run();
    return writes / since(began);
  }

  Response send(Request request) {
    Response answer;
    request.identity = {.name = "bench", .groups = {"system:masters"}};
    server->handle(std::move(request), [&](Response response) {
      answer = std::move(response);
      loop.stop();
    });
    loop.run();
    return answer;
  }

  EventLoop loop;
  SystemClock clock;
  SystemRandom random;
  std::unique_ptr<store::Store> store;
  std::unique_ptr<ApiServer> server;
  std::unique_ptr<client::Api> api;

 private:
  SystemDisk disk_;
  std::jthread commit_;
  std::jthread background_;
};

// Without its owner, who is not here: the collector would follow.
Value ownerless(const Value& sample) {
  const Value alone = objects::without(sample, {"metadata", "ownerReferences"}).must();
  const Value free = objects::without(alone, {"metadata", "finalizers"}).must();
  // Nobody has made its account either.
  const Value anyones = objects::without(free, {"spec", "serviceAccountName"}).must();
  const Value made = objects::without(anyones, {"spec", "serviceAccount"}).must();
  // A pod that is made for a queue has no node yet.
  return Value::copy_of(objects::without(made, {"spec", "nodeName"}).must());
}

Value named_pod(const Value& sample, int number) {
  const Value named =
      objects::with(sample, {"metadata", "name"}, Value::string(fmt::format("p{}", number))).must();
  const Value placed =
      objects::with(named, {"metadata", "namespace"}, Value::string("default")).must();
  const Value unversioned = objects::without(placed, {"metadata", "resourceVersion"}).must();
  const Value classless = objects::without(unversioned, {"spec", "priorityClassName"}).must();
  return objects::without(classless, {"spec", "priority"}).must();
}

double creates_per_second(House& house, const Value& sample) {
  int number = 0;
  return house.run([&](std::function<void()> done) {
    house.api->call({.verb = client::Verb::create,
                     .resource = objects::resources::pods,
                     .name_space = "default",
                     .body = named_pod(sample, number++)},
                    [done = std::move(done)](const Result<Value>& made) {
                      if (!made) {
                        fmt::print(stderr, "{}\n", made.error().message);
                        std::abort();
                      }
                      done();
                    });
  });
}

double requests_per_second(House& house, const std::string& body) {
  return house.run([&](std::function<void()> done) {
    house.server->handle({.method = "POST",
                          .path = "/api/v1/namespaces/default/configmaps",
                          .body = body,
                          .identity = {.name = "bench", .groups = {"system:masters"}}},
                         [done = std::move(done)](const Response& response) {
                           if (response.status != 201) std::abort();
                           done();
                         });
  });
}

double bare_writes_per_second(House& house, const std::string& bytes) {
  int number = 0;
  return house.run([&](std::function<void()> done) {
    house.store->put_if(fmt::format("/bare/{}", number++), store::Bytes::copy_of(bytes),
                        store::Expected::absent(),
                        [done = std::move(done)](const Result<store::Revision>&) { done(); });
  });
}

void print(std::string_view what, double ours, std::string_view limit_name, double limit,
           std::string_view unit) {
  fmt::print("{:<40} {:>10.1f} {:<6} {:<28} {:>10.1f} {:<6} {:.2f}\n", what, ours, unit, limit_name,
             limit, unit, std::min(ours, limit) / std::max(ours, limit));
}

void measure_writes(const std::string& folder, const Value& sample) {
  std::vector<double> creates;
  std::vector<double> requests;
  std::vector<double> bare;
  const std::string text = objects::to_json(sample);
  for (int i = 0; i < repetitions; ++i) {
    House house(folder);
    bare.push_back(bare_writes_per_second(house, text));
    creates.push_back(creates_per_second(house, sample));
    requests.push_back(
        requests_per_second(house, R"({"metadata":{"generateName":"m-"},"data":{"key":"value"}})"));
  }
  print("durable creates of a 6 KB pod", median(creates), "bare store, same bytes", median(bare),
        "/s");
  print("durable POSTs of a small ConfigMap", median(requests), "bare store, 6 KB", median(bare),
        "/s");
}

double copy_seconds(const std::string& text, int times) {
  const auto began = Stopwatch::now();
  for (int i = 0; i < times; ++i) {
    const std::string copy(text);
    if (copy.back() == 'x') std::abort();
  }
  return since(began);
}

// The whole text of an answer, also of one that comes in pieces: a list never waits for more.
std::string text_of(Response& answer) {
  if (const auto* whole = std::get_if<Piece>(&answer.body)) return std::string(whole->view());
  std::string text;
  auto& stream = std::get<std::unique_ptr<Stream>>(answer.body);
  for (bool is_over = false; !is_over;) {
    const StreamStep step = stream->take(1 << 20);
    for (const Piece& piece : step.pieces) text += piece.view();
    is_over = step.ended || step.pieces.empty();
  }
  return text;
}

void measure_reads(const std::string& folder, const Value& sample) {
  House house(folder);
  creates_per_second(house, sample);
  std::vector<double> lists;
  std::vector<double> tables;
  std::vector<double> copies;
  for (int i = 0; i < repetitions; ++i) {
    auto began = Stopwatch::now();
    Response list = house.send({.path = "/api/v1/pods"});
    const std::string listed = text_of(list);
    lists.push_back(since(began) * 1e3);
    began = Stopwatch::now();
    Response table = house.send(
        {.path = "/api/v1/pods", .accept = "application/json;as=Table;v=v1;g=meta.k8s.io"});
    text_of(table);
    tables.push_back(since(began) * 1e3);
    copies.push_back(copy_seconds(listed, 1) * 1e3);
  }
  print("list of 10,000 pods", median(lists), "one copy of its text", median(copies), "ms");
  print("the same as a table", median(tables), "one copy of its text", median(copies), "ms");
  std::vector<Response> streams;
  for (int i = 0; i < watchers; ++i) {
    streams.push_back(house.send(
        {.path = "/api/v1/pods",
         .query = "watch=1&resourceVersion=" + std::to_string(house.store->revision().value)}));
  }
  house.api->call({.verb = client::Verb::create,
                   .resource = objects::resources::pods,
                   .name_space = "default",
                   .body = named_pod(sample, writes)},
                  [&](const Result<Value>&) { house.loop.stop(); });
  house.loop.run();
  const auto began = Stopwatch::now();
  std::size_t bytes = 0;
  for (Response& each : streams) {
    for (const Piece& piece : std::get<std::unique_ptr<Stream>>(each.body)->take(1 << 20).pieces) {
      bytes += piece.size();
    }
  }
  const double took = since(began) * 1e3;
  const double copied = copy_seconds(std::string(bytes / watchers, 'v'), watchers) * 1e3;
  print("one event to 1,000 watchers", took, "copying it 1,000 times", copied, "ms");
}

double thread_microseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

// Of this thread alone, from the bytes of the request to those of the answer, with a store that is
// durable at once. The least of all rounds: neighbours only add.
void measure_posts() {
  double least = 1e9;
  for (int round = 0; round < repetitions; ++round) {
    EventLoop loop;
    SystemClock clock;
    SystemRandom random;
    const auto store = store::open_memory_store(loop);
    ApiServer server(*store, loop, clock, random, {});
    server.load().must();
    // Answered after the namespaces that load() has begun to write.
    store->put_if("/bare/start", store::Bytes::copy_of(""), store::Expected::absent(),
                  [&](const Result<store::Revision>&) { loop.stop(); });
    loop.run();
    int answered = 0;
    const double began = thread_microseconds();
    for (int i = 0; i < writes; ++i) {
      server.handle({.method = "POST",
                     .path = "/api/v1/namespaces/default/pods",
                     .accept = "application/json",
                     .content_type = "application/json",
                     .user_agent = "muster",
                     .body = bench::load_pod(fmt::format("many-{}", i)),
                     .identity = {.name = "bench", .groups = {"system:masters"}}},
                    [&](const Response& response) {
                      if (response.status != 201) {
                        fmt::print(stderr, "{}\n", std::get<Piece>(response.body).view());
                        std::abort();
                      }
                      ++answered;
                      if (answered % clients == 0 || answered == writes) loop.stop();
                    });
      if ((i + 1) % clients == 0 || i + 1 == writes) loop.run();
    }
    least = std::min(least, (thread_microseconds() - began) / writes);
  }
  fmt::print("{:<40} {:>10.1f} us\n", "a POST of a pod, on the house thread", least);
}

double start_milliseconds(const std::string& folder) {
  House house(folder);
  const auto began = Stopwatch::now();
  ApiServer again(*house.store, house.loop, house.clock, house.random, {});
  again.load().must();
  return since(began) * 1e3;
}

void measure_all(const std::string& folder) {
  const Value sample = ownerless(objects::parse_json(bench::sample_pod()).must());
  measure_posts();
  measure_writes(folder, sample);
  measure_reads(folder, sample);
  fmt::print("{:<40} {:>10.1f} ms\n", "a further server, made and loaded",
             start_milliseconds(folder));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace muster::server

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  if (folder == "posts") {
    muster::server::measure_posts();
    return 0;
  }
  muster::server::measure_all(folder + "/server_bench.store");
  return 0;
}
