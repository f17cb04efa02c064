// SPDX-License-Identifier: Apache-2.0
#include "server/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "objects/json.h"
#include "server/json_text.h"
#include "server/scale.h"
#include "server/storage_version.h"
#include "server/visibility.h"

namespace muster::server {

using objects::Kind;
using objects::KindRegistry;
using objects::KindVersion;
using objects::SchemaStyle;
using objects::Scope;
using objects::Value;

namespace {

// Core, apps and batch first: kubectl prefers what comes first where a name is ambiguous, and
// `get all` prints in this order.
std::tuple<int, std::string_view> group_rank(std::string_view group) {
  if (group.empty()) return {0, group};
  if (group == "apps") return {1, group};
  if (group == "batch") return {2, group};
  return {group.ends_with(".k8s.io") && !group.ends_with(".x-k8s.io") ? 3 : 4, group};
}

// What is left of `v2beta1` after its letter: stability (0 general, 1 beta, 2 alpha) and numbers.
struct VersionRank {
  int stability = 3;  // anything else
  int major = 0;
  int minor = 0;
};

bool read_number(std::string_view& text, int& number) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || number < 0) return false;
  text = {rest, static_cast<std::size_t>(end - rest)};
  return true;
}

VersionRank version_rank(std::string_view version) {
  VersionRank rank;
  if (!version.starts_with('v')) return {};
  version.remove_prefix(1);
  if (!read_number(version, rank.major)) return {};
  if (version.empty()) {
    rank.stability = 0;
    return rank;
  }
  const int stability = version.starts_with("beta") ? 1 : version.starts_with("alpha") ? 2 : 3;
  if (stability == 3) return {};
  version.remove_prefix(stability == 1 ? 4 : 5);
  if (!read_number(version, rank.minor) || !version.empty()) return {};
  rank.stability = stability;
  return rank;
}

std::string group_version(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
}

void write_group(JsonText& out, std::string_view name, const std::vector<std::string>& versions) {
  const auto entry = [&](const std::string& version) {
    out.begin_object().key("groupVersion").text(group_version(name, version));
    out.key("version").text(version).end_object();
  };
  out.key("name").text(name).key("versions").begin_array();
  for (const std::string& version : versions) entry(version);
  out.end_array().key("preferredVersion");
  entry(versions.front());
}

void write_names(JsonText& out, const Kind& kind) {
  if (!kind.short_names.empty()) out.key("shortNames").texts(kind.short_names);
  if (!kind.categories.empty()) out.key("categories").texts(kind.categories);
}

void write_resource(JsonText& out, const Kind& kind, const KindVersion& version) {
  const bool is_namespaced = kind.scope == Scope::namespaced;
  out.begin_object().key("name").text(kind.plural).key("singularName").text(kind.singular);
  out.key("namespaced").boolean(is_namespaced).key("kind").text(kind.kind);
  out.key("verbs").texts(verbs_of(kind));
  write_names(out, kind);
  if (kind.is_stored) out.key("storageVersionHash").text(storage_version_hash(kind));
  out.end_object();
  for (const Subresource& subresource : subresources_of(kind, version)) {
    out.begin_object().key("name").text(fmt::format("{}/{}", kind.plural, subresource.name));
    out.key("singularName").text("").key("namespaced").boolean(is_namespaced);
    if (!subresource.group.empty()) {
      out.key("group").text(subresource.group).key("version").text(subresource.version);
    }
    out.key("kind").text(subresource.kind).key("verbs").texts(subresource.verbs).end_object();
  }
}

void write_response_kind(JsonText& out, std::string_view group, std::string_view version,
                         std::string_view kind) {
  out.key("responseKind").begin_object().key("group").text(group);
  out.key("version").text(version).key("kind").text(kind).end_object();
}

void write_aggregated_resource(JsonText& out, const Kind& kind, const KindVersion& version) {
  // Of its own kinds the real server leaves group and version out here: they are those around.
  const bool is_native = kind.style == SchemaStyle::native;
  const std::string_view group = is_native ? std::string_view() : kind.group;
  const std::string_view version_name = is_native ? std::string_view() : version.name;
  out.begin_object().key("resource").text(kind.plural);
  write_response_kind(out, group, version_name, kind.kind);
  out.key("scope").text(kind.scope == Scope::namespaced ? "Namespaced" : "Cluster");
  out.key("singularResource").text(kind.singular).key("verbs").texts(verbs_of(kind));
  write_names(out, kind);
  const std::vector<Subresource> subresources = subresources_of(kind, version);
  if (!subresources.empty()) {
    out.key("subresources").begin_array();
    for (const Subresource& each : subresources) {
      out.begin_object().key("subresource").text(each.name);
      const bool is_foreign = !each.group.empty();
      write_response_kind(out, is_foreign ? each.group : group,
                          is_foreign ? each.version : version_name, each.kind);
      out.key("verbs").texts(each.verbs).end_object();
    }
    out.end_array();
  }
  out.end_object();
}

