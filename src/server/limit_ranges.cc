// SPDX-License-Identifier: Apache-2.0
#include "server/limit_ranges.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "objects/admit.h"
#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/resource_list.h"

namespace muster::server {

using objects::Builder;
using objects::MemberView;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view annotation = "kubernetes.io/limit-ranger";

// A number above which thousandths do not fit an int64.
constexpr std::int64_t milli_exact_max = std::numeric_limits<std::int64_t>::max() / 1000;

std::vector<Value> limit_ranges(Context& context, std::string_view name_space) {
  std::vector<Value> found;
  const auto kind = context.registry.find_resource("", "limitranges");
  if (kind == nullptr) return found;
  for (const auto& [key, cached] : context.cache.all_in(*kind, name_space)) {
    found.push_back(context.trees.tree_of(cached.bytes));
  }
  return found;
}

// --- defaults ---------------------------------------------------------------------------------

struct Defaults {
  ResourceList requests;
  ResourceList limits;
};

// Of the later of two entries that name the same resource.
Defaults defaults_of(View limit_range) {
  Defaults defaults;
  for (View limit : limit_range["spec"]["limits"].elements()) {
    if (limit["type"].string_or("") != "Container") continue;
    for (auto& [name, amount] : resource_list_of(limit["defaultRequest"])) {
      defaults.requests[name] = amount;
    }
    for (auto& [name, amount] : resource_list_of(limit["default"])) {
      defaults.limits[name] = amount;
    }
  }
  return defaults;
}

// The list with what it lacks; their names go to `added`, in order.
Node completed(View list, const ResourceList& defaults, Builder& builder,
               std::vector<std::string>& added) {
  std::vector<Node::Member> members;
  for (const MemberView member : list.members()) {
    members.push_back({builder.text(member.key), member.value.node()});
  }
  for (const auto& [name, amount] : defaults) {
    if (list[name]) continue;
    members.push_back({builder.text(name), builder.text(amount.to_string())});
    added.push_back(name);
  }
  return members.empty() ? list.node() : builder.object(members);
}

struct Completion {
  const Defaults& defaults;
  Builder& builder;
  std::vector<std::string> notes = {};
};

Node completed_container(View container, std::string_view what, Completion& completion) {
  Builder& builder = completion.builder;
  std::vector<std::string> requests;
  std::vector<std::string> limits;
  const View old = container["resources"];
  Rewrite resources(old);
  resources.set("limits", completed(old["limits"], completion.defaults.limits, builder, limits));
  resources.set("requests",
                completed(old["requests"], completion.defaults.requests, builder, requests));
  const std::string_view name = container["name"].string_or("");
  const auto note = [&](const std::vector<std::string>& names, std::string_view which) {
    if (names.empty()) return;
    completion.notes.push_back(
        fmt::format("{} {} for {} {}", fmt::join(names, ", "), which, what, name));
  };
  note(requests, "request");
  note(limits, "limit");
  Rewrite next(container);
  next.set("resources", resources.finish(builder));
  return next.finish(builder);
}

Node completed_containers(View containers, std::string_view what, Completion& completion) {
  std::vector<Node> all;
  for (View container : containers.elements()) {
    all.push_back(completed_container(container, what, completion));
  }
  return all.empty() ? containers.node() : completion.builder.array(all);
}

Node with_annotation(View metadata, std::string_view text, Builder& builder) {
  std::vector<Node::Member> members;
  for (const MemberView member : metadata["annotations"].members()) {
    if (member.key == annotation) continue;
    members.push_back({builder.text(member.key), member.value.node()});
  }
  members.push_back({Builder::literal(annotation), builder.text(text)});
  Rewrite next(metadata);
  next.set("annotations", builder.object(members));
  return next.finish(builder);
}

// None where the pod says everything itself.
std::optional<Value> with_defaults(const Value& pod, const Defaults& defaults) {
  Builder builder;
  builder.retain(pod);
  Completion completion{defaults, builder};
  const View spec = pod["spec"];
  Rewrite next(spec);
  next.set("containers", completed_containers(spec["containers"], "container", completion));
  next.set("initContainers",
           completed_containers(spec["initContainers"], "init container", completion));
  if (completion.notes.empty()) return std::nullopt;
  Rewrite root(pod);
  root.set("spec", next.finish(builder));
  const std::string text =
      fmt::format("LimitRanger plugin set: {}", fmt::join(completion.notes, "; "));
  root.set("metadata", with_annotation(pod["metadata"], text, builder));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

// --- constraints ------------------------------------------------------------------------------

// What is asked for, and by whom: a container, a pod or a claim.
struct Asked {
  std::string_view type;
  ResourceList requests;
  ResourceList limits;
};

struct Compared {
  std::int64_t request;
  std::int64_t limit;
  std::int64_t enforced;
};

// In thousandths where all three fit, as the peer compares.
Compared compared(const Quantity& request, const Quantity& limit, const Quantity& enforced) {
  constexpr auto unit = QuantityScale::unit;
  const Compared whole{request.saturated_value(unit), limit.saturated_value(unit),
                       enforced.saturated_value(unit)};
  if (std::max({whole.request, whole.limit, whole.enforced}) > milli_exact_max) return whole;
  constexpr auto milli = QuantityScale::milli;
  return {request.saturated_value(milli), limit.saturated_value(milli),
          enforced.saturated_value(milli)};
}

class Constraints {
 public:
  explicit Constraints(View limit) : limit_(limit) {}

  void check(const Asked& asked) {
    for (const auto& [name, amount] : resource_list_of(limit_["min"])) {
      check_least(asked, name, amount);
    }
    for (const auto& [name, amount] : resource_list_of(limit_["max"])) {
      if (asked.type == "PersistentVolumeClaim") {
        check_most_requested(asked, name, amount);
      } else {
        check_most(asked, name, amount);
      }
    }
    if (asked.type == "PersistentVolumeClaim") return;
    for (const auto& [name, amount] : resource_list_of(limit_["maxLimitRequestRatio"])) {
      check_ratio(asked, name, amount);
    }
  }

  std::vector<std::string> take_errors() { return std::move(errors_); }

 private:
  void add(std::string_view which, const Asked& asked, std::string_view resource,
           const Quantity& enforced, std::string_view rest) {
    errors_.push_back(fmt::format("{} {} usage per {} is {}{}", which, resource, asked.type,
                                  enforced.to_string(), rest));
  }

  void check_least(const Asked& asked, const std::string& resource, const Quantity& enforced) {
    const Quantity request = amount_of(asked.requests, resource);
    const Quantity limit = amount_of(asked.limits, resource);
    const Compared at = compared(request, limit, enforced);
    if (!asked.requests.contains(resource)) {
      return add("minimum", asked, resource, enforced, ".  No request is specified");
    }
    if (at.request < at.enforced) {
      return add("minimum", asked, resource, enforced, ", but request is " + request.to_string());
    }
    if (asked.limits.contains(resource) && at.limit < at.enforced) {
      add("minimum", asked, resource, enforced, ", but limit is " + limit.to_string());
    }
  }

  void check_most(const Asked& asked, const std::string& resource, const Quantity& enforced) {
    const Quantity request = amount_of(asked.requests, resource);
    const Quantity limit = amount_of(asked.limits, resource);
    const Compared at = compared(request, limit, enforced);
    if (!asked.limits.contains(resource)) {
      return add("maximum", asked, resource, enforced, ".  No limit is specified");
    }
    if (at.limit > at.enforced) {
      return add("maximum", asked, resource, enforced, ", but limit is " + limit.to_string());
    }
    if (asked.requests.contains(resource) && at.request > at.enforced) {
      add("maximum", asked, resource, enforced, ", but request is " + request.to_string());
    }
  }

  void check_most_requested(const Asked& asked, const std::string& resource,
                            const Quantity& enforced) {
    const Quantity request = amount_of(asked.requests, resource);
    if (!asked.requests.contains(resource)) {
      return add("maximum", asked, resource, enforced, ".  No request is specified");
    }
    if (request > enforced) {
      add("maximum", asked, resource, enforced, ", but request is " + request.to_string());
    }
  }

  void check_ratio(const Asked& asked, const std::string& resource, const Quantity& enforced) {
    const auto say = [&](std::string_view rest) {
      errors_.push_back(fmt::format("{} max limit to request ratio per {} is {}, but {}", resource,
                                    asked.type, enforced.to_string(), rest));
    };
    const Compared at =
        compared(amount_of(asked.requests, resource), amount_of(asked.limits, resource), enforced);
    if (at.request == 0) return say("no request is specified or request is 0");
    if (at.limit == 0) return say("no limit is specified or limit is 0");
    const double ratio = static_cast<double>(at.limit) / static_cast<double>(at.request);
    if (ratio > enforced.to_double()) say(fmt::format("provided ratio is {:f}", ratio));
  }

  View limit_;
  std::vector<std::string> errors_;
};

std::vector<Asked> asked_by_pod(View spec, std::string_view type) {
  if (type == "Pod") {
    return {{type, pod_requests(spec, Overhead::ignored), pod_limits(spec, Overhead::ignored)}};
  }
  std::vector<Asked> all;
  if (type != "Container") return all;
  for (const std::string_view field : {"containers", "initContainers"}) {
    for (View container : spec[field].elements()) {
      const View resources = container["resources"];
      all.push_back(
          {type, resource_list_of(resources["requests"]), resource_list_of(resources["limits"])});
    }
  }
  return all;
}

std::vector<Asked> asked_by_claim(View spec, std::string_view type) {
  if (type != "PersistentVolumeClaim") return {};
  return {{type, resource_list_of(spec["resources"]["requests"]), {}}};
}

// One sentence, or all of them in brackets, each once.
std::string joined(const std::vector<std::string>& errors) {
  std::vector<std::string> each;
  for (const std::string& error : errors) {
    if (std::ranges::find(each, error) == each.end()) each.push_back(error);
  }
  if (each.size() == 1) return each.front();
  return fmt::format("[{}]", fmt::join(each, ", "));
}

bool concerns_pod(const Admission& admission) {
  const Target& target = admission.target;
  if (!target.is("", "pods")) return false;
  return target.subresource.empty() ? admission.is_create() : target.subresource == "resize";
}

bool concerns_claim(const Admission& admission) {
  return admission.target.is("", "persistentvolumeclaims") && admission.target.subresource.empty();
}

}  // namespace

void apply_limit_defaults(Context& context, Admission& admission) {
  if (!concerns_pod(admission)) return;
  bool is_same = true;
  for (const Value& limit_range : limit_ranges(context, admission.target.name_space)) {
    auto completed = with_defaults(admission.object, defaults_of(limit_range));
    if (!completed) continue;
    admission.object = *std::move(completed);
    is_same = false;
  }
  // A limit that was not asked for may be below what was.
  if (is_same || !admission.is_create()) return;
  const Target& target = admission.target;
  admission.errors = objects::validate(target.kind->storage_version().schema, admission.object,
                                       admission.old_object, target.kind->scope);
}

Outcome<> check_limit_ranges(Context& context, const Admission& admission) {
  const bool is_pod = concerns_pod(admission);
  if (!is_pod && !concerns_claim(admission)) return {};
  if (objects::is_being_deleted(admission.old_object)) return {};
  const View spec = admission.object["spec"];
  for (const Value& limit_range : limit_ranges(context, admission.target.name_space)) {
    std::vector<std::string> errors;
    for (View limit : limit_range["spec"]["limits"].elements()) {
      const std::string_view type = limit["type"].string_or("");
      Constraints constraints(limit);
      for (const Asked& asked : is_pod ? asked_by_pod(spec, type) : asked_by_claim(spec, type)) {
        constraints.check(asked);
      }
      for (std::string& error : constraints.take_errors()) errors.push_back(std::move(error));
    }
    if (!errors.empty()) return forbidden(admission.target, joined(errors));
  }
  return {};
}

}  // namespace muster::server
