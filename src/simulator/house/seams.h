// Seams: the places where a planted bug is slipped between two parts of the house, by decorating
// an interface that they meet at. The product carries no hook for it. An empty seam is no bug.
//
//   Seams seams;
//   seams.control = [](client::Api& api, Executor&) { return std::make_unique<DeafApi>(api); };
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "agent/pod_runtime.h"
#include "base/disk.h"
#include "base/executor.h"
#include "client/api.h"
#include "store/store.h"

namespace muster::simulator {

struct Seams {
  using ApiSeam = std::function<std::unique_ptr<client::Api>(client::Api& api, Executor& house)>;

  using StoreSeam = std::function<std::unique_ptr<store::Store>(store::Store& store)>;

  StoreSeam store = {};   // what the store itself does; the witness reads it like this
  StoreSeam served = {};  // what the API server sees of it
  ApiSeam server = {};    // what the API server does
  ApiSeam control = {};   // between the controllers and the network
  ApiSeam agents = {};    // between each node agent and the network
  std::function<std::unique_ptr<Disk>(Disk& disk)> disk = {};
  std::function<std::unique_ptr<agent::PodRuntime>(agent::PodRuntime& runtime)> runtime = {};
};

}  // namespace muster::simulator
