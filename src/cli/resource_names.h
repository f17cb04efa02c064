// ResourceNames: what a server serves, found by the words that people use: `pods`, `pod`, `po`,
// `jobs.batch`, `workloads.v1beta1.kueue.x-k8s.io`, or a kind of a manifest.
//
//   const ResourceNames names = TRY(ResourceNames::discover(talk));
//   const ServedKind kind = TRY(names.find("deploy"));
//   talk.ask({.target = kind.path("default", "web")});
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/talk.h"
#include "objects/value.h"

namespace muster::cli {

struct ServedKind {
  std::string group;
  std::string version;
  std::string plural;
  std::string singular;
  std::string kind;
  bool is_namespaced = true;
  std::vector<std::string> short_names = {};
  std::vector<std::string> categories = {};

  // `job.batch`, as kubectl prefixes names.
  std::string qualified() const;
  // `jobs.batch`
  std::string qualified_plural() const;

  // The collection; with a name the object. An empty namespace is all of them.
  std::string path(std::string_view name_space, std::string_view name = "") const;
};

class ResourceNames {
 public:
  static Result<ResourceNames> discover(Talk& talk);

  // Of the documents of aggregated discovery.
  static ResourceNames of(objects::View core, objects::View groups);

  Result<ServedKind> find(std::string_view word) const;
  Result<ServedKind> find_kind(std::string_view api_version, std::string_view kind) const;
  std::vector<ServedKind> of_category(std::string_view category) const;

 private:
  void add(objects::View list);

  std::vector<ServedKind> kinds_;  // the preferred version of each first
};

}  // namespace muster::cli
