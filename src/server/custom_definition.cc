// SPDX-License-Identifier: Apache-2.0
#include "server/custom_definition.h"

#include <fmt/format.h>

#include <vector>

#include "base/timestamp.h"
#include "objects/builder.h"
#include "objects/edit.h"
#include "objects/field_error.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"

namespace muster::server {

using objects::Builder;
using objects::Condition;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view approved_annotation = "api-approved.kubernetes.io";
constexpr std::string_view approval_page =
    "see https://github.com/kubernetes/enhancements/pull/1111";

bool is_protected_group(std::string_view group) {
  for (const std::string_view domain : {"k8s.io", "kubernetes.io"}) {
    if (group == domain) return true;
    if (group.ends_with(domain) && group[group.size() - domain.size() - 1] == '.') return true;
  }
  return false;
}

bool is_address(std::string_view text) {
  const std::size_t scheme = text.find("://");
  return scheme != std::string_view::npos && scheme > 0 && text.size() > scheme + 3;
}

// The names as they are given one after the other; the last conflict is the one that is told.
class NamesDraft {
 public:
  NamesDraft(View wanted, View accepted, const UsedNames& used)
      : wanted_(wanted), accepted_(accepted), used_(used) {}

  NamesDecision decide() {
    const std::string plural = single("plural", used_.resources, "PluralConflict");
    const std::string singular = single("singular", used_.resources, "SingularConflict");
    const View short_names = several();
    const std::string kind = single("kind", used_.kinds, "KindConflict");
    const std::string list_kind = single("listKind", used_.kinds, "ListKindConflict");
    Builder builder;
    std::vector<Node::Member> members{{Builder::literal("plural"), builder.text(plural)}};
    const auto add = [&](std::string_view key, const Node& value, bool is_empty) {
      if (!is_empty) members.push_back({Builder::literal(key), value});
    };
    add("singular", builder.text(singular), singular.empty());
    add("shortNames", builder.copy(short_names), short_names.empty());
    add("kind", builder.text(kind), false);
    add("listKind", builder.text(list_kind), list_kind.empty());
    const View categories = wanted_["categories"];
    add("categories", builder.copy(categories), categories.empty());
    const Node root = builder.object(members);
    decision_.accepted = std::move(builder).finish(root);
    return std::move(decision_);
  }

 private:
  using Names = std::set<std::string, std::less<>>;

  static std::string in_use(std::string_view name) {
    return fmt::format("{} is already in use", objects::go_quoted(name));
  }

  std::string single(std::string_view field, const Names& taken, std::string_view reason) {
    const std::string_view wanted = wanted_[field].string_or("");
    const std::string_view accepted = accepted_[field].string_or("");
    if (wanted == accepted || !taken.contains(wanted)) return std::string(wanted);
    refuse(reason, in_use(wanted));
    return std::string(accepted);
  }

  View several() {
    const View wanted = wanted_["shortNames"];
    const View accepted = accepted_["shortNames"];
    std::vector<std::string> conflicts;
    for (View name : wanted.elements()) {
      bool is_ours = false;
      for (View own : accepted.elements()) is_ours = is_ours || own == name;
      if (is_ours || !used_.resources.contains(name.string_or(""))) continue;
      conflicts.push_back(in_use(name.string_or("")));
    }
    if (conflicts.empty()) return wanted;
    refuse("ShortNamesConflict", conflicts.size() == 1
                                     ? conflicts.front()
                                     : fmt::format("[{}]", fmt::join(conflicts, ", ")));
    return accepted;
  }

  void refuse(std::string_view reason, std::string message) {
    decision_.all = false;
    decision_.reason = reason;
    decision_.message = std::move(message);
  }

  View wanted_;
  View accepted_;
  const UsedNames& used_;
  NamesDecision decision_;
};

Value with_status(const Value& definition, std::string_view field, const Value& value) {
  auto changed = objects::with(definition, {"status", field}, value);
  return changed ? std::move(changed).take() : definition;
}

}  // namespace

bool is_first_class(const objects::KindRegistry& registry, View definition) {
  const View spec = definition["spec"];
  const auto kind =
      registry.find_resource(spec["group"].string_or(""), spec["names"]["plural"].string_or(""));
  return kind != nullptr && kind->is_built_in;
}

