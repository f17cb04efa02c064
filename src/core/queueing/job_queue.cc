// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/job_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/sha1.h"
#include "core/queueing/go_text.h"
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

std::string workload_name(const objects::Resource& resource, View job) {
  constexpr std::size_t name_length_max = 253;
  constexpr std::size_t digits = 5;
  const std::string_view name = objects::name_of(job);
  std::string prefix(resource.kind);
  std::transform(prefix.begin(), prefix.end(), prefix.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  prefix = fmt::format("{}-{}", prefix, name).substr(0, name_length_max - 1 - digits);
  const std::string digest = hex(sha1(
      fmt::format("{}\n{}\n{}\n{}", resource.kind, resource.group, name, objects::uid_of(job))));
  return fmt::format("{}-{}", prefix, digest.substr(0, digits));
}

}  // namespace muster::core
