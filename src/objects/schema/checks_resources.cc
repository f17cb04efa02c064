// SPDX-License-Identifier: Apache-2.0
// Requests, limits and claims: of containers, and of pods as a whole.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "objects/schema/checks_pod.h"

namespace muster::objects {

namespace {

constexpr std::string_view of_containers[] = {"cpu", "memory", "ephemeral-storage"};
constexpr std::string_view of_others[] = {"requests.cpu",
                                          "requests.memory",
                                          "requests.ephemeral-storage",
                                          "requests.storage",
                                          "limits.cpu",
                                          "limits.memory",
                                          "limits.ephemeral-storage",
                                          "storage",
                                          "pods",
                                          "resourcequotas",
                                          "services",
                                          "services.nodeports",
                                          "services.loadbalancers",
                                          "replicationcontrollers",
                                          "secrets",
                                          "configmaps",
                                          "persistentvolumeclaims"};
constexpr std::string_view huge_prefix = "hugepages-";

bool is_one_of(std::string_view name, const auto& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_huge(std::string_view name) {
  return name.starts_with(huge_prefix);
}

// Kubernetes' own, which may be given out more than once.
bool is_native(std::string_view name) {
  return name.find('/') == std::string_view::npos ||
         name.find("kubernetes.io/") != std::string_view::npos;
}

bool is_overcommitable(std::string_view name) {
  return is_native(name) && !is_huge(name);
}

void check_name(CheckScope& scope, const std::string& place, std::string_view name) {
  const auto sentences = qualified_name_violations(name);
  scope.format(place, name, Format::qualified_name);
  if (name.find('/') == std::string_view::npos) {
    const bool of_container = is_one_of(name, of_containers) || is_huge(name);
    if (sentences.empty() && !of_container && !is_one_of(name, of_others) &&
        !name.starts_with("requests.hugepages-")) {
      scope.invalid(place, name, "must be a standard resource type or fully qualified");
    }
    if (!of_container) scope.invalid(place, name, "must be a standard resource for containers");
  } else if (!is_native(name) && name.starts_with("requests.")) {
    scope.invalid(place, name, "doesn't follow extended resource name standard");
  }
}

void check_amount(CheckScope& scope, const std::string& place, std::string_view name, View value,
                  const Quantity& amount) {
  if (amount.sign() < 0) scope.invalid(place, value, "must be greater than or equal to 0");
  const auto milli = amount.milli_value();
  if (!is_native(name) && milli && *milli % 1000 != 0) {
    scope.invalid(place, value, "must be an integer");
  }
  if (!is_huge(name)) return;
  const auto page = Quantity::parse(name.substr(huge_prefix.size()));
  const auto page_bytes = page ? page->value() : Result<std::int64_t>(std::int64_t{0});
  const auto bytes = amount.value();
  if (page_bytes && *page_bytes > 0 && bytes && *bytes % *page_bytes == 0) return;
  scope.invalid(place, value,
                fmt::format("{} is not positive integer multiple of {}", amount.to_string(), name));
}

struct Seen {
  bool huge = false;
  bool cpu_or_memory = false;
};

using CheckName = void (*)(CheckScope&, const std::string&, std::string_view);

void check_list(CheckScope& scope, const std::string& place, View list, CheckName check_one,
                Seen& seen) {
  for (MemberView entry : list.members()) {
    const std::string at = fmt::format("{}[{}]", place, entry.key);
    check_one(scope, at, entry.key);
    seen.huge = seen.huge || is_huge(entry.key);
    seen.cpu_or_memory = seen.cpu_or_memory || entry.key == "cpu" || entry.key == "memory";
    const auto amount = Quantity::parse_field(entry.value.string_or(""));
    if (amount) check_amount(scope, at, entry.key, entry.value, *amount);
  }
}

void check_against_limit(CheckScope& scope, const std::string& place, MemberView request,
                         View limits) {
  const auto amount = Quantity::parse_field(request.value.string_or(""));
  if (!amount) return;
  const View limit_value = limits[request.key];
  const auto limit = Quantity::parse_field(limit_value.string_or(""));
  if (!limit_value || !limit) {
    if (!is_overcommitable(request.key)) {
      scope.required(place + ".limits", "Limit must be set for non overcommitable resources");
    }
    return;
  }
  if (!is_overcommitable(request.key) && !(*amount == *limit)) {
    add_late(scope, FieldError::invalid(scope.at(place + ".requests"), request.value,
                                        fmt::format("must be equal to {} limit of {}", request.key,
                                                    limit->to_string())));
  } else if (*limit < *amount) {
    add_late(scope, FieldError::invalid(scope.at(place + ".requests"), request.value,
                                        fmt::format("must be less than or equal to {} limit of {}",
                                                    request.key, limit->to_string())));
  }
}

void check_requirements(CheckScope& scope, const std::string& place, View resources,
                        CheckName check_one) {
  Seen seen;
  check_list(scope, place + ".limits", resources["limits"], check_one, seen);
  check_list(scope, place + ".requests", resources["requests"], check_one, seen);
  for (MemberView request : resources["requests"].members()) {
    check_against_limit(scope, place, request, resources["limits"]);
  }
  if (seen.huge && !seen.cpu_or_memory) {
    add_late(scope, FieldError::forbidden(scope.at(place), "HugePages require cpu or memory"));
  }
}

void check_claims(const ContainerPlace& here) {
  std::set<std::string_view> known;
  for (View claim : here.spec()["resourceClaims"].elements()) {
    known.insert(claim["name"].string_or(""));
  }
  std::set<std::string_view> used;
  std::size_t index = 0;
  for (View claim : here.container["resources"]["claims"].elements()) {
    const std::string place = here.at(fmt::format(".resources.claims[{}]", index++));
    const View name = claim["name"];
    const std::string_view text = name.string_or("");
    if (text.empty()) {
      here.scope.required(place);
      continue;
    }
    if (!used.insert(text).second) here.scope.duplicate(place, name);
    if (known.contains(text)) continue;
    FieldError error = FieldError::not_found(here.scope.at(place), name);
    error.detail = known.empty()
                       ? "must be one of the names in pod.spec.resourceClaims which is empty"
                       : fmt::format(
                             "must be one of the names in "
                             "pod.spec.resourceClaims: {}",
                             fmt::join(known, ", "));
    here.scope.add(std::move(error));
  }
}

// What all containers ask for together: the greater of those that stay and of each that comes
// before them.
Quantity aggregate(View spec, std::string_view resource) {
  const auto asked = [&](View container) {
    const auto amount =
        Quantity::parse_field(container["resources"]["requests"][resource].string_or("0"));
    return amount ? *amount : Quantity();
  };
  Quantity total;
  for (View container : spec["containers"].elements()) total += asked(container);
  Quantity before;
  Quantity largest;
  for (View container : spec["initContainers"].elements()) {
    Quantity now = asked(container);
    if (container["restartPolicy"].string_or("") == "Always") {
      total += now;
      before += now;
      now = before;
    } else {
      now += before;
    }
    if (largest < now) largest = now;
  }
  return total < largest ? largest : total;
}

void check_pod_name(CheckScope& scope, const std::string& place, std::string_view name) {
  scope.format(place, name, Format::qualified_name);
  if (name == "cpu" || name == "memory" || is_huge(name)) return;
  scope.not_supported(place, name, {"cpu", "hugepages-", "memory"});
}

}  // namespace

void check_container_resources(const ContainerPlace& here) {
  check_requirements(here.scope, here.at(".resources"), here.container["resources"], check_name);
  check_claims(here);
}

void check_pod_resources(CheckScope& scope) {
  const View resources = scope["resources"];
  if (!resources) return;
  if (resources["claims"]) {
    scope.forbidden(".resources.claims", "claims may not be set for Resources at pod-level");
  }
  check_requirements(scope, ".resources", resources, check_pod_name);
  for (MemberView request : resources["requests"].members()) {
    const auto whole = Quantity::parse_field(request.value.string_or(""));
    const Quantity parts = aggregate(scope.value(), request.key);
    if (!whole || !(*whole < parts)) continue;
    scope.invalid(fmt::format(".resources.requests[{}]", request.key), request.value,
                  fmt::format("must be greater than or equal to aggregate container requests of {}",
                              parts.to_string()));
  }
}

}  // namespace muster::objects
