// SPDX-License-Identifier: Apache-2.0
#include "server/log_request.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "base/timestamp.h"
#include "objects/metadata.h"
#include "server/pod_container.h"
#include "server/read.h"

namespace muster::server {

using objects::FieldError;
using objects::FieldErrors;
using objects::Value;

namespace {

Failure invalid_options(std::string_view pod, FieldError error) {
  FieldErrors errors;
  errors.add(std::move(error));
  return failures::invalid("", "PodLogOptions", pod, errors);
}

Outcome<std::optional<std::int64_t>> counted(const Query& query, std::string_view pod,
                                             std::string_view name, std::int64_t least) {
  const auto value = TRY(query.integer(name));
  if (value && *value < least) {
    const std::string why =
        least == 0 ? "must be greater than or equal to 0" : "must be greater than 0";
    return invalid_options(pod,
                           FieldError::invalid(std::string(name), Value::integer(*value), why));
  }
  return value;
}

Outcome<std::optional<Instant>> since(const Context& context, std::string_view pod,
                                      const Query& query) {
  const auto seconds = ALLOWED(counted(query, pod, "sinceSeconds", 1));
  const auto time = query.find("sinceTime");
  if (seconds && time) {
    return invalid_options(pod, FieldError::forbidden("[]",
                                                      "at most one of `sinceTime` or "
                                                      "`sinceSeconds` may be specified"));
  }
  // Longer than anything can have run; also keeps the arithmetic in range.
  constexpr std::int64_t seconds_max = 1'000'000'000;
  if (seconds) {
    return std::optional(context.clock.wall() - Span::of_seconds(std::min(*seconds, seconds_max)));
  }
  if (!time) return std::optional<Instant>();
  const Timestamp parsed = TRY(parse_time(*time));
  return std::optional(parsed.saturated_instant());
}

}  // namespace

Outcome<std::unique_ptr<Stream>> open_log(Context& context, const Target& target,
                                          const Query& query) {
  const Item item = ALLOWED(get(context, target));
  const Value pod = context.trees.tree_of(item.bytes);
  LogRequest request{.pod_uid = std::string(objects::uid_of(pod)), .container = {}};
  request.container = ALLOWED(container_of(pod, query.text_or_empty("container")));
  request.follow = query.boolean("follow").value_or(false);
  request.previous = query.boolean("previous").value_or(false);
  request.timestamps = query.boolean("timestamps").value_or(false);
  request.tail_lines = ALLOWED(counted(query, target.name, "tailLines", 0));
  request.limit_bytes = ALLOWED(counted(query, target.name, "limitBytes", 1));
  request.since = ALLOWED(since(context, target.name, query));
  if (pod["spec"]["nodeName"].string_or("").empty()) return std::unique_ptr<Stream>();
  if (context.logs == nullptr) {
    return Error{ErrorCode::unavailable, "no node of this server keeps logs"};
  }
  return TRY(context.logs->open(request));
}

}  // namespace muster::server
