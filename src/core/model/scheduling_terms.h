// SchedulingTerms: what a pod says about the nodes it may run on: node selector, required node
// affinity, tolerations. And what a node (or a flavor, which promises nodes) answers: labels and
// taints.
//
//   SchedulingTerms terms = TRY(read_scheduling_terms(pod["spec"]));
//   if (terms.match(labels, node_name) && first_untolerated(taints, {terms.tolerations}) ==
//   nullptr)
//
// Assumes: of preferences only those for nodes are kept, for topologies that count them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "objects/label_selector.h"
#include "objects/value.h"

namespace muster::core {

// Sorted by key.
using Labels = std::vector<std::pair<std::string, std::string>>;

Labels read_labels(objects::View labels);
std::optional<std::string_view> find_label(const Labels& labels, std::string_view key);

enum class TaintEffect : std::uint8_t { no_schedule, prefer_no_schedule, no_execute };

struct Taint {
  std::string key;
  std::string value;
  TaintEffect effect = TaintEffect::no_schedule;

  // As Go prints the struct, which is how Kueue's messages show it: {key value NoSchedule <nil>}
  std::string to_string() const;
  // As people write it: key=value:NoSchedule, key:NoSchedule
  std::string to_text() const;
  friend bool operator==(const Taint&, const Taint&) = default;
};

std::vector<Taint> read_taints(objects::View taints);

struct Toleration {
  enum class Operator : std::uint8_t { equal, exists, less, greater };

  std::string key;  // empty: every key
  Operator operation = Operator::equal;
  std::string value;
  std::optional<TaintEffect> effect;  // nothing: every effect

  // less and greater: the taint's value is a whole number below or above the toleration's.
  bool tolerates(const Taint& taint) const;
};

std::vector<Toleration> read_tolerations(objects::View tolerations);

// The first taint that keeps pods away (NoSchedule, NoExecute) and that nothing tolerates.
const Taint* first_untolerated(std::span<const Taint> taints,
                               std::initializer_list<std::span<const Toleration>> tolerations);

// An expression that Kubernetes would refuse. It stands in its place and holds nowhere.
struct BrokenExpression {
  std::size_t place = 0;                // among the labels of the term
  std::vector<std::string> complaints;  // each beginning with the path below the expression
};

// One term of a required node affinity: all of it must hold.
struct NodeSelectorTerm {
  std::vector<objects::LabelRequirement> labels;
  std::vector<objects::LabelRequirement> fields;  // of metadata.name, the only one there is
  std::vector<BrokenExpression> broken = {};      // of labels

  bool matches(const Labels& node_labels, std::string_view node_name) const;
};

// As in spec.nodeSelectorTerms[] of an affinity.
NodeSelectorTerm read_node_selector_term(objects::View term);

struct PreferredTerm {
  std::int64_t weight = 0;
  NodeSelectorTerm term;
};

struct SchedulingTerms {
  Labels node_selector;
  bool has_affinity = false;
  std::vector<NodeSelectorTerm> affinity;  // one of them must hold, where has_affinity
  std::vector<Toleration> tolerations;
  std::vector<PreferredTerm> preferred = {};  // node affinity that only counts

  bool selector_matches(const Labels& labels) const;
  bool affinity_matches(const Labels& labels, std::string_view node_name) const;
  // The weights of the preferred terms that hold.
  std::int64_t score(const Labels& labels, std::string_view node_name) const;

  // Kueue's question to a flavor: only the keys the flavor itself has are looked at. A term of
  // which nothing is left allows any flavor.
  bool flavor_matches(const Labels& flavor_labels) const;

  // Where it does not match: the expressions on the flavor's keys that cannot be read, as Kueue
  // tells them. Empty: everything could be read.
  std::string flavor_complaint(const Labels& flavor_labels) const;
};

Result<SchedulingTerms> read_scheduling_terms(objects::View pod_spec);

}  // namespace muster::core