void UsedNames::add(View accepted) {
  for (const std::string_view field : {"plural", "singular"}) {
    resources.emplace(accepted[field].string_or(""));
  }
  for (View name : accepted["shortNames"].elements()) resources.emplace(name.string_or(""));
  for (const std::string_view field : {"kind", "listKind"}) {
    kinds.emplace(accepted[field].string_or(""));
  }
}

NamesDecision decide_names(View definition, const UsedNames& used) {
  return NamesDraft(definition["spec"]["names"], definition["status"]["acceptedNames"], used)
      .decide();
}

bool is_established(View definition) {
  return objects::is_true(objects::condition(definition, "Established"));
}

Approval approval_of(View definition) {
  Approval approval;
  approval.needed = is_protected_group(definition["spec"]["group"].string_or(""));
  if (!approval.needed) return approval;
  const View annotation = objects::annotations_of(definition)[approved_annotation];
  const std::string_view text = annotation.string_or("");
  if (text.empty()) {
    approval.missing = true;
    approval.valid = false;
    approval.reason = "MissingAnnotation";
    approval.message = fmt::format("protected groups must have approval annotation \"{}\", {}",
                                   approved_annotation, approval_page);
  } else if (text.starts_with("unapproved")) {
    approval.reason = "UnapprovedAnnotation";
    approval.message = fmt::format("not approved: {}", objects::go_quoted(text));
  } else if (is_address(text)) {
    approval.reason = "ApprovedAnnotation";
    approval.message = fmt::format("approved in {}", text);
  } else {
    approval.valid = false;
    approval.reason = "InvalidAnnotation";
    approval.message = fmt::format(
        "protected groups must have approval annotation \"{}\" with either a URL or a reason "
        "starting with \"unapproved\", {}",
        approved_annotation, approval_page);
  }
  return approval;
}

Value with_established(const Value& definition, const NamesDecision& decision, Instant now) {
  Value next = definition;
  if (!(next["status"]["acceptedNames"] == decision.accepted.view())) {
    next = with_status(next, "acceptedNames", decision.accepted);
  }
  next = objects::with_condition(next,
                                 {.type = "NamesAccepted",
                                  .status = decision.all ? "True" : "False",
                                  .reason = decision.reason,
                                  .message = decision.message},
                                 now);
  if (!is_established(next)) {
    next = objects::with_condition(
        next,
        decision.all ? Condition{.type = "Established",
                                 .status = "True",
                                 .reason = "InitialNamesAccepted",
                                 .message = "the initial names have been accepted"}
                     : Condition{.type = "Established",
                                 .status = "False",
                                 .reason = "NotAccepted",
                                 .message = "not all names are accepted"},
        now);
  }
  const Approval approval = approval_of(next);
  if (!approval.needed) return next;
  const bool approved = approval.reason == "ApprovedAnnotation";
  return objects::with_condition(next,
                                 {.type = "KubernetesAPIApprovalPolicyConformant",
                                  .status = approved ? "True" : "False",
                                  .reason = approval.reason,
                                  .message = approval.message},
                                 now);
}

Value marked_for_deletion(const Value& definition, Instant now) {
  Builder builder;
  builder.retain(definition);
  std::vector<Node> finalizers;
  for (View each : definition["metadata"]["finalizers"].elements()) {
    if (each.string_or("") != cleanup_finalizer) finalizers.push_back(each.node());
  }
  finalizers.push_back(Builder::literal(cleanup_finalizer));
  objects::Rewrite metadata(definition["metadata"]);
  metadata.set("deletionTimestamp", builder.text(format_time(Timestamp::of(now))));
  metadata.set("finalizers", builder.array(finalizers));
  objects::Rewrite root(definition);
  root.set("metadata", metadata.finish(builder));
  const Node node = root.finish(builder);
  return objects::with_condition(std::move(builder).finish(node),
                                 {.type = "Terminating",
                                  .status = "True",
                                  .reason = "InstanceDeletionPending",
                                  .message = "CustomResourceDefinition marked for deletion; "
                                             "CustomResource deletion will begin soon"},
                                 now);
}

}  // namespace muster::server