Value parsed(std::string_view text) {
  return objects::parse_json(text).must();
}

TaggedText tagged(std::string text) {
  std::string etag = fmt::format("\"{}\"", content_hash(text));
  return {std::move(text), std::move(etag)};
}

}  // namespace

std::vector<Subresource> subresources_of(const Kind& kind, const KindVersion& version) {
  std::vector<Subresource> all;
  const bool is_core = kind.group.empty() && kind.style == SchemaStyle::native;
  if (is_core && kind.plural == "pods") {
    all.push_back({"attach", "", "", "PodAttachOptions", {"create", "get"}});
    all.push_back({"binding", "", "", "Binding", {"create"}});
    all.push_back({"ephemeralcontainers", "", "", "Pod", {"get", "patch", "update"}});
    all.push_back({"eviction", "policy", "v1", "Eviction", {"create"}});
    all.push_back({"exec", "", "", "PodExecOptions", {"create", "get"}});
    all.push_back({"log", "", "", "Pod", {"get"}});
    all.push_back({"portforward", "", "", "PodPortForwardOptions", {"create", "get"}});
    all.push_back({"resize", "", "", "Pod", {"get", "patch", "update"}});
  }
  if (is_core && kind.plural == "serviceaccounts") {
    all.push_back({"token", "authentication.k8s.io", "v1", "TokenRequest", {"create"}});
  }
  if (is_core && kind.plural == "namespaces") {
    all.push_back({"finalize", "", "", "Namespace", {"update"}});
  }
  if (kind.group == visibility_group) {
    all.push_back({"pendingworkloads", "", "", kind.kind, {"get"}});
  }
  if (kind.group == "certificates.k8s.io" && kind.kind == "CertificateSigningRequest") {
    all.push_back({"approval", "", "", kind.kind, {"get", "patch", "update"}});
  }
  if (has_scale(version)) {
    all.push_back({"scale", "autoscaling", "v1", "Scale", {"get", "patch", "update"}});
  }
  if (version.has_status) all.push_back({"status", "", "", kind.kind, {"get", "patch", "update"}});
  // Of kinds of definitions the real server names the status first.
  if (kind.style == SchemaStyle::custom) std::reverse(all.begin(), all.end());
  return all;
}

