// PodStreams: where the API server gets commands in containers and connections to pods from.
// Declared here, implemented by agent/, joined in main/.
//
//   auto stream = streams.exec({.pod_uid = uid, .container = "main", .command = {"date"}});
//
// Assumes: called on the house thread; the pod exists, the container is one of its own and the
// caller may do this: the server has checked. Destroying a stream ends what is behind it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/result.h"

namespace muster::server {

struct PodStreamEnd {
  int exit_code = 0;
  std::string failure = {};  // it could not be begun; empty: it ran
};

class PodStream {
 public:
  struct Step {
    std::string output;
    std::string error;
    std::optional<PodStreamEnd> end;  // nothing comes after this
  };

  virtual ~PodStream() = default;

  // Set once, before the first take. Called once after a step that was empty.
  virtual void set_on_ready(Task on_ready) = 0;
  virtual Step take(std::size_t bytes_max) = 0;

  // `taken` comes when there is room for more; never from inside the call.
  virtual void write(std::string bytes, Task taken) = 0;
  virtual void close_input() = 0;
  virtual void resize(int columns, int rows) = 0;
};

struct ExecRequest {
  std::string pod_uid;
  std::string container;
  std::vector<std::string> command = {};
  bool has_input = false;
  bool has_terminal = false;
};

struct ConnectRequest {
  std::string pod_uid;
  std::string container;  // any of the pod: they share their network
  std::string address;    // the pod's
  std::uint16_t port = 0;
};

class PodStreams {
 public:
  virtual ~PodStreams() = default;

  virtual Result<std::unique_ptr<PodStream>> exec(const ExecRequest& request) = 0;

  // What the container prints from now on.
  virtual Result<std::unique_ptr<PodStream>> attach(const std::string& pod_uid,
                                                    const std::string& container) = 0;
  virtual Result<std::unique_ptr<PodStream>> connect(const ConnectRequest& request) = 0;
};

}  // namespace muster::server
