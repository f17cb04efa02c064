// Platform: the embedded cluster in one process: store, API server, controllers, node agents, names
// and the listener, each on the thread it belongs to. This is composition: what the parts do, they
// do elsewhere.
//
//   auto platform = TRY(Platform::open(data, settings, log));
//   std::jthread other([&] {
//     TRY(platform->start());           // returns when kubectl can be used
//     wait_for_termination_signal();
//     platform->stop();                 // pods run on
//   });
//   platform->run_house();              // returns when it is stopped
//
//   threads:  house    (the process's first) ApiServer, Controllers, NodeAgents, names: everything
//                      that decides
//             network  HttpListener: TLS and HTTP
//             webhooks WebhookClient: TLS and HTTP, the other way
//             disk ×2  commits; checkpoints and other background work
//             machine  HostPods and the DNS socket: descriptors, processes
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "cli/settings.h"

namespace muster {

class Platform {
 public:
  // Takes the folder's lock, reads or makes keys and tokens, opens the store. Blocks; no thread
  // runs yet. Errors: conflict when another process has the folder.
  static Result<std::unique_ptr<Platform>> open(const std::string& data,
                                                const cli::Settings& settings, const Log& log);
  ~Platform();

  // The house's thread should be the first of the process: glibc lets its heap grow in large steps,
  // those of other threads by a page and a system call at a time.
  void run_house();

  // Both from another thread.
  Result<> start();
  void stop();

  // "https://127.0.0.1:7443"
  std::string address() const;

 private:
  struct Parts;
  explicit Platform(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace muster
