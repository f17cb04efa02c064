// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "objects/field_selector.h"
#include "server/log_request.h"
#include "server/request_handler.h"
#include "server/scale.h"
#include "server/stored_object.h"

// The verbs that read, as requests: get, list, watch and the log of a pod.

namespace muster::server {

namespace {

// The Go type that the peer holds an object of the kind in, or a list of them.
std::string go_type_of(const objects::Kind& kind, bool list) {
  if (kind.style == objects::SchemaStyle::custom) {
    return list ? "*unstructured.UnstructuredList" : "*unstructured.Unstructured";
  }
  const std::string_view package =
      kind.group.empty() ? "core" : std::string_view(kind.group).substr(0, kind.group.find('.'));
  return fmt::format("*{}.{}", package, list ? kind.list_kind : kind.kind);
}

}  // namespace

Failure RequestHandler::wrong_number(const Asked& asked) {
  const bool list = asked.form.form.of_one;
  Failure failure;
  failure.code = 406;
  failure.reason = "NotAcceptable";
  failure.message = fmt::format(
      "you requested PartialObjectMetadata{}, but the requested object is {} ({})",
      list ? "" : "List", list ? "a list" : "not a list", go_type_of(*asked.target.kind, list));
  return failure;
}

// A get may ask for a state that is not older than a version.
Outcome<> RequestHandler::check_version(const Asked& asked) const {
  const std::string_view version = asked.route.query.text_or_empty("resourceVersion");
  if (version.empty()) return {};
  const auto revision = parse_revision(version);
  if (!revision) {
    Failure failure;
    failure.message = fmt::format(
        "resourceVersion: Invalid value: {0}: strconv.ParseUint: parsing {0}: invalid syntax",
        objects::go_quoted(version));
    return failure;
  }
  context_.cache.catch_up();
  const store::Revision now = context_.cache.revision();
  if (*revision <= now) return {};
  return failures::too_large_resource_version(revision->value, now.value);
}

Response RequestHandler::get(const Asked& asked) {
  if (auto fits = check_version(asked); !fits) return failure_answer(fits.error(), asked.form);
  const auto item = server::get(context_, asked.target);
  if (!item) return failure_answer(item.error(), asked.form);
  if (asked.form.form.of_many) return failure_answer(wrong_number(asked));
  if (asked.target.subresource == "scale") {
    const auto object = in_version(
        asked.target, with_revision(context_.trees.tree_of(item->bytes), item->revision));
    if (!object) return failure_answer(object.error(), asked.form);
    const objects::Value scale = scale_of(asked.target, *object);
    const auto kind = context_.registry.find("autoscaling", "Scale");
    const Target as_scale{.kind = kind, .version = &kind->storage_version()};
    return value_answer(200, shaped(context_, as_scale, asked.form, scale), asked.form);
  }
  return item_answer(context_, asked.target, asked.form, *item);
}

Response RequestHandler::list(const Asked& asked) {
  if (asked.form.form.of_one) {
    return failure_answer(wrong_number(asked));
  }
  const Query& query = asked.route.query;
  const auto limit = query.integer("limit");
  const auto timeout = query.integer("timeoutSeconds");
  if (!limit) return failure_answer(limit.error(), asked.form);
  if (!timeout) return failure_answer(timeout.error(), asked.form);
  auto snapshot = server::list(
      context_, {.target = asked.target,
                 .label_selector = std::string(query.text_or_empty("labelSelector")),
                 .field_selector = std::string(query.text_or_empty("fieldSelector")),
                 .resource_version = std::string(query.text_or_empty("resourceVersion")),
                 .resource_version_match = std::string(query.text_or_empty("resourceVersionMatch")),
                 .limit = limit->value_or(0),
                 .continue_token = std::string(query.text_or_empty("continue")),
                 .says_initial_events = query.find("sendInitialEvents").has_value()});
  if (!snapshot) return failure_answer(snapshot.error(), asked.form);
  return list_answer(context_, asked.target, asked.form, std::move(snapshot).take());
}

// The selector of a watch, which may name one object in its path.
Outcome<std::string> RequestHandler::watched_fields(const Asked& asked) const {
  std::string selector(asked.route.query.text_or_empty("fieldSelector"));
  const std::string& name = asked.target.name;
  if (name.empty()) return selector;
  const auto parsed = objects::FieldSelector::parse(selector);
  if (!parsed || parsed->matches_everything()) return fmt::format("metadata.name={}", name);
  if (parsed->required_value("metadata.name").value_or("") == name) return selector;
  return failures::bad_request("fieldSelector metadata.name doesn't match requested name");
}

Response RequestHandler::watch(const Asked& asked) {
  const Query& query = asked.route.query;
  const auto limit = query.integer("limit");
  const auto initial = query.boolean("sendInitialEvents");
  const auto bookmarks = query.boolean("allowWatchBookmarks");
  const auto timeout = query.integer("timeoutSeconds");
  const auto fields = watched_fields(asked);
  if (!limit) return failure_answer(limit.error(), asked.form);
  if (!timeout) return failure_answer(timeout.error(), asked.form);
  if (!fields) return failure_answer(fields.error(), asked.form);
  auto stream = std::make_unique<WatchStream>(context_, encoded_, asked.target, asked.form);
  auto feed = WatchFeed::open(
      context_,
      {.target = asked.target,
       .label_selector = std::string(query.text_or_empty("labelSelector")),
       .field_selector = *fields,
       .resource_version = std::string(query.text_or_empty("resourceVersion")),
       .resource_version_match = std::string(query.text_or_empty("resourceVersionMatch")),
       .send_initial_events = initial,
       .allow_bookmarks = bookmarks.value_or(false),
       .timeout_seconds = *timeout},
      [waiting = stream.get()] { waiting->wake(); });
  Response response{.content_type = std::string(content_type_of(asked.form.form))};
  if (feed) {
    stream->set_feed(std::move(feed).take());
    response.body = std::move(stream);
  } else if (feed.error().code == http_status(ErrorCode::expired)) {
    // A version that is too old is told inside the watch, as kube-apiserver does.
    response.body = error_event(feed.error());
  } else {
    return failure_answer(feed.error(), asked.form);
  }
  return response;
}

Response RequestHandler::log(const Asked& asked) {
  auto stream = open_log(context_, asked.target, asked.route.query);
  if (!stream) return failure_answer(stream.error(), asked.form);
  if (*stream == nullptr) return {.status = 204, .content_type = ""};
  return {.content_type = "text/plain", .body = std::move(stream).take()};
}

}  // namespace muster::server