std::vector<std::string_view> verbs_of(const Kind& kind) {
  // Only its part can be asked for.
  if (kind.group == visibility_group) return {};
  if (!kind.is_stored) return {kind.own_verbs.begin(), kind.own_verbs.end()};
  if (kind.group.empty() && kind.plural == "namespaces") {
    return {"create", "delete", "get", "list", "patch", "update", "watch"};
  }
  if (kind.style == SchemaStyle::custom) {
    return {"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"};
  }
  return {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
}

bool is_version_before(std::string_view a, std::string_view b) {
  const VersionRank left = version_rank(a);
  const VersionRank right = version_rank(b);
  if (left.stability != right.stability) return left.stability < right.stability;
  if (left.stability == 3) return a < b;
  return std::tie(left.major, left.minor) > std::tie(right.major, right.minor);
}

Discovery::Discovery(const KindRegistry& registry) {
  for (const KindRegistry::Found& kind : registry.kinds()) {
    if (!kind->is_stored && kind->own_verbs.empty()) continue;
    auto group = std::find_if(groups_.begin(), groups_.end(),
                              [&](const Group& each) { return each.name == kind->group; });
    if (group == groups_.end()) group = groups_.insert(group, Group{kind->group, {}});
    for (const KindVersion& served : kind->versions) {
      if (!served.served) continue;
      auto version = std::find_if(group->versions.begin(), group->versions.end(),
                                  [&](const Version& each) { return each.name == served.name; });
      if (version == group->versions.end()) {
        version = group->versions.insert(version, Version{served.name, {}});
      }
      version->kinds.push_back(kind);
    }
  }
  std::erase_if(groups_, [](const Group& group) { return group.versions.empty(); });
  std::sort(groups_.begin(), groups_.end(),
            [](const Group& a, const Group& b) { return group_rank(a.name) < group_rank(b.name); });
  for (Group& group : groups_) {
    std::sort(group.versions.begin(), group.versions.end(),
              [](const Version& a, const Version& b) { return is_version_before(a.name, b.name); });
  }
  JsonText list;
  list.begin_object().key("kind").text("APIGroupList").key("apiVersion").text("v1");
  list.key("groups").begin_array();
  for (const Group& group : groups_) {
    if (group.name.empty()) continue;
    std::vector<std::string> versions;
    for (const Version& version : group.versions) versions.push_back(version.name);
    list.begin_object();
    write_group(list, group.name, versions);
    list.end_object();
  }
  list.end_array().end_object();
  group_list_ = parsed(std::move(list).take());
  core_v2_ = tagged(aggregated(true, Shape::discovery_v2));
  core_v2beta1_ = tagged(aggregated(true, Shape::discovery_v2beta1));
  groups_v2_ = tagged(aggregated(false, Shape::discovery_v2));
  groups_v2beta1_ = tagged(aggregated(false, Shape::discovery_v2beta1));
}

Value Discovery::core_versions(std::string_view address) const {
  JsonText out;
  out.begin_object().key("kind").text("APIVersions").key("versions").begin_array();
  if (const Group* core = find("")) {
    for (const Version& version : core->versions) out.text(version.name);
  }
  out.end_array().key("serverAddressByClientCIDRs").begin_array();
  out.begin_object().key("clientCIDR").text("0.0.0.0/0");
  out.key("serverAddress").text(address).end_object();
  out.end_array().end_object();
  return parsed(std::move(out).take());
}

Value Discovery::group(std::string_view name) const {
  const Group* found = name.empty() ? nullptr : find(name);
  if (found == nullptr) return {};
  std::vector<std::string> versions;
  for (const Version& version : found->versions) versions.push_back(version.name);
  JsonText out;
  out.begin_object().key("kind").text("APIGroup").key("apiVersion").text("v1");
  write_group(out, name, versions);
  out.end_object();
  return parsed(std::move(out).take());
}

Value Discovery::resource_list(std::string_view group, std::string_view version) const {
  const Group* found = find(group);
  if (found == nullptr) return {};
  for (const Version& each : found->versions) {
    if (each.name != version) continue;
    JsonText out;
    out.begin_object().key("kind").text("APIResourceList");
    if (!group.empty()) out.key("apiVersion").text("v1");
    out.key("groupVersion").text(group_version(group, version)).key("resources").begin_array();
    for (const KindRegistry::Found& kind : each.kinds) {
      write_resource(out, *kind, *kind->version(version));
    }
    out.end_array().end_object();
    return parsed(std::move(out).take());
  }
  return {};
}

std::string Discovery::aggregated(bool core, Shape shape) const {
  JsonText out;
  out.begin_object().key("kind").text("APIGroupDiscoveryList").key("apiVersion");
  out.text(shape == Shape::discovery_v2 ? "apidiscovery.k8s.io/v2" : "apidiscovery.k8s.io/v2beta1");
  out.key("metadata").begin_object().end_object().key("items").begin_array();
  for (const Group& group : groups_) {
    if (group.name.empty() != core) continue;
    out.begin_object().key("metadata").begin_object();
    if (!core) out.key("name").text(group.name);
    out.end_object().key("versions").begin_array();
    for (const Version& version : group.versions) {
      out.begin_object().key("version").text(version.name).key("resources").begin_array();
      for (const KindRegistry::Found& kind : version.kinds) {
        write_aggregated_resource(out, *kind, *kind->version(version.name));
      }
      out.end_array().key("freshness").text("Current").end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().end_object();
  return std::move(out).take();
}

const TaggedText& Discovery::aggregated_core(Shape shape) const {
  return shape == Shape::discovery_v2 ? core_v2_ : core_v2beta1_;
}

const TaggedText& Discovery::aggregated_groups(Shape shape) const {
  return shape == Shape::discovery_v2 ? groups_v2_ : groups_v2beta1_;
}

bool Discovery::has_group(std::string_view group) const {
  return find(group) != nullptr;
}

bool Discovery::is_of_kubernetes(std::string_view group) const {
  const Group* found = find(group);
  if (found == nullptr) return false;
  return std::ranges::any_of(found->versions, [](const Version& version) {
    return std::ranges::any_of(version.kinds, [](const KindRegistry::Found& kind) {
      return kind->style == SchemaStyle::native;
    });
  });
}

bool Discovery::has_version(std::string_view group, std::string_view version) const {
  const Group* found = find(group);
  return found != nullptr && std::any_of(found->versions.begin(), found->versions.end(),
                                         [&](const Version& each) { return each.name == version; });
}

const Discovery::Group* Discovery::find(std::string_view name) const {
  for (const Group& group : groups_) {
    if (group.name == name) return &group;
  }
  return nullptr;
}

}  // namespace muster::server
