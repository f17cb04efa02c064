// SPDX-License-Identifier: Apache-2.0
#include "objects/field_selector.h"
#include "server/access.h"
#include "server/impersonation.h"
#include "server/request_handler.h"
#include "server/reviews.h"
#include "server/service_account_token.h"

// Who makes a request, whether they may, and the questions about that which are asked as objects.

namespace muster::server {

namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& character : lower) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character | 0x20);
  }
  return lower;
}

}  // namespace

Outcome<> RequestHandler::settle_identity(Request& request) const {
  if (request.bound && bound_trouble(context_, *request.bound)) return failures::unauthorized();
  request.identity = ALLOWED(impersonated(context_, request.identity, request.impersonation));
  return {};
}

Outcome<> RequestHandler::check_allowed(const Asked& asked) const {
  const Route& route = asked.route;
  const Identity& identity = asked.request.identity;
  if (!route.is_resource()) {
    const std::string verb = lower_case(asked.request.method);
    return check_access(context_, {.identity = identity, .verb = verb, .path = route.path});
  }
  // A selector of one name asks for that object, and a namespace lies in itself.
  const std::string_view selector = route.query.text_or_empty("fieldSelector");
  std::string name = route.name;
  if (name.empty() && !selector.empty()) {
    const auto parsed = objects::FieldSelector::parse(selector);
    if (parsed) name = parsed->required_value("metadata.name").value_or("");
  }
  const bool is_namespace = route.group.empty() && route.plural == "namespaces";
  return check_access(context_, {.identity = identity,
                                 .verb = asked.verb,
                                 .group = route.group,
                                 .resource = route.plural,
                                 .subresource = route.subresource,
                                 .name_space = is_namespace ? name : route.name_space,
                                 .name = name,
                                 .field_selector = selector});
}

Response RequestHandler::reviewed(const AnswerForm& form, const WriteRequest& request) {
  const auto answer = request.target.subresource == "token" ? request_token(context_, request)
                                                            : review(context_, request);
  if (!answer) return failure_answer(answer.error(), form);
  Response response = value_answer(201, answer->object, form);
  add_warnings(answer->warnings, response);
  return response;
}

}  // namespace muster::server
