// What kube-apiserver's own controllers write into a CustomResourceDefinition: which of its names
// it gets, whether it is established, and that its instances are being deleted. Pure functions over
// the object; server/custom_kinds.h carries them out.
//
//   NamesDecision names = decide_names(definition, used);
//   Value next = with_established(definition, names, now);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "objects/kind_registry.h"
#include "objects/value.h"
#include "server/target.h"

namespace muster::server {

inline constexpr std::string_view definitions_group = "apiextensions.k8s.io";
inline constexpr std::string_view definitions_plural = "customresourcedefinitions";
inline constexpr std::string_view cleanup_finalizer = "customresourcecleanup.apiextensions.k8s.io";

inline bool is_definition(const Target& target) {
  return target.is(definitions_group, definitions_plural);
}

// A kind that Muster serves first-class: a definition of it is kept and has no effect.
bool is_first_class(const objects::KindRegistry& registry, objects::View definition);

// The names that a group's definitions have been given.
struct UsedNames {
  std::set<std::string, std::less<>> resources;  // plural, singular, short
  std::set<std::string, std::less<>> kinds;      // kind, list kind

  // What status.acceptedNames says.
  void add(objects::View accepted);
};

struct NamesDecision {
  objects::Value accepted;  // as status.acceptedNames has it
  bool all = true;
  std::string reason = "NoConflicts";
  std::string message = "no conflicts found";
};

// Names that nobody in the group uses are given; those that the definition has already stay.
NamesDecision decide_names(objects::View definition, const UsedNames& used);

// The definition with the status that the decision makes: acceptedNames, NamesAccepted,
// Established, and for Kubernetes' own groups whether the API is approved. The same value where
// nothing changes.
objects::Value with_established(const objects::Value& definition, const NamesDecision& decision,
                                Instant now);

bool is_established(objects::View definition);

// Why an API in one of Kubernetes' own groups is not approved; the annotation is asked first.
struct Approval {
  bool needed = false;
  bool missing = false;
  bool valid = true;
  std::string reason;   // of the condition
  std::string message;  // also what a refusal says
};
Approval approval_of(objects::View definition);

// The definition as the first DELETE leaves it: with the finalizer that waits for its instances.
objects::Value marked_for_deletion(const objects::Value& definition, Instant now);

}  // namespace muster::server
