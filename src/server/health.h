// Health: the named checks behind /livez, /readyz and /healthz, in the form that kube-apiserver
// prints them: `ok`, or a line for each check where somebody asks for it or one of them fails.
//
//   Response answer = health.answer("/readyz/etcd", query);
//
// Assumes: the house thread: whoever gets an answer knows that it turns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "server/context.h"
#include "server/request.h"
#include "server/route.h"

namespace muster::server {

class Health {
 public:
  explicit Health(Context& context) : context_(context) {}

  static bool is_path(std::string_view path);

  Response answer(std::string_view path, const Query& query);

 private:
  bool passes(std::string_view check);
  bool store_writes();

  Context& context_;
  std::uint64_t failures_seen_ = 0;
  std::uint64_t commits_then_ = 0;  // when the last failure was seen
  bool has_failed_ = false;
};

}  // namespace muster::server
