// RequestHandler: requests of a transport, from their path to the answer. Reads here, in the order
// of the steps: where it goes, whether it may, what it says, which verb it is.
//
//   handler.handle(std::move(request), [](Response response) { … });
//
// Assumes: the house thread; answers never come from inside the call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "server/answer.h"
#include "server/context.h"
#include "server/discovery.h"
#include "server/health.h"
#include "server/openapi.h"
#include "server/request.h"
#include "server/route.h"
#include "server/usage.h"
#include "server/watch_stream.h"
#include "server/write.h"

namespace muster::core {
class ClusterState;
}

namespace muster::server {

class RequestHandler {
 public:
  explicit RequestHandler(Context& context);

  void handle(Request request, Respond respond);

  // Who measures; null: nobody.
  void set_usage(const UsageSource* usage) { usage_ = usage; }
  // Who decides about queues; null: nobody.
  void set_queues(const core::ClusterState* queues) { queues_ = queues; }

 private:
  // One request on its way.
  struct Asked {
    Request request;
    Route route;
    Target target = {};
    std::string_view verb = {};
    AnswerForm form = {};
    Respond respond;
  };

  // Whether the token is still good, and as whom the request is made.
  Outcome<> settle_identity(Request& request) const;
  Outcome<> check_route(Asked& asked) const;
  Outcome<> check_allowed(const Asked& asked) const;
  void dispatch(Asked asked);

  // What is no resource: health, version, discovery, OpenAPI.
  Response answer_path(const Asked& asked);
  Response answer_discovery(const Asked& asked);
  Response answer_openapi(const Asked& asked);
  Response answer_swagger(const Asked& asked);
  Response answer_root();
  Response answer_issuer(std::string_view path) const;

  Outcome<> check_version(const Asked& asked) const;
  // The metadata of a list were asked for and there is one object, or the other way round.
  static Failure wrong_number(const Asked& asked);
  Response get(const Asked& asked);
  Response list(const Asked& asked);
  Response watch(const Asked& asked);
  Response computed(const Asked& asked);
  Outcome<std::string> watched_fields(const Asked& asked) const;
  Response log(const Asked& asked);
  void converse(Asked asked);
  void create(Asked asked);
  void update(Asked asked);
  void patch(Asked asked);
  void remove(Asked asked);
  void remove_collection(Asked asked);

  // Of a question that is asked by creating it.
  Response reviewed(const AnswerForm& form, const WriteRequest& request);

  Outcome<WriteRequest> write_request(const Asked& asked) const;
  WriteAnswer answering(Asked asked);
  Respond counted(const Asked& asked, Respond respond);
  void respond_later(Respond respond, Response response);

  // Made when somebody asks, and again when the kinds have changed.
  const Discovery& discovery();
  OpenApi& openapi();
  void follow_kinds();

  Context& context_;
  const UsageSource* usage_ = nullptr;
  const core::ClusterState* queues_ = nullptr;
  std::optional<Discovery> discovery_;
  std::optional<OpenApi> openapi_;
  EncodedEvents encoded_;
  Health health_;
  std::uint64_t generation_ = 0;  // of the kinds from which all of these were made
};

}  // namespace muster::server
