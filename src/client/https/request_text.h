// The HTTP text of calls, and the meaning of answers: functions of values, without a network.
//
//   const HttpRequest request = TRY(http_request(call));
//   std::string text = to_text(request, {.host = "127.0.0.1:6443", .token = &token});
//   Result<Value> value = value_of_answer(404, body);
//
// Assumes: names go into the path as they are, escaped; names that would be another path are
// refused, as client-go does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "client/api.h"
#include "objects/value.h"

namespace muster::client {

struct HttpRequest {
  std::string_view method;
  std::string target;  // path and query
  std::string_view content_type = {};
  std::string body = {};
  std::string_view accept = "application/json";
};

Result<HttpRequest> http_request(const Call& call);
Result<HttpRequest> http_request(const WatchCall& call);

// What every request to one server says.
struct RequestManners {
  std::string host;
  std::string path_prefix = {};  // of a server behind a path: "/k8s/clusters/c1"
  std::string user_agent = "muster";
  Secret token = {};
};

std::string to_text(const HttpRequest& request, const RequestManners& manners);

// The object of a good answer; of another one the Error that its Status tells.
Result<objects::Value> value_of_answer(int status, std::string_view body, std::size_t bytes_max);

// What a Status says; `status` counts where it does not.
Error error_of_status(int status, objects::View object);

// One line of a watch. An ERROR event is the Error of its Status.
Result<WatchEvent> watch_event(std::string_view line, std::size_t bytes_max);

}  // namespace muster::client
