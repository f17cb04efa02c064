// SPDX-License-Identifier: Apache-2.0
#include "server/pod_warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "objects/metadata.h"
#include "objects/schema/formats.h"

namespace muster::server {

using objects::go_quoted;
using objects::MemberView;
using objects::View;

namespace {

struct Told {
  std::string_view key;
  std::string_view message;
};

constexpr Told old_labels[] = {
    {"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    {"failure-domain.beta.kubernetes.io/region",
     "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    {"failure-domain.beta.kubernetes.io/zone",
     "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    {"beta.kubernetes.io/instance-type",
     "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
    {"app.kubernetes.io/created-by", "deprecated since v1.9"},
    {"scheduler.alpha.kubernetes.io/preferAvoidPods",
     "deprecated since v1.22; use Taints and Tolerations instead"},
    {"node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"},
};

constexpr Told old_annotations[] = {
    {"scheduler.alpha.kubernetes.io/critical-pod",
     "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
    {"security.alpha.kubernetes.io/sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"},
    {"security.alpha.kubernetes.io/unsafe-sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"},
};

constexpr Told old_volumes[] = {
    {"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
    {"gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
    {"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
    {"flocker", "deprecated in v1.22, non-functional in v1.25+"},
    {"storageos", "deprecated in v1.22, non-functional in v1.25+"},
    {"quobyte", "deprecated in v1.22, non-functional in v1.25+"},
    {"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
    {"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
    {"rbd", "deprecated in v1.28, non-functional in v1.31+"},
};

std::string_view message_of(std::string_view key, const auto& table) {
  for (const Told& each : table) {
    if (each.key == key) return each.message;
  }
  return {};
}

// A walk over one pod; `path` is that of the pod or its template, with a dot behind it. Most pods
// are warned of nothing: a place is written when it is told.
struct PodWalk {
  View pod;
  std::string path;
  std::vector<std::string>& out;

  View spec() const { return pod["spec"]; }
  std::string at(std::string_view place) const { return path + "spec." + std::string(place); }
  void warn(const std::string& place, std::string_view message) const {
    out.push_back(fmt::format("{}: {}", place, message));
  }
};

struct ContainerPlace {
  std::string_view list;
  std::size_t index = 0;

  // `spec.containers[0]`
  std::string in(const PodWalk& walk) const { return walk.at(fmt::format("{}[{}]", list, index)); }
};

template <class Visit>
void for_each_container(const PodWalk& walk, Visit&& visit) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    std::size_t index = 0;
    for (View container : walk.spec()[list].elements()) {
      visit(container, ContainerPlace{list, index++});
    }
  }
}

void warn_of_labels(const PodWalk& walk) {
  for (MemberView label : walk.spec()["nodeSelector"].members()) {
    const std::string_view message = message_of(label.key, old_labels);
    if (!message.empty()) walk.warn(walk.at(fmt::format("nodeSelector[{}]", label.key)), message);
  }
  std::size_t index = 0;
  for (View spread : walk.spec()["topologySpreadConstraints"].elements()) {
    const std::string place = walk.at(fmt::format("topologySpreadConstraints[{}]", index++));
    const std::string_view key = spread["topologyKey"].string_or("");
    const std::string_view message = message_of(key, old_labels);
    if (!message.empty()) {
      walk.warn(place + ".topologyKey", fmt::format("{} is {}", key, message));
    }
    if (!spread["labelSelector"]) {
      walk.warn(place + ".labelSelector", "a null labelSelector results in matching no pod");
    }
  }
  for (const Told& each : old_annotations) {
    if (!objects::annotations_of(walk.pod)[each.key]) continue;
    walk.warn(fmt::format("{}metadata.annotations[{}]", walk.path, each.key), each.message);
  }
}

// Files of one volume that would lie over each other.
void warn_of_overlaps(const PodWalk& walk, const std::string& volume, View items) {
  std::vector<std::string_view> known;
  for (View item : items.elements()) {
    const std::string_view path = item["path"].string_or("");
    for (const std::string_view other : known) {
      const std::string_view longer = path.size() > other.size() ? path : other;
      const std::string_view shorter = path.size() > other.size() ? other : path;
      const bool is_below = longer.starts_with(std::string(shorter) + "/");
      if (path != other && !is_below) continue;
      walk.out.push_back(fmt::format("{}: overlapping paths: {} with {}", volume, go_quoted(path),
                                     go_quoted(other)));
    }
    known.push_back(path);
  }
}

void warn_of_files(const PodWalk& walk, View volume) {
  const bool has_files =
      volume["configMap"] || volume["secret"] || volume["downwardAPI"] || volume["projected"];
  if (!has_files) return;
  const std::string name = fmt::format("volume {}", go_quoted(volume["name"].string_or("")));
  if (const View map = volume["configMap"]) {
    warn_of_overlaps(walk,
                     fmt::format("{} (ConfigMap {})", name, go_quoted(map["name"].string_or(""))),
                     map["items"]);
  }
  if (const View secret = volume["secret"]) {
    const std::string_view of = secret["secretName"].string_or("");
    warn_of_overlaps(walk, fmt::format("{} (Secret {})", name, go_quoted(of)), secret["items"]);
  }
  warn_of_overlaps(walk, name + " (DownwardAPI)", volume["downwardAPI"]["items"]);
  for (View source : volume["projected"]["sources"].elements()) {
    if (source.empty()) walk.out.push_back(name + " (Projected) has no sources provided");
  }
}

void warn_of_volumes(const PodWalk& walk) {
  std::size_t index = 0;
  for (View volume : walk.spec()["volumes"].elements()) {
    warn_of_files(walk, volume);
    const std::size_t at = index++;
    for (const Told& each : old_volumes) {
      if (!volume[each.key]) continue;
      const std::string_view shown = each.key == "storageos" ? "storageOS" : each.key;
      walk.warn(walk.at(fmt::format("volumes[{}].{}", at, shown)), each.message);
    }
  }
}

constexpr std::size_t twins_paired_max = 16;

// Of few items each pair is looked at: mostly their lengths differ already.
bool has_twins_among_few(View list, std::string_view field) {
  std::array<std::string_view, twins_paired_max> texts;
  std::size_t count = 0;
  for (View item : list.elements()) {
    const std::string_view text = item[field].string_or("");
    const auto known = std::span(texts).first(count);
    if (std::ranges::find(known, text) != known.end()) return true;
    texts.at(count++) = text;
  }
  return false;
}

bool has_twins(View list, std::string_view field) {
  if (list.size() <= twins_paired_max) return has_twins_among_few(list, field);
  std::vector<std::string_view> texts;
  texts.reserve(list.size());
  for (View item : list.elements()) texts.push_back(item[field].string_or(""));
  std::ranges::sort(texts);
  return std::ranges::adjacent_find(texts) != texts.end();
}

void warn_of_twins(const PodWalk& walk, std::string_view list, std::string_view field,
                   std::string_view what) {
  if (!has_twins(walk.spec()[list], field)) return;
  std::set<std::string_view> known;
  std::size_t index = 0;
  for (View item : walk.spec()[list].elements()) {
    const std::string place = walk.at(fmt::format("{}[{}].{}", list, index++, field));
    const std::string_view text = item[field].string_or("");
    if (known.insert(text).second) continue;
    walk.warn(place, fmt::format("duplicate {} {}", what, go_quoted(text)));
  }
}

void warn_of_pull_secrets(const PodWalk& walk) {
  warn_of_twins(walk, "imagePullSecrets", "name", "name");
  std::size_t index = 0;
  for (View item : walk.spec()["imagePullSecrets"].elements()) {
    const std::size_t at = index++;
    if (!item["name"].string_or("").empty()) continue;
    walk.warn(walk.at(fmt::format("imagePullSecrets[{}].name", at)), "invalid empty name \"\"");
  }
}

template <class Place>
void warn_of_fractions(const PodWalk& walk, View amounts, Place&& place) {
  for (const std::string_view resource : {"memory", "ephemeral-storage"}) {
    const auto amount = Quantity::parse_field(amounts[resource].string_or(""));
    const auto milli = amount ? amount->milli_value() : Result<std::int64_t>(std::int64_t{0});
    if (!amount || !milli || *milli % 1000 == 0) continue;
    walk.warn(fmt::format("{}[{}]", place(), resource),
              fmt::format("fractional byte value {} is invalid, must be an integer",
                          go_quoted(amount->to_string())));
  }
}

// A variable that is set again is fine where it is made of the one before.
void warn_of_variables(const PodWalk& walk, View variables, const ContainerPlace& place) {
  if (!has_twins(variables, "name")) return;
  std::set<std::string_view> known;
  std::size_t index = 0;
  for (View variable : variables.elements()) {
    const std::string at = fmt::format("{}.env[{}]", place.in(walk), index++);
    const std::string_view name = variable["name"].string_or("");
    if (known.insert(name).second) continue;
    const std::string reference = fmt::format("$({})", name);
    const std::string_view value = variable["value"].string_or("");
    const bool hides = variable["valueFrom"] || value == reference ||
                       value.find(reference) == std::string_view::npos;
    if (!hides) continue;
    walk.warn(at, fmt::format("hides previous definition of {}, which may be dropped when using "
                              "apply",
                              go_quoted(name)));
  }
}

struct KnownPort {
  std::string place;
  View port;
};

std::string_view clash_of(View one, View other) {
  const std::string_view ip = one["hostIP"].string_or("");
  const std::string_view other_ip = other["hostIP"].string_or("");
  const std::int64_t port = one["hostPort"].integer_or(0);
  const std::int64_t other_port = other["hostPort"].integer_or(0);
  if (ip == other_ip && port == other_port) return "duplicate";
  if (port == 0 || other_port == 0) return "overlapping";
  if (port == other_port && ip.empty() != other_ip.empty()) return "dangerously ambiguous";
  return {};
}

void warn_of_ports(const PodWalk& walk) {
  std::map<std::string, std::vector<KnownPort>> known;
  for_each_container(walk, [&](View container, const ContainerPlace& place) {
    std::size_t index = 0;
    for (View port : container["ports"].elements()) {
      const std::string at = fmt::format("{}.ports[{}]", place.in(walk), index++);
      auto& others = known[fmt::format("{}/{}", port["containerPort"].integer_or(0),
                                       port["protocol"].string_or(""))];
      for (const KnownPort& other : others) {
        const std::string_view clash = clash_of(port, other.port);
        if (clash.empty()) continue;
        walk.warn(at, fmt::format("{} port definition with {}", clash, other.place));
      }
      others.push_back({at, port});
    }
  });
  std::map<std::string_view, std::string> names;
  for_each_container(walk, [&](View container, const ContainerPlace& place) {
    std::size_t index = 0;
    for (View port : container["ports"].elements()) {
      const std::string at = fmt::format("{}.ports[{}]", place.in(walk), index++);
      const std::string_view name = port["name"].string_or("");
      if (name.empty()) continue;
      const auto [first, is_new] = names.emplace(name, at);
      if (is_new) continue;
      walk.warn(at, fmt::format("duplicate port name {} with {}, services and probes that select "
                                "ports by name will use {}",
                                go_quoted(name), first->second, first->second));
    }
  });
}

void warn_of_affinity(const PodWalk& walk) {
  constexpr std::string_view message = "a null labelSelector results in matching no pod";
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const View affinity = walk.spec()["affinity"][kind];
    std::size_t index = 0;
    for (View term : affinity["requiredDuringSchedulingIgnoredDuringExecution"].elements()) {
      const std::string place = walk.at(fmt::format(
          "affinity.{}.requiredDuringSchedulingIgnoredDuringExecution[{}].labelSelector", kind,
          index++));
      if (!term["labelSelector"]) walk.warn(place, message);
    }
    index = 0;
    for (View term : affinity["preferredDuringSchedulingIgnoredDuringExecution"].elements()) {
      const std::string place = walk.at(fmt::format(
          "affinity.{}.preferredDuringSchedulingIgnoredDuringExecution[{}].podAffinityTerm."
          "labelSelector",
          kind, index++));
      if (!term["podAffinityTerm"]["labelSelector"]) walk.warn(place, message);
    }
  }
}

void warn_of_pod(const PodWalk& walk) {
  warn_of_labels(walk);
  warn_of_volumes(walk);
  warn_of_twins(walk, "hostAliases", "ip", "ip");
  warn_of_pull_secrets(walk);
  warn_of_fractions(walk, walk.spec()["overhead"], [&] { return walk.at("overhead"); });
  for_each_container(walk, [&](View container, const ContainerPlace& place) {
    const View resources = container["resources"];
    warn_of_fractions(walk, resources["limits"],
                      [&] { return place.in(walk) + ".resources.limits"; });
    warn_of_fractions(walk, resources["requests"],
                      [&] { return place.in(walk) + ".resources.requests"; });
    warn_of_variables(walk, container["env"], place);
  });
  warn_of_ports(walk);
  const bool is_template = !walk.path.empty();  // of a pod itself it has become 1
  if (is_template && walk.spec()["terminationGracePeriodSeconds"].integer_or(0) < 0) {
    walk.warn(walk.at("terminationGracePeriodSeconds"),
              "must be >= 0; negative values are invalid and will be treated as 1");
  }
  warn_of_affinity(walk);
}

// Where the pod of a kind is; nothing for kinds that have none.
struct Template {
  View pod;
  std::string_view path;
};

Template template_of(const Target& target, View object) {
  if (target.is("", "pods")) return {object, ""};
  if (target.is("", "podtemplates")) return {object["template"], "template."};
  if (target.is("batch", "cronjobs")) {
    return {object["spec"]["jobTemplate"]["spec"]["template"], "spec.jobTemplate.spec.template."};
  }
  const bool has_template =
      target.is("batch", "jobs") || target.is("", "replicationcontrollers") ||
      (target.kind->group == "apps" && target.kind->plural != "controllerrevisions");
  return {has_template ? object["spec"]["template"] : View(), "spec.template."};
}

// The name becomes that of hosts.
void warn_of_name(Admission& admission) {
  const Target& target = admission.target;
  if (target.is("apps", "statefulsets") || target.is("apps", "daemonsets") ||
      target.is("", "podtemplates")) {
    return;
  }
  const auto sentences = objects::dns_label_violations(objects::name_of(admission.object));
  if (sentences.empty()) return;
  admission.warnings.push_back(fmt::format(
      "metadata.name: this is used in {}, which can result in surprising behavior; a DNS label is "
      "recommended: [{}]",
      target.is("", "pods") ? "the Pod's hostname" : "Pod names and hostnames",
      fmt::join(sentences, " ")));
}

}  // namespace

void warn_of_pods(Admission& admission) {
  const Target& target = admission.target;
  if (!target.subresource.empty()) return;
  const View kept = admission.object["spec"]["revisionHistoryLimit"];
  if (target.is("apps", "statefulsets") && kept.integer_or(0) < 0) {
    admission.warnings.emplace_back(
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= "
        "0 is recommended");
  }
  const Template now = template_of(target, admission.object);
  if (!now.pod) return;
  if (admission.is_create()) {
    warn_of_name(admission);
  } else {
    const Template before = template_of(target, admission.old_object);
    if (target.is("", "pods") || now.pod == before.pod) return;
  }
  warn_of_pod({now.pod, std::string(now.path), admission.warnings});
}

}  // namespace muster::server
