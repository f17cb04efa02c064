// SPDX-License-Identifier: Apache-2.0
#include "server/pod_container.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "objects/metadata.h"

namespace muster::server {

using objects::View;

namespace {

constexpr std::string_view default_container = "kubectl.kubernetes.io/default-container";

std::vector<std::string> names_in(View containers) {
  std::vector<std::string> names;
  for (View container : containers.elements()) {
    names.emplace_back(container["name"].string_or(""));
  }
  return names;
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  for (const std::string& each : names) {
    if (each == name) return true;
  }
  return false;
}

std::string choices(const std::vector<std::string>& names) {
  return fmt::format("[{}]", fmt::join(names, " "));
}

}  // namespace

Outcome<std::string> container_of(View pod, std::string_view wanted) {
  const std::vector<std::string> names = names_in(pod["spec"]["containers"]);
  const std::vector<std::string> init = names_in(pod["spec"]["initContainers"]);
  const std::string_view name = objects::name_of(pod);
  if (!wanted.empty()) {
    if (has(names, wanted) || has(init, wanted)) return std::string(wanted);
    return Error::bad_request(fmt::format("container {} is not valid for pod {}", wanted, name));
  }
  if (names.size() == 1) return names.front();
  const std::string_view chosen = objects::annotations_of(pod)[default_container].string_or("");
  if (!chosen.empty() && has(names, chosen)) return std::string(chosen);
  std::string message = fmt::format(
      "a container name must be specified for pod {}, choose one of: {}", name, choices(names));
  if (!init.empty()) message += fmt::format(" or one of the init containers: {}", choices(init));
  return Error::bad_request(std::move(message));
}

}  // namespace muster::server
