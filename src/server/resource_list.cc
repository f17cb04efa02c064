// SPDX-License-Identifier: Apache-2.0
#include "server/resource_list.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace muster::server {

using objects::Builder;
using objects::MemberView;
using objects::Node;
using objects::View;

namespace {

Result<Quantity> quantity_of(View value) {
  if (value.is_integer()) return Quantity::of(value.integer_or(0));
  return Quantity::parse_field(value.string_or(""));
}

bool is_sidecar(View container) {
  return container["restartPolicy"].string_or("") == "Always";
}

// What a pod may say for all of its containers together.
bool is_pod_level(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource.starts_with("hugepages-");
}

ResourceList in_total(View spec, std::string_view which) {
  ResourceList total;
  for (View container : spec["containers"].elements()) {
    add(total, resource_list_of(container["resources"][which]));
  }
  ResourceList sidecars;
  ResourceList starting;
  for (View container : spec["initContainers"].elements()) {
    const ResourceList own = resource_list_of(container["resources"][which]);
    if (is_sidecar(container)) {
      add(total, own);
      add(sidecars, own);
      take_larger(starting, sidecars);
      continue;
    }
    ResourceList then = sidecars;
    add(then, own);
    take_larger(starting, then);
  }
  take_larger(total, starting);
  for (auto& [name, amount] : resource_list_of(spec["resources"][which])) {
    if (is_pod_level(name)) total[name] = amount;
  }
  return total;
}

}  // namespace

ResourceList resource_list_of(View list) {
  ResourceList result;
  for (const MemberView member : list.members()) {
    auto amount = quantity_of(member.value);
    if (amount) result.emplace(member.key, std::move(amount).take());
  }
  return result;
}

Node node_of(const ResourceList& list, Builder& builder) {
  std::vector<Node::Member> members;
  members.reserve(list.size());
  for (const auto& [name, amount] : list) {
    members.push_back({builder.text(name), builder.text(amount.to_string())});
  }
  return builder.object(members);
}

void add(ResourceList& to, const ResourceList& more) {
  for (const auto& [name, amount] : more) {
    const auto [at, is_new] = to.try_emplace(name, amount);
    if (!is_new) at->second += amount;
  }
}

void take_larger(ResourceList& to, const ResourceList& other) {
  for (const auto& [name, amount] : other) {
    const auto [at, is_new] = to.try_emplace(name, amount);
    if (!is_new && at->second < amount) at->second = amount;
  }
}

Quantity amount_of(const ResourceList& list, std::string_view name) {
  const auto found = list.find(name);
  return found == list.end() ? Quantity() : found->second;
}

ResourceList pod_requests(View spec, Overhead overhead) {
  ResourceList total = in_total(spec, "requests");
  if (overhead == Overhead::counted) add(total, resource_list_of(spec["overhead"]));
  return total;
}

ResourceList pod_limits(View spec, Overhead overhead) {
  ResourceList total = in_total(spec, "limits");
  if (overhead == Overhead::ignored) return total;
  // Only what is limited already: overhead makes no limit of its own.
  for (const auto& [name, amount] : resource_list_of(spec["overhead"])) {
    const auto found = total.find(name);
    if (found != total.end() && !found->second.is_zero()) found->second += amount;
  }
  return total;
}

std::string to_text(const ResourceList& list) {
  std::string text;
  for (const auto& [name, amount] : list) {
    fmt::format_to(std::back_inserter(text), "{}{}={}", text.empty() ? "" : ",", name,
                   amount.to_string());
  }
  return text;
}

}  // namespace muster::server
