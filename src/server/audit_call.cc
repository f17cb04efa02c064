// SPDX-License-Identifier: Apache-2.0
#include "server/audit_call.h"

#include <fmt/format.h>

#include <utility>

#include "base/uid.h"
#include "server/audit.h"
#include "server/impersonation.h"
#include "server/role_index.h"

namespace muster::server {

namespace {

constexpr std::string_view json_type = "application/json";

bool changes_something(std::string_view verb) {
  return verb == "create" || verb == "update" || verb == "patch" || verb == "delete" ||
         verb == "deletecollection";
}

// Who talks with a pod changes it, whatever the method. A command may hold a password: of such a
// call only the path is written.
bool talks_with_pod(const Route& route) {
  return route.subresource == "exec" || route.subresource == "attach" ||
         route.subresource == "portforward" || route.subresource == "proxy";
}

// Who may do what is worth its text. Everything else may hold what is nobody's business.
bool body_is_for_the_record(const Request& request, const Route& route) {
  return route.group == rbac_group && request.content_type.starts_with(json_type) &&
         request.body.size() <= audit_body_bytes_max;
}

std::optional<Identity> acting_as(const ImpersonationHeaders& headers) {
  if (headers.empty()) return std::nullopt;
  Impersonation asked = read_impersonation(headers);
  return Identity{.name = std::move(asked.user),
                  .groups = std::move(asked.groups),
                  .uid = std::move(asked.uid),
                  .extra = std::move(asked.extra)};
}

AuditEntry entry_of(Context& context, const Request& request, const Route& route,
                    std::string_view verb) {
  AuditEntry entry{.id = request.audit_id,
                   .uri = request.path,
                   .verb = std::string(verb),
                   .user = request.identity,
                   .acting_as = acting_as(request.impersonation),
                   .source = request.source,
                   .user_agent = request.user_agent,
                   .group = route.group,
                   .version = route.version,
                   .resource = route.plural,
                   .subresource = route.subresource,
                   .name_space = route.name_space,
                   .name = route.name,
                   .received = context.clock.wall()};
  if (!request.query.empty() && !talks_with_pod(route)) entry.uri += "?" + request.query;
  if (body_is_for_the_record(request, route)) entry.body = request.body;
  return entry;
}

}  // namespace

Respond audited(Context& context, const Request& request, const Route& route, std::string_view verb,
                Respond respond) {
  const bool recorded = changes_something(verb) || talks_with_pod(route);
  if (context.audit == nullptr || !route.is_resource() || !recorded) return respond;
  return [&context, entry = entry_of(context, request, route, verb),
          respond = std::move(respond)](Response response) mutable {
    const int status = response.status;
    respond(std::move(response));  // first: who asked does not wait for the line
    context.audit->write({std::move(entry), status, context.clock.wall()});
  };
}

client::Answer audited(Context& context, const Identity& identity, const client::Call& call,
                       std::string_view verb, client::Answer answer) {
  if (context.audit == nullptr || !changes_something(verb)) return answer;
  AuditEntry entry{.id = make_uid(context.random),
                   .uri = {},
                   .verb = std::string(verb),
                   .user = identity,
                   .group = std::string(call.resource.group),
                   .version = std::string(call.resource.version),
                   .resource = std::string(call.resource.plural),
                   .subresource = call.subresource,
                   .name_space = call.name_space,
                   .name = call.name,
                   .received = context.clock.wall()};
  return [&context, entry = std::move(entry),
          answer = std::move(answer)](Result<objects::Value> result) mutable {
    const int code =
        result ? (entry.verb == "create" ? 201 : 200) : http_status(result.error().code);
    context.audit->write({std::move(entry), code, context.clock.wall()});
    answer(std::move(result));
  };
}

}  // namespace muster::server
