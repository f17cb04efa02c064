// SPDX-License-Identifier: Apache-2.0
#include "server/disruption.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "objects/builder.h"
#include "objects/label_selector.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/scale.h"

namespace muster::server {

using objects::Builder;
using objects::LabelSelector;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

constexpr Span granted_span = Span::of_seconds(120);

// A count, or a percentage of a whole, rounded up.
std::int64_t scaled(View value, std::int64_t whole) {
  if (value.is_integer()) return value.integer_or(0);
  std::int64_t percent = 0;
  for (const char c : value.string_or("")) {
    if (c < '0' || c > '9' || percent > 1'000) break;
    percent = percent * 10 + (c - '0');
  }
  return (whole * percent + 99) / 100;
}

std::vector<Value> pods_of(Context& context, View budget) {
  std::vector<Value> found;
  const auto selector = LabelSelector::of(budget["spec"]["selector"]);
  const auto pods = context.registry.find_resource("", "pods");
  if (!selector || pods == nullptr || !budget["spec"]["selector"].is_object()) return found;
  for (const auto& [key, pod] : context.cache.all_in(*pods, objects::namespace_of(budget))) {
    if (!context.cache.matches(pod, *selector, {})) continue;
    found.push_back(context.trees.tree_of(pod.bytes));
  }
  return found;
}

struct Scaled {
  std::string uid = {};
  std::int64_t replicas = 0;
  std::string trouble = {};  // why nobody can say how many there should be
};

// The object to which an owner reference points, where it is the one that was meant.
struct Controller {
  objects::KindRegistry::Found kind;
  Value tree;
  std::string trouble = {};
};

Controller controller_at(Context& context, View reference, std::string_view name_space) {
  const std::string_view version = reference["apiVersion"].string_or("");
  const std::string_view kind_name = reference["kind"].string_or("");
  const std::size_t slash = version.find('/');
  const bool core = slash == std::string_view::npos;
  Controller out;
  out.kind = context.registry.find(core ? "" : version.substr(0, slash), kind_name);
  if (out.kind == nullptr) {
    out.trouble = fmt::format("no matches for kind \"{}\" in version \"{}\"", kind_name, version);
    return out;
  }
  if (!has_scale(out.kind->storage_version())) {
    out.trouble = fmt::format("{} does not implement the scale subresource",
                              out.kind->group.empty()
                                  ? out.kind->plural
                                  : fmt::format("{}.{}", out.kind->plural, out.kind->group));
    return out;
  }
  const CachedObject* found =
      context.cache.find(*out.kind, name_space, reference["name"].string_or(""));
  if (found != nullptr && found->uid == reference["uid"].string_or("")) {
    out.tree = context.trees.tree_of(found->bytes);
  }
  return out;
}

// Of pods of a Deployment its own count, not that of one of its ReplicaSets.
Scaled scale_behind(Context& context, View pod) {
  const std::string_view name_space = objects::namespace_of(pod);
  Controller owner = controller_at(context, objects::controller_of(pod), name_space);
  const View above = objects::controller_of(owner.tree);
  if (owner.trouble.empty() && above && above["kind"].string_or("") == "Deployment") {
    owner = controller_at(context, above, name_space);
  }
  if (owner.trouble.empty() && owner.tree.is_absent()) {
    owner.trouble =
        fmt::format("found no controllers for pod {}", objects::go_quoted(objects::name_of(pod)));
  }
  if (!owner.trouble.empty()) return {.trouble = std::move(owner.trouble)};
  return {.uid = std::string(objects::uid_of(owner.tree)),
          .replicas = replicas_wanted(owner.kind->storage_version(), owner.tree)};
}

// How many pods those who made these want.
void count_expected(Context& context, const std::vector<Value>& pods, Disruption& out) {
  std::map<std::string, std::int64_t> replicas;         // by the uid of who says so
  std::map<std::string_view, bool, std::less<>> asked;  // by the uid of the pod's own owner
  for (const Value& pod : pods) {
    const View owner = objects::controller_of(pod);
    if (!owner || !asked.emplace(owner["uid"].string_or(""), true).second) continue;
    Scaled scale = scale_behind(context, pod);
    if (!scale.trouble.empty()) {
      out.trouble = std::move(scale.trouble);
      return;
    }
    replicas[scale.uid] = scale.replicas;
  }
  for (const auto& [uid, count] : replicas) out.expected += count;
}

void count_wanted(Context& context, View budget, const std::vector<Value>& pods, Disruption& out) {
  const View most = budget["spec"]["maxUnavailable"];
  const View least = budget["spec"]["minAvailable"];
  if (most && !most.is_null()) {
    count_expected(context, pods, out);
    out.desired = std::max<std::int64_t>(0, out.expected - scaled(most, out.expected));
  } else if (least.is_integer()) {
    out.expected = static_cast<std::int64_t>(pods.size());
    out.desired = least.integer_or(0);
  } else if (least.is_string()) {
    count_expected(context, pods, out);
    out.desired = scaled(least, out.expected);
  }
}

// Whether an eviction of the pod was granted a short while ago.
bool was_granted(View budget, View pod, Instant now, Disruption& out) {
  const std::string_view name = objects::name_of(pod);
  const View since = budget["status"]["disruptedPods"][name];
  const auto at = objects::instant_of(since);
  if (!at) return false;
  const Instant due = *at + granted_span;
  if (due < now) return false;
  out.granted.emplace(name, since.string_or(""));
  if (!out.look_again || due < *out.look_again) out.look_again = due;
  return true;
}

Node granted_node(Builder& builder, const Disruption& disruption) {
  std::vector<Node::Member> members;
  for (const auto& [name, since] : disruption.granted) {
    members.push_back({builder.text(name), builder.text(since)});
  }
  return members.empty() ? Node() : builder.object(members);
}

}  // namespace

bool is_budget(const objects::Kind& kind) {
  return kind.group == "policy" && kind.plural == "poddisruptionbudgets";
}

bool is_ready_pod(View pod) {
  return objects::is_true(objects::condition(pod, "Ready"));
}

bool selects(View budget, View pod) {
  const View wanted = budget["spec"]["selector"];
  const auto selector = LabelSelector::of(wanted);
  return wanted.is_object() && selector && selector->matches(objects::labels_of(pod));
}

Disruption disruption_of(Context& context, View budget) {
  const std::vector<Value> pods = pods_of(context, budget);
  const Instant now = context.clock.wall();
  Disruption out;
  count_wanted(context, budget, pods, out);
  for (const Value& pod : pods) {
    if (objects::is_being_deleted(pod) || was_granted(budget, pod, now, out)) continue;
    if (is_ready_pod(pod)) ++out.healthy;
  }
  return out;
}

Value with_status(const Value& budget, const Disruption& disruption, Instant now) {
  Builder builder;
  builder.retain(budget);
  objects::Rewrite status(budget["status"]);
  const bool counted = disruption.trouble.empty();
  const std::int64_t generation = counted ? objects::generation_of(budget)
                                          : budget["status"]["observedGeneration"].integer_or(0);
  status.set("disruptionsAllowed", Builder::integer(disruption.allowed()));
  if (counted) {
    status.set("currentHealthy", Builder::integer(disruption.healthy));
    status.set("desiredHealthy", Builder::integer(disruption.desired));
    status.set("expectedPods", Builder::integer(disruption.expected));
    status.set("observedGeneration", Builder::integer(generation));
    status.set("disruptedPods", granted_node(builder, disruption));
  }
  objects::Rewrite root(budget);
  root.set("status", status.finish(builder));
  const Node node = root.finish(builder);
  const Value next = std::move(builder).finish(node);
  const bool allows = disruption.allowed() > 0;
  return objects::with_condition(next,
                                 {.type = "DisruptionAllowed",
                                  .status = allows ? "True" : "False",
                                  .reason = !counted ? "SyncFailed"
                                            : allows ? "SufficientPods"
                                                     : "InsufficientPods",
                                  .message = disruption.trouble,
                                  .observed_generation = generation},
                                 now);
}

}  // namespace muster::server
