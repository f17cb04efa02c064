// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_explanation.h"

#include "cli/plan/document_object.h"
#include "cli/plan/plan_figures.h"

namespace muster::cli {

using objects::Builder;
using objects::Node;

Node explanation_node(Builder& builder, const core::Tables& tables, const core::Tries& tries) {
  std::vector<Node> flavors;
  for (const core::TriedFlavor& tried : tries.flavors) {
    DocumentObject node(builder);
    node.text("podSet", tried.pod_set)
        .text("flavor", tried.flavor.is_none() ? "" : tables.flavors.key(tried.flavor))
        .text("resource", tried.resource.is_none() ? "" : tables.names.name(tried.resource))
        .text("mode", tried.mode)
        .integer("borrowing", tried.borrow)
        .text_if_any("reason", tried.reason);
    flavors.push_back(node.node());
  }
  std::vector<Node> candidates;
  for (const core::TriedCandidate& tried : tries.candidates) {
    DocumentObject node(builder);
    node.text("workload", workload_key(tables, tried.workload))
        .text("verdict", tried.verdict)
        .text_if_any("reason", tried.reason);
    candidates.push_back(node.node());
  }
  std::vector<Node> levels;
  for (const core::TriedLevel& tried : tries.levels) {
    DocumentObject node(builder);
    node.text("podSet", tried.pod_set)
        .text("flavor", tried.flavor.is_none() ? "" : tables.flavors.key(tried.flavor))
        .text("level", tried.level)
        .integer("fits", tried.fits)
        .integer("wanted", tried.wanted)
        .boolean("chosen", tried.chosen);
    levels.push_back(node.node());
  }
  DocumentObject node(builder);
  node.list("flavors", flavors).list("candidates", candidates).list("levels", levels);
  return node.node();
}

}  // namespace muster::cli
