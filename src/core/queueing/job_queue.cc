// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/job_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/sha1.h"
#include "core/queueing/go_text.h"
#include "core/queueing/pod_words.h"
#include "core/words.h"
#include "objects/metadata.h"

namespace muster::core {

using objects::annotations_of;
using objects::labels_of;
using objects::View;

std::string_view queue_name_of(View job) {
  const std::string_view label = labels_of(job)[words::queue_name].string_or("");
  return !label.empty() ? label : annotations_of(job)[words::queue_name].string_or("");
}

Unmanaged why_unmanaged(const JobScope& scope, std::string_view integration, View job,
                        View name_space) {
  const std::string_view queue = queue_name_of(job);
  const bool is_asked = !queue.empty() || scope.without_queue_name;
  const bool has_parent = annotations_of(job)[words::suspending_parent].is_string();
  // A job that another controller made is queued with its owner.
  const bool is_made = !has_parent && static_cast<bool>(objects::controller_of(job));
  if (!is_asked || (queue.empty() && is_made)) return {.holds = true};
  const auto ignored = [&](std::string why) {
    if (queue.empty()) return Unmanaged{.holds = true};
    return Unmanaged{.holds = true,
                     .sentence = fmt::format("The queue name {} is ignored: {}", queue, why),
                     .is_warning = true};
  };
  const std::string_view place = objects::namespace_of(job);
  if (!scope.has_namespace(place, labels_of(name_space))) {
    return ignored(fmt::format("namespace {} does not match managedJobsNamespaceSelector", place));
  }
  if (!has_parent && !scope.has_framework(integration)) {
    return ignored(fmt::format("{} is not among integrations.frameworks", integration));
  }
  return {};
}

std::string_view priority_class_of(View job) {
  return labels_of(job)[words::priority_class].string_or("");
}

std::string_view prebuilt_workload_of(View job) {
  const std::string_view annotation = annotations_of(job)[words::prebuilt_workload].string_or("");
  return !annotation.empty() ? annotation : labels_of(job)[words::prebuilt_workload].string_or("");
}

std::optional<std::int64_t> maximum_execution_seconds_of(View job) {
  const View label = labels_of(job)[words::maximum_execution_seconds];
  if (!label.is_string()) return std::nullopt;
  const auto seconds = parse_go_integer(label.string_or(""));
  if (!seconds || *seconds <= 0 || *seconds > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return *seconds;
}

std::string workload_name(const objects::Resource& resource, View job, std::string_view extra) {
  constexpr std::size_t name_length_max = 253;
  constexpr std::size_t digits = 5;
  const std::string_view name = objects::name_of(job);
  std::string prefix(resource.kind);
  std::transform(prefix.begin(), prefix.end(), prefix.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  prefix = fmt::format("{}-{}", prefix, name).substr(0, name_length_max - 1 - digits);
  const std::string digest =
      hex(sha1(fmt::format("{}\n{}\n{}\n{}{}{}", resource.kind, resource.group, name,
                           objects::uid_of(job), extra.empty() ? "" : "\n", extra)));
  return fmt::format("{}-{}", prefix, digest.substr(0, digits));
}

}  // namespace muster::core
