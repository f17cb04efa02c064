// SPDX-License-Identifier: Apache-2.0
// A full house at rest: 10,000 jobs wait in a queue without quota while 1,000 pods of 250 gangs run
// (pretended: no processes). Printed: the platform's memory, how long submitting took, and which
// objects were written while nothing changed, which must be none.
//
//   waiting_bench [FOLDER] [JOBS]
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <string>
#include <thread>

#include "bench/decision_objects.h"
#include "bench/live_platform.h"
#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::bench {
namespace {

using client::Verb;
using objects::Value;
namespace resources = objects::resources;

constexpr int waiting_jobs_usual = 10'000;
constexpr int running_gangs = 250;
constexpr int pods_each = 4;
constexpr int nodes = 8;  // each has addresses for some 250 pods
constexpr double megabytes_max = 300;
constexpr std::chrono::seconds rest(20);

Value job(const std::string& name, const std::string& queue, int pods) {
  return objects::parse_json(
             fmt::format(
                 R"({{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"{}","namespace":)"
                 R"("default","labels":{{"kueue.x-k8s.io/queue-name":"{}"}}}},"spec":{{)"
                 R"("parallelism":{},"completions":{},"template":{{"metadata":{{"annotations":{{)"
                 R"("muster.dev/pretend-run-seconds":"100000"}}}},"spec":{{)"
                 R"("restartPolicy":"Never","containers":[{{"name":"c","image":"i",)"
                 R"("resources":{{"requests":{{"cpu":"1"}}}}}}]}}}}}}}})",
                 name, queue, pods, pods))
      .must();
}

void create(LivePlatform& platform, const objects::Resource& resource, Value object) {
  const std::string name_space(objects::namespace_of(object));
  platform.call({.verb = Verb::create,
                 .resource = resource,
                 .name_space = name_space,
                 .body = std::move(object)});
}

// Many at once; waits for the last answer.
void create_jobs(LivePlatform& platform, const std::string& queue, int count, int pods) {
  std::promise<void> all;
  int left = count;
  platform.on_house([&] {
    for (int i = 0; i < count; ++i) {
      platform.api().call({.verb = Verb::create,
                           .resource = resources::jobs,
                           .name_space = "default",
                           .body = job(fmt::format("{}-{:05}", queue, i), queue, pods)},
                          [&](Result<Value> answer) {
                            std::move(answer).must();
                            if (--left == 0) all.set_value();
                          });
    }
  });
  all.get_future().wait();
}

// Every object of these kinds, and its version.
std::map<std::string, std::string> versions(LivePlatform& platform) {
  std::map<std::string, std::string> out;
  for (const objects::Resource& resource :
       {resources::jobs, resources::workloads, resources::cluster_queues, resources::local_queues,
        resources::pods, resources::nodes}) {
    const Value list = platform.call({.verb = Verb::list, .resource = resource});
    for (objects::View item : list["items"].elements()) {
      out[fmt::format("{}/{}", resource.plural, objects::name_of(item))] =
          item["metadata"]["resourceVersion"].string_or("");
    }
  }
  return out;
}

std::size_t running_pods(LivePlatform& platform) {
  std::size_t count = 0;
  const Value list = platform.call({.verb = Verb::list, .resource = resources::pods});
  for (objects::View pod : list["items"].elements()) {
    if (pod["status"]["phase"].string_or("") == "Running") ++count;
  }
  return count;
}

int run(const std::string& folder, int waiting_jobs) {
  std::string flags;
  for (int i = 0; i < nodes; ++i) {
    flags += fmt::format("--node name=n{},cpu=250,memory=256Gi,pods=200,runtime=pretend ", i);
  }
  LivePlatform platform(MUSTER_PROGRAM, folder + "/waiting", flags);
  create(platform, resources::resource_flavors, flavor_object());
  create(platform, resources::cluster_queues, cluster_queue_object("run", {.nominal = "1000"}));
  create(platform, resources::cluster_queues, cluster_queue_object("wait", {.nominal = "0"}));
  for (const char* queue : {"run", "wait"}) {
    create(platform, resources::local_queues, local_queue_object(queue, "default"));
  }
  const auto began = std::chrono::steady_clock::now();
  create_jobs(platform, "run", running_gangs, pods_each);
  create_jobs(platform, "wait", waiting_jobs, 1);
  const std::chrono::duration<double> submitted = std::chrono::steady_clock::now() - began;
  while (running_pods(platform) < running_gangs * pods_each) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  std::this_thread::sleep_for(rest);
  const auto before = versions(platform);
  std::this_thread::sleep_for(rest);
  const auto after = versions(platform);
  std::size_t written = 0;
  for (const auto& [name, version] : after) {
    const auto known = before.find(name);
    if (known != before.end() && known->second == version) continue;
    if (written++ < 5) fmt::print("  written: {}\n", name);
  }
  fmt::print("{} jobs submitted in {:.1f} s; {} objects\n", waiting_jobs + running_gangs,
             submitted.count(), after.size());
  fmt::print("memory with {} workloads and {} pods   {:.0f} MB (at most {:.0f})   {:.2f}\n",
             waiting_jobs + running_gangs, running_gangs * pods_each, platform.resident_megabytes(),
             megabytes_max, megabytes_max / platform.resident_megabytes());
  fmt::print("objects written in {} s of rest        {} (at most 0)\n", rest.count(), written);
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  return muster::bench::run(argc > 1 ? argv[1] : std::filesystem::current_path().string(),
                            argc > 2 ? std::stoi(argv[2]) : muster::bench::waiting_jobs_usual);
}
