// Discovery: which groups, versions, resources and verbs there are, in the legacy form (one
// document per group and version) and in the aggregated form (one document for all).
//
//   Discovery discovery(registry);                     // once, and after the registry changed
//   respond(to_json(discovery.resource_list("batch", "v1")));
//   respond(discovery.aggregated_groups(Shape::discovery_v2).text, …etag…);
//
// Assumes: built on the registry's thread, immutable afterwards. Groups come in the order core,
// apps, batch, Kubernetes' others by name, then all others by name; versions of a group in the
// order of Kubernetes' version priority (v1, v1beta2, v1beta1), the first is the preferred one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "objects/kind_registry.h"
#include "objects/value.h"
#include "server/negotiation.h"

namespace muster::server {

// A subresource that has a path of its own. Verbs are sorted.
struct Subresource {
  std::string_view name;
  std::string_view group;  // of the kind that it answers with; empty: that of the resource
  std::string_view version;
  std::string_view kind;
  std::vector<std::string_view> verbs;
};

// The subresources of a kind's version, sorted by name: status, and for pods binding and log.
std::vector<Subresource> subresources_of(const objects::Kind& kind,
                                         const objects::KindVersion& version);

// The verbs of a kind, in the order in which the real server lists them.
std::vector<std::string_view> verbs_of(const objects::Kind& kind);

// Whether Kubernetes reads version a before b: v2 > v1 > v1beta2 > v1beta1 > v1alpha1 > foo.
bool is_version_before(std::string_view a, std::string_view b);

// A text that does not change, and its tag: the quoted hash of the text.
struct TaggedText {
  std::string text;
  std::string etag;
};

class Discovery {
 public:
  explicit Discovery(const objects::KindRegistry& registry);

  // /api, where `address` is host:port as the client sees it
  objects::Value core_versions(std::string_view address) const;
  // /apis
  const objects::Value& group_list() const { return group_list_; }
  // /apis/G; absent where there is no such group
  objects::Value group(std::string_view name) const;
  // /api/v1 and /apis/G/V; absent where there is none
  objects::Value resource_list(std::string_view group, std::string_view version) const;

  // /api and /apis in one document each; the shape is discovery_v2 or discovery_v2beta1.
  const TaggedText& aggregated_core(Shape shape) const;
  const TaggedText& aggregated_groups(Shape shape) const;

  bool has_group(std::string_view group) const;
  // Whether Kubernetes itself has the group: a version that it does not have is a missing resource
  // there, and elsewhere a missing page.
  bool is_of_kubernetes(std::string_view group) const;
  bool has_version(std::string_view group, std::string_view version) const;

 private:
  struct Version {
    std::string name;
    std::vector<objects::KindRegistry::Found> kinds;  // by plural
  };
  struct Group {
    std::string name;
    std::vector<Version> versions;
  };

  const Group* find(std::string_view name) const;
  std::string aggregated(bool core, Shape shape) const;

  std::vector<Group> groups_;
  objects::Value group_list_;
  TaggedText core_v2_;
  TaggedText core_v2beta1_;
  TaggedText groups_v2_;
  TaggedText groups_v2beta1_;
};

}  // namespace muster::server
