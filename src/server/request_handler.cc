// SPDX-License-Identifier: Apache-2.0
#include "server/request_handler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/duration.h"
#include "objects/metadata.h"
#include "server/access.h"
#include "server/admission_chain.h"
#include "server/audit_call.h"
#include "server/body.h"
#include "server/evict.h"
#include "server/limits.h"
#include "server/metrics_kinds.h"
#include "server/pod_stream_request.h"
#include "server/remove_collection.h"
#include "server/response_stamp.h"
#include "server/scale.h"
#include "server/server_metrics.h"
#include "server/stored_object.h"
#include "server/visibility.h"

namespace muster::server {

namespace {

// The verb of RBAC; empty for a method that no resource has.
std::string_view verb_of(std::string_view method, const Route& route, bool watches) {
  if (route.watches) return method == "GET" ? "watch" : "";
  if (method == "GET" || method == "HEAD") {
    if (!route.name.empty()) return "get";
    return watches ? "watch" : "list";
  }
  if (method == "POST") return "create";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return route.name.empty() ? "deletecollection" : "delete";
  return {};
}

// POST goes to a collection or to a part of an object, PUT and PATCH to an object.
bool fits(std::string_view verb, const Route& route) {
  if (verb == "create") return route.name.empty() || !route.subresource.empty();
  if (verb == "update" || verb == "patch") return !route.name.empty();
  return !verb.empty();
}

// Clients say how long they would wait; nothing here takes as long.
Outcome<> check_timeout(const Query& query) {
  const std::string_view text = query.text_or_empty("timeout");
  if (text.empty()) return {};
  const auto span = parse_duration(text);
  if (span) return {};
  return Error::bad_request(
      fmt::format("invalid timeout specified in the request URL - {}", span.error().message));
}

// The pod that a Binding without a pod in its path is about.
Target bound_pod(const objects::KindRegistry& registry, const Target& binding, objects::View body) {
  const auto pods = registry.find_resource("", "pods");
  return {.kind = pods,
          .version = &pods->storage_version(),
          .name_space = binding.name_space,
          .name = std::string(objects::name_of(body)),
          .subresource = "binding"};
}

// The version of the same kind that a caller of a deprecated one should speak; null: none is
// better.
const objects::KindVersion* better_version(const Target& target) {
  const objects::KindVersion* best = nullptr;
  for (const objects::KindVersion& each : target.kind->versions) {
    if (!each.served || each.definition["deprecated"].boolean_or(false)) continue;
    if (!is_version_before(each.name, target.version->name)) continue;
    if (best == nullptr || is_version_before(each.name, best->name)) best = &each;
  }
  return best;
}

// Every answer in a version that its definition calls deprecated says so.
Respond warning_of_version(const Target& target, Respond respond) {
  const objects::View definition = target.version->definition;
  const bool is_preloaded =
      target.kind->is_built_in && target.kind->style == objects::SchemaStyle::custom;
  if (is_preloaded || !definition["deprecated"].boolean_or(false)) return respond;
  std::string warning(definition["deprecationWarning"].string_or(""));
  if (warning.empty()) {
    warning = fmt::format("{} {} is deprecated", target.api_version(), target.kind->kind);
    if (const objects::KindVersion* better = better_version(target)) {
      warning += fmt::format("; use {}/{} {}", target.kind->group, better->name, target.kind->kind);
    }
  }
  return [warning = std::move(warning), respond = std::move(respond)](Response response) mutable {
    add_warnings({warning}, response);
    respond(std::move(response));
  };
}

}  // namespace

RequestHandler::RequestHandler(Context& context) : context_(context), health_(context) {}

void RequestHandler::follow_kinds() {
  context_.cache.catch_up();
  if (generation_ == context_.registry.generation()) return;
  generation_ = context_.registry.generation();
  discovery_.reset();
  openapi_.reset();
  encoded_ = EncodedEvents();
}

const Discovery& RequestHandler::discovery() {
  follow_kinds();
  if (!discovery_) discovery_.emplace(context_.registry);
  return *discovery_;
}

OpenApi& RequestHandler::openapi() {
  follow_kinds();
  if (!openapi_) openapi_.emplace(context_.registry);
  return *openapi_;
}

void RequestHandler::respond_later(Respond respond, Response response) {
  context_.house.post([respond = std::move(respond), response = std::move(response)]() mutable {
    respond(std::move(response));
  });
}

// Finds the kind, its version and the part of it.
Outcome<> RequestHandler::check_route(Asked& asked) const {
  const Route& route = asked.route;
  Target& target = asked.target;
  target.kind = context_.registry.find_resource(route.group, route.plural);
  if (target.kind == nullptr || route.too_deep) return failures::unknown_resource();
  target.version = target.kind->version(route.version);
  if (target.version == nullptr || !target.version->served) return failures::unknown_resource();
  if (!target.is_namespaced() && !route.name_space.empty()) return failures::unknown_resource();
  target.name_space = route.name_space;
  target.name = route.name;
  target.subresource = route.subresource;
  const bool across = target.is_namespaced() && route.name_space.empty();
  const bool reads_all = asked.verb == "list" || asked.verb == "watch";
  if (across && !route.name.empty()) return failures::unknown_resource();
  if (route.watches && !route.subresource.empty()) return failures::unknown_resource();
  if (!fits(asked.verb, route) || (across && !reads_all)) return failures::method_not_allowed();
  if (!target.kind->is_stored) {
    const std::vector<std::string>& offered = target.kind->own_verbs;
    const auto offers = [&offered](std::string_view verb) {
      return std::find(offered.begin(), offered.end(), verb) != offered.end();
    };
    if (!route.name.empty() && !offers("get")) return failures::unknown_resource();
    if (!offers(asked.verb)) return failures::method_not_allowed();
    // Such a queue has no face but the list of those who wait in it.
    if (target.kind->group == visibility_group && target.subresource.empty()) {
      return failures::unknown_resource();
    }
  }
  if (target.subresource.empty() && target.kind->is_stored) {
    const auto verbs = verbs_of(*target.kind);
    if (std::ranges::find(verbs, asked.verb) == verbs.end()) return failures::method_not_allowed();
  }
  return check_subresource(target, asked.verb);
}

void RequestHandler::handle(Request request, Respond respond) {
  request.audit_id = audit_id_of(request, context_.random);
  respond = stamped(context_, request, std::move(respond));
  auto route = parse_route(request.path, request.query);
  if (!route) return respond_later(std::move(respond), failure_answer(route.error()));
  Asked asked{.request = std::move(request),
              .route = std::move(route).take(),
              .respond = std::move(respond)};
  const bool watches = asked.route.query.boolean("watch").value_or(false);
  const auto fail = [&](const Failure& failure) {
    respond_later(std::move(asked.respond), failure_answer(failure, asked.form));
  };
  asked.verb = verb_of(asked.request.method, asked.route, watches);
  asked.respond =
      audited(context_, asked.request, asked.route, asked.verb, std::move(asked.respond));
  context_.cache.catch_up();  // a role that was written holds for the next request
  if (auto settled = settle_identity(asked.request); !settled) return fail(settled.error());
  if (auto allowed = check_allowed(asked); !allowed) return fail(allowed.error());
  if (asked.request.path.starts_with("//")) {
    return respond_later(std::move(asked.respond), text_answer(404, "404 page not found\n"));
  }
  if (!asked.route.is_resource()) {
    Response response = answer_path(asked);
    return respond_later(std::move(asked.respond), std::move(response));
  }
  if (!discovery().has_version(asked.route.group, asked.route.version)) {
    if (discovery().is_of_kubernetes(asked.route.group)) return fail(failures::unknown_resource());
    return respond_later(std::move(asked.respond), text_answer(404, "404 page not found\n"));
  }
  if (auto known = check_route(asked); !known) return fail(known.error());
  if (asked.request.method == "HEAD") return fail(failures::method_not_allowed());
  if (auto timeout = check_timeout(asked.route.query); !timeout) return fail(timeout.error());
  auto form = answer_form(asked.request, asked.route.query,
                          asked.verb == "watch"  ? Answerable::watches
                          : asked.verb == "list" ? Answerable::lists
                                                 : Answerable::objects);
  if (!form) return fail(form.error());
  asked.form = *form;
  const bool writes = asked.request.method != "GET" && asked.verb != "deletecollection";
  if (writes && asked.form.form.of_many) return fail(wrong_number(asked));
  asked.respond = counted(asked, warning_of_version(asked.target, std::move(asked.respond)));
  dispatch(std::move(asked));
}

// Only of resources that exist: what a stranger types makes no series.
Respond RequestHandler::counted(const Asked& asked, Respond respond) {
  ServerMetrics* metrics = context_.metrics;
  if (metrics == nullptr) return respond;
  const bool changes = asked.request.method != "GET" && asked.request.method != "HEAD";
  metrics->begin(changes);
  return [metrics, changes, &clock = context_.clock, start = context_.clock.monotonic(),
          verb = asked.verb, kind = asked.target.kind, version = asked.target.version,
          subresource = asked.target.subresource,
          respond = std::move(respond)](Response response) mutable {
    metrics->end(changes);
    metrics->count(
        {.verb = verb,
         .group = kind->group,
         .version = version->name,
         .resource = kind->plural,
         .subresource = subresource,
         .code = response.status,
         .seconds = static_cast<double>((clock.monotonic() - start).nanoseconds) * 1e-9});
    respond(std::move(response));
  };
}

void RequestHandler::dispatch(Asked asked) {
  if (is_pod_stream(asked.target)) return converse(std::move(asked));
  if (asked.verb == "create") return create(std::move(asked));
  if (asked.verb == "update") return update(std::move(asked));
  if (asked.verb == "patch") return patch(std::move(asked));
  if (asked.verb == "delete") return remove(std::move(asked));
  if (asked.verb == "deletecollection") return remove_collection(std::move(asked));
  Response response = !asked.target.kind->is_stored       ? computed(asked)
                      : asked.verb == "watch"             ? watch(asked)
                      : asked.verb == "list"              ? list(asked)
                      : asked.target.subresource == "log" ? log(asked)
                                                          : get(asked);
  respond_later(std::move(asked.respond), std::move(response));
}

// What nothing stores and can be read: what the agents measure, and who waits.
Response RequestHandler::computed(const Asked& asked) {
  const Query& query = asked.route.query;
  if (asked.target.kind->group == visibility_group) {
    const auto summary = pending_workloads_of(queues_, asked.target, query);
    if (!summary) return failure_answer(summary.error(), asked.form);
    return value_answer(200, *summary, asked.form);
  }
  if (asked.verb == "get") {
    const auto object = metrics_of(context_, usage_, asked.target);
    if (!object) return failure_answer(object.error(), asked.form);
    return value_answer(200, shaped(context_, asked.target, asked.form, *object), asked.form);
  }
  const auto list = metrics_list(context_, usage_,
                                 {.target = asked.target,
                                  .labels = query.text_or_empty("labelSelector"),
                                  .fields = query.text_or_empty("fieldSelector"),
                                  .typed_items = asked.form.form.shape != Shape::plain});
  if (!list) return failure_answer(list.error(), asked.form);
  return value_list_answer(context_, asked.target, asked.form, *list);
}

// Webhooks may have a say in it: to them it is a connection with options.
void RequestHandler::converse(Asked asked) {
  // A WebSocket begins with GET; who may only read must not run commands by it.
  if (auto may = check_access(context_, asked.target, "create", asked.request.identity); !may) {
    return respond_later(std::move(asked.respond), failure_answer(may.error(), asked.form));
  }
  struct Connecting {
    explicit Connecting(Asked asked_in)
        : asked(std::move(asked_in)),
          admission{.target = asked.target,
                    .identity = asked.request.identity,
                    .object = pod_stream_options(asked.target, asked.route.query),
                    .operation = Operation::connect} {}
    Asked asked;
    Admission admission;
  };
  auto kept = std::make_shared<Connecting>(std::move(asked));
  admit_without_object(context_, kept->admission, [this, kept](Outcome<> admitted) {
    const Asked& whose = kept->asked;
    auto upgrade = admitted ? open_pod_stream(context_, whose.target, whose.route.query,
                                              whose.request.protocols)
                            : Outcome<Upgrade>(admitted.error());
    Response response = upgrade ? Response{.status = 101, .body = std::move(upgrade).take()}
                                : failure_answer(upgrade.error(), whose.form);
    respond_later(std::move(kept->asked.respond), std::move(response));
  });
}

Outcome<WriteRequest> RequestHandler::write_request(const Asked& asked) const {
  WriteRequest write{.target = asked.target, .identity = asked.request.identity};
  const auto patch = asked.verb == "patch" ? patch_form(asked.request.content_type) : std::nullopt;
  ALLOWED(read_write_options(asked.request, asked.route.query, patch, write));
  Body body =
      patch == PatchForm::apply
          ? ALLOWED(decode_configuration(asked.request, write.field_validation))
      : patch ? ALLOWED(decode_patch(asked.request, *patch, write.field_validation))
              : ALLOWED(decode_body(context_, asked.request, asked.target, write.field_validation));
  write.body = std::move(body.value);
  write.duplicate_fields = std::move(body.duplicate_fields);
  write.text_complaints = std::move(body.text_complaints);
  return write;
}

// Answers with the object that was written.
WriteAnswer RequestHandler::answering(Asked asked) {
  auto kept = std::make_unique<Asked>(std::move(asked));
  return [this, kept = std::move(kept)](Outcome<Written> written) {
    if (!written) return kept->respond(failure_answer(written.error(), kept->form));
    const std::string& part = kept->target.subresource;
    const AnswerForm plain{.pretty = kept->form.pretty};
    Response response = part == "binding" || part == "eviction"
                            ? value_answer(201, success_status(201), plain)
                        : part == "scale" ? value_answer(200, written->object, plain)
                                          : written_answer(context_, kept->target, kept->form,
                                                           written->created ? 201 : 200, *written);
    add_warnings(written->warnings, response);
    kept->respond(std::move(response));
  };
}

void RequestHandler::create(Asked asked) {
  auto write = write_request(asked);
  if (!write) {
    return respond_later(std::move(asked.respond), failure_answer(write.error(), asked.form));
  }
  if (asked.target.is("", "bindings")) {
    asked.target = bound_pod(context_.registry, asked.target, write->body);
    write->target = asked.target;
  }
  if (!asked.target.kind->is_stored || asked.target.subresource == "token") {
    return respond_later(std::move(asked.respond), reviewed(asked.form, write.value()));
  }
  const std::string part = asked.target.subresource;
  WriteAnswer done = answering(std::move(asked));
  if (part == "binding") return bind(context_, std::move(write).take(), std::move(done));
  if (part == "eviction") return evict(context_, *write, std::move(done));
  server::create(context_, std::move(write).take(), std::move(done));
}

void RequestHandler::update(Asked asked) {
  auto write = write_request(asked);
  if (!write) {
    return respond_later(std::move(asked.respond), failure_answer(write.error(), asked.form));
  }
  const bool scales = asked.target.subresource == "scale";
  WriteAnswer done = answering(std::move(asked));
  if (scales) {
    return write_scale(context_, std::move(write).take(), std::nullopt, std::move(done));
  }
  server::update(context_, std::move(write).take(), std::move(done));
}

void RequestHandler::patch(Asked asked) {
  const auto type = patch_form(asked.request.content_type);
  const bool custom = asked.target.kind->style == objects::SchemaStyle::custom;
  if (!type || (custom && *type == PatchForm::strategic_merge)) {
    return respond_later(std::move(asked.respond),
                         failure_answer(custom ? failures::unsupported_custom_patch()
                                               : failures::unsupported_patch(),
                                        asked.form));
  }
  auto write = write_request(asked);
  if (!write) {
    return respond_later(std::move(asked.respond), failure_answer(write.error(), asked.form));
  }
  if (asked.target.subresource == "scale") {
    return write_scale(context_, std::move(write).take(), *type, answering(std::move(asked)));
  }
  if (*type == PatchForm::apply) {
    return server::apply(context_, std::move(write).take(), answering(std::move(asked)));
  }
  const objects::PatchType how = *type == PatchForm::json    ? objects::PatchType::json
                                 : *type == PatchForm::merge ? objects::PatchType::merge
                                                             : objects::PatchType::strategic_merge;
  server::patch(context_, std::move(write).take(), how, answering(std::move(asked)));
}

void RequestHandler::remove(Asked asked) {
  auto removal = decode_delete_options(context_, asked.request, asked.route);
  if (!removal) {
    return respond_later(std::move(asked.respond), failure_answer(removal.error(), asked.form));
  }
  removal->target = asked.target;
  removal->identity = asked.request.identity;
  auto kept = std::make_unique<Asked>(std::move(asked));
  const bool says_policy = removal->propagation.has_value();
  server::remove(context_, std::move(removal).take(),
                 [this, says_policy, kept = std::move(kept)](Outcome<Written> written) {
                   Response response =
                       written ? removed_answer(context_, kept->target, kept->form, *written)
                               : failure_answer(written.error(), kept->form);
                   if (!says_policy && kept->target.is("batch", "jobs")) {
                     add_warnings({"child pods are preserved by default when jobs are deleted; set "
                                   "propagationPolicy=Background to remove them or set "
                                   "propagationPolicy=Orphan to suppress this warning"},
                                  response);
                   }
                   kept->respond(std::move(response));
                 });
}

void RequestHandler::remove_collection(Asked asked) {
  auto removal = decode_delete_options(context_, asked.request, asked.route);
  if (!removal) {
    return respond_later(std::move(asked.respond), failure_answer(removal.error(), asked.form));
  }
  removal->target = asked.target;
  removal->identity = asked.request.identity;
  const Query& query = asked.route.query;
  auto snapshot =
      server::list(context_, {.target = asked.target,
                              .label_selector = std::string(query.text_or_empty("labelSelector")),
                              .field_selector = std::string(query.text_or_empty("fieldSelector"))});
  if (!snapshot) {
    return respond_later(std::move(asked.respond), failure_answer(snapshot.error(), asked.form));
  }
  Response response = list_answer(context_, asked.target, asked.form, *snapshot);
  remove_all(context_, std::move(removal).take(), *snapshot,
             [respond = std::move(asked.respond), response = std::move(response),
              form = asked.form](Outcome<> removed) mutable {
               respond(removed ? std::move(response) : failure_answer(removed.error(), form));
             });
}

}  // namespace muster::server
