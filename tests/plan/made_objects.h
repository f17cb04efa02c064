// A small cluster for the tests of core: objects made of a few numbers, so that chance and tables
// can make many of them.
//
//   apply(state, made::node("n1", {.gpus = 4}));
//   apply(state, made::workload("train", {.pods = 3}));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/event.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core::made {

// An object and the collection it lives in.
struct Made {
  objects::Resource resource;
  objects::Value object;
};

struct QueueOptions {
  std::string uid = "u";
  std::int64_t gpus = 8;
  bool strict = false;
  bool stopped = false;
  std::vector<std::string> flavors = {"default"};
  std::string cohort = "";
  std::int64_t borrowing_limit = -1;  // below zero: none
  std::int64_t lending_limit = -1;
};

struct CohortOptions {
  std::string uid = "u";
  std::string parent = "";
  std::int64_t gpus = -1;  // of the flavor `default`; below zero: has no quota
  std::int64_t borrowing_limit = -1;
  std::int64_t lending_limit = -1;
};

struct NodeOptions {
  std::string uid = "u";
  std::int64_t gpus = 4;
  bool ready = true;
  std::string pod_cidr = "";
};

enum class Life : std::uint8_t { pending, admitted, evicted, finished };

struct WorkloadOptions {
  std::string uid = "u";
  std::string queue = "main";
  std::int64_t pods = 1;
  std::int64_t gpus_each = 1;
  std::int64_t priority = 0;
  std::int64_t created_minute = 0;
  std::int64_t reclaimable = 0;
  Life life = Life::pending;
  std::string cluster_queue = "cq";  // unless pending
  std::string flavor = "default";
  std::vector<std::pair<std::string, std::int64_t>> domains = {};  // pinned
};

struct PodOptions {
  std::string uid = "u";
  std::string workload = "";  // annotation and podset label
  std::string owner_uid = "";
  std::string node = "";
  std::string address = "";  // where it was received: None
  bool is_arrived = false;   // at its node by another's word, and not received
  std::string phase = "Pending";
  std::int64_t gpus = 1;
  std::int64_t rank = -1;
  bool being_deleted = false;
  std::int64_t created_minute = 0;
};

Made name_space(std::string_view name);
Made flavor(std::string_view name, std::string_view uid = "u");
Made cluster_queue(std::string_view name, const QueueOptions& options = {});
Made cohort(std::string_view name, const CohortOptions& options = {});
Made local_queue(std::string_view name, std::string_view cluster_queue, std::string_view uid = "u");
Made node(std::string_view name, const NodeOptions& options = {});
Made workload(std::string_view name, const WorkloadOptions& options = {});
Made pod(std::string_view name, const PodOptions& options = {});

Event upsert(const Made& made, std::uint64_t revision = 0);
Event remove(const Made& made);

}  // namespace muster::core::made
