// LivePlatform: a `muster up` of a benchmark's own in a new folder, and a client of it over HTTPS
// with threads of its own. Ended and removed with the object.
//
//   LivePlatform platform(MUSTER_PROGRAM, folder, "--node name=n1,cpu=8,memory=8Gi");
//   platform.call({.verb = Verb::create, …});          // waits for the answer
//   platform.on_house([&] { platform.api().call(…) });   // many at once
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "base/os/event_loop.h"
#include "base/os/system_clock.h"
#include "base/os/system_random.h"
#include "client/https/https_api.h"
#include "client/list_watch.h"

namespace muster::bench {

class LivePlatform {
 public:
  LivePlatform(std::string program, std::string folder, const std::string& up_flags);
  ~LivePlatform();
  LivePlatform(const LivePlatform&) = delete;
  LivePlatform& operator=(const LivePlatform&) = delete;

  // From the thread of main, and so on_house; what runs there may use api() and house().
  objects::Value call(client::Call call);
  void on_house(const std::function<void()>& task);

  client::Api& api() { return *api_; }
  // With connections of its own: what waits here is not in the other's way.
  client::Api& other_api() { return *other_api_; }
  client::House house() { return {loop_, clock_, random_}; }
  const Clock& clock() const { return clock_; }

  double resident_megabytes() const { return status_megabytes("VmRSS:"); }
  double peak_megabytes() const { return status_megabytes("VmHWM:"); }
  double cpu_seconds() const;
  std::map<int, double> thread_cpu_seconds() const;  // by thread, oldest first

  // Of the newest write.
  std::uint64_t revision();

 private:
  double status_megabytes(std::string_view field) const;

  std::string program_;
  std::string folder_;
  int process_ = 0;
  SystemClock clock_;
  SystemRandom random_;
  EventLoop loop_;
  std::unique_ptr<client::HttpsApi> api_;
  std::unique_ptr<client::HttpsApi> other_api_;
  std::jthread network_;
  std::jthread other_network_;
  std::jthread house_;
};

}  // namespace muster::bench
