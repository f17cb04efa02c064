// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/quantity.h"
#include "objects/schema/checks.h"

namespace muster::objects {

namespace {

constexpr std::int64_t token_seconds_min = 600;
constexpr std::int64_t token_seconds_max = std::int64_t{1} << 32;
constexpr std::int64_t update_seconds_min = 10;
constexpr std::size_t attacher_bytes_max = 63;

void check_modes(CheckScope& scope, std::string absence) {
  const View modes = scope["accessModes"];
  if (modes.empty()) return scope.required(".accessModes", std::move(absence));
  bool for_one_pod = false;
  for (View each : modes.elements()) {
    const std::string_view mode = each.string_or("");
    for_one_pod = for_one_pod || mode == "ReadWriteOncePod";
    if (mode == "ReadOnlyMany" || mode == "ReadWriteMany" || mode == "ReadWriteOnce" ||
        mode == "ReadWriteOncePod") {
      continue;
    }
    scope.not_supported(".accessModes", mode,
                        {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
  }
  if (for_one_pod && modes.size() > 1) {
    scope.forbidden(".accessModes", "may not use ReadWriteOncePod with other access modes");
  }
}

bool is_positive(View amount) {
  const auto parsed = Quantity::parse_field(amount.string_or(""));
  return parsed && parsed->sign() > 0;
}

void check_class_name(CheckScope& scope) {
  const std::string_view name = scope.text("storageClassName");
  if (!name.empty()) scope.format(".storageClassName", name, Format::dns_subdomain);
}

// The spec without what may change: a volume is found once, and a bound claim may grow.
bool is_same_claim(View now, View before, bool is_bound) {
  const auto is_free = [&](std::string_view field) {
    if (field == "volumeName") return before["volumeName"].string_or("").empty();
    return is_bound && (field == "resources" || field == "volumeAttributesClassName");
  };
  for (const auto& [a, b] : {std::pair(now, before), std::pair(before, now)}) {
    for (MemberView member : a.members()) {
      if (!is_free(member.key) && !(member.value == b[member.key])) return false;
    }
  }
  return true;
}

void check_claim_update(CheckScope& scope) {
  if (scope.is_create()) return;
  const bool is_bound = scope.root()["status"]["phase"].string_or("") == "Bound";
  if (!is_same_claim(scope.value(), scope.old_value(), is_bound)) {
    scope.add_change(
        FieldError::forbidden(scope.at(""),
                              "spec is immutable after creation except resources.requests and "
                              "volumeAttributesClassName for bound claims"));
  }
}

bool is_claim_or_snapshot(View source) {
  const std::string_view kind = source["kind"].string_or("");
  const std::string_view group = source["apiGroup"].string_or("");
  return (kind == "PersistentVolumeClaim" && group.empty()) ||
         (kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io");
}

void check_source(CheckScope& scope, const std::string& place, View source) {
  const std::string_view kind = source["kind"].string_or("");
  const std::string_view group = source["apiGroup"].string_or("");
  if (source["name"].string_or("").empty()) scope.required(place + ".name");
  if (kind.empty()) scope.required(place + ".kind");
  if (group.empty() && kind != "PersistentVolumeClaim") {
    scope.invalid(place, kind,
                  "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (!group.empty()) scope.format(place + ".apiGroup", group, Format::dns_subdomain);
}

// Either field says what the other says. Sources that the older one never had are not heeded there,
// nor are those of other namespaces.
void check_claim_sources(CheckScope& scope) {
  View reference = scope["dataSourceRef"];
  if (!reference["namespace"].string_or("").empty()) reference = View();
  View source = scope["dataSource"];
  if (scope.is_create() && !reference && !is_claim_or_snapshot(source)) source = View();
  if (!source && !reference) return;
  check_source(scope, ".dataSource", source ? source : reference);
  check_source(scope, ".dataSourceRef", reference ? reference : source);
  if (!source || !reference) return;
  for (const std::string_view field : {"apiGroup", "kind", "name"}) {
    if (source[field].string_or("") == reference[field].string_or("")) continue;
    scope.invalid_printed("", "{}", "must match dataSourceRef");
    return;
  }
}

void check_claim(CheckScope& scope) {
  // The templates of a StatefulSet cannot change, and are not looked at again.
  if (!scope.is_create() && scope.root()["kind"].string_or("") == "StatefulSet") return;
  check_claim_sources(scope);
  check_claim_update(scope);
  check_modes(scope, "at least 1 access mode is required");
  const View storage = scope["resources"]["requests"]["storage"];
  if (!storage) {
    scope.required(".resources[storage]");
  } else if (!is_positive(storage)) {
    scope.invalid(".resources[storage]", storage, "must be greater than zero");
  }
  check_class_name(scope);
}

constexpr std::string_view sources[] = {"hostPath",
                                        "gcePersistentDisk",
                                        "awsElasticBlockStore",
                                        "glusterfs",
                                        "flocker",
                                        "nfs",
                                        "rbd",
                                        "quobyte",
                                        "cephfs",
                                        "iscsi",
                                        "cinder",
                                        "fc",
                                        "flexVolume",
                                        "azureFile",
                                        "vsphereVolume",
                                        "photonPersistentDisk",
                                        "portworxVolume",
                                        "azureDisk",
                                        "scaleIO",
                                        "local",
                                        "storageos",
                                        "csi"};

void check_capacity(CheckScope& scope) {
  const View capacity = scope["capacity"];
  if (capacity.empty()) scope.required(".capacity");
  if (!capacity["storage"] || capacity.size() > 1) {
    scope.add({FieldError::Type::not_supported, scope.at(".capacity"),
               capacity.empty() ? std::string("null") : go_printed(capacity),
               R"(supported values: "storage")"});
  }
  for (MemberView entry : capacity.members()) {
    const auto amount = Quantity::parse_field(entry.value.string_or(""));
    if (entry.key != "storage" || !amount || amount->sign() > 0) continue;
    const std::string place = fmt::format(".capacity[{}]", entry.key);
    if (amount->sign() < 0) {
      scope.invalid_printed(place, std::string(entry.value.string_or("")),
                            "must be a valid resource quantity");
    }
    scope.invalid(place, entry.value, "must be greater than zero");
  }
}

std::string printed_requirements(View requirements) {
  if (!requirements) return "null";
  std::string out;
  for (View each : requirements.elements()) {
    out +=
        fmt::format(R"({}{{"Key":{},"Operator":{},"Values":{}}})", out.empty() ? "[" : ",",
                    go_quoted(each["key"].string_or("")), go_quoted(each["operator"].string_or("")),
                    each["values"].empty() ? "null" : go_printed(each["values"]));
  }
  return out.empty() ? "[]" : out + "]";
}

// The nodes of a volume, as the peer's own struct prints.
std::string printed_volume_nodes(View affinity) {
  if (!affinity) return "null";
  const View required = affinity["required"];
  if (!required) return R"({"Required":null})";
  if (!required["nodeSelectorTerms"]) return R"({"Required":{"NodeSelectorTerms":null}})";
  std::string terms;
  for (View term : required["nodeSelectorTerms"].elements()) {
    terms += fmt::format(R"({}{{"MatchExpressions":{},"MatchFields":{}}})",
                         terms.empty() ? "" : ",", printed_requirements(term["matchExpressions"]),
                         printed_requirements(term["matchFields"]));
  }
  return fmt::format(R"({{"Required":{{"NodeSelectorTerms":[{}]}}}})", terms);
}

void check_volume_update(CheckScope& scope) {
  const View before = scope.old_value();
  for (const std::string_view source : sources) {
    if (scope[source] == before[source]) continue;
    scope.add_change(
        FieldError::forbidden(scope.at(".persistentvolumesource"),
                              "spec.persistentvolumesource is immutable after creation"));
    break;
  }
  if (!(scope["volumeMode"] == before["volumeMode"])) {
    scope.add_change(FieldError::invalid("volumeMode", scope["volumeMode"], "field is immutable"));
  }
  if (before["nodeAffinity"] && !(scope["nodeAffinity"] == before["nodeAffinity"])) {
    scope.add_change({FieldError::Type::invalid, "nodeAffinity",
                      printed_volume_nodes(scope["nodeAffinity"]),
                      "field is immutable, except for updating from beta label to GA"});
  }
}

// A volume inside of an attachment is one that no object describes.
void check_inlined(CheckScope& scope) {
  const std::string_view context = "in the context of inline volumes";
  if (!scope["capacity"].empty()) {
    scope.forbidden(".capacity", fmt::format("may not be specified {}", context));
  }
  if (!scope["csi"]) scope.required(".csi", fmt::format("has to be specified {}", context));
}

void check_volume(CheckScope& scope) {
  const bool is_inlined = scope.root()["kind"].string_or("") == "VolumeAttachment";
  if (is_inlined && scope.root()["spec"]["source"]["persistentVolumeName"]) return;
  if (is_inlined) check_inlined(scope);
  check_modes(scope, "");
  if (!is_inlined) check_capacity(scope);
  std::size_t found = 0;
  for (const std::string_view source : sources) {
    if (!scope[source]) continue;
    if (++found > 1) {
      scope.forbidden(fmt::format(".{}", source), "may not specify more than 1 volume type");
    }
  }
  if (found == 0) scope.required("", "must specify a volume type");
  const std::string_view path = scope["hostPath"]["path"].string_or("");
  const std::string framed = fmt::format("/{}/", path);
  if (framed.find("/../") != std::string::npos) {
    scope.invalid(".hostPath.path", path, "must not contain '..'");
  }
  if (path == "/" && scope.text("persistentVolumeReclaimPolicy") == "Recycle") {
    scope.forbidden(".persistentVolumeReclaimPolicy",
                    "may not be 'recycle' for a hostPath mount of '/'");
  }
  if (const View nodes = scope["nodeAffinity"]; nodes && !nodes["required"]) {
    scope.required(".nodeAffinity.required", "must specify required node constraints");
  }
  check_class_name(scope);
  if (!scope.is_create()) check_volume_update(scope);
}

// Where volumes of a class may lie: no label is named twice in a term, and no term is there twice.
void check_topology_terms(CheckScope& scope) {
  std::size_t index = 0;
  const View terms = scope["allowedTopologies"];
  for (View term : terms.elements()) {
    const std::string place = fmt::format(".allowedTopologies[{}].matchLabelExpressions", index);
    std::set<std::string_view> keys;
    std::size_t of_term = 0;
    for (View expression : term["matchLabelExpressions"].elements()) {
      const std::string at = fmt::format("{}[{}]", place, of_term++);
      const View values = expression["values"];
      if (values.empty()) scope.required(at + ".values");
      std::set<std::string_view> known;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (known.insert(values[i].string_or("")).second) continue;
        scope.duplicate(fmt::format("{}.values[{}]", at, i), values[i]);
      }
      const std::string_view key = expression["key"].string_or("");
      scope.format(at + ".key", key, Format::qualified_name);
      if (!keys.insert(key).second) scope.duplicate(at + ".key", expression["key"]);
    }
    bool is_told = term["matchLabelExpressions"].empty();
    for (std::size_t before = 0; before < index; ++before) {
      is_told = is_told || terms[before] == term;
    }
    if (is_told) scope.duplicate(place, Value::string(""));
    ++index;
  }
}

void check_storage_class(CheckScope& scope) {
  const std::string_view provisioner = scope.text("provisioner");
  if (provisioner.empty()) {
    scope.required(".provisioner");
  } else {
    std::string lowered(provisioner);
    std::ranges::transform(lowered, lowered.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    scope.format(".provisioner", lowered, Format::qualified_name);
  }
  const std::string_view policy = scope.text("reclaimPolicy");
  if (!policy.empty() && policy != "Delete" && policy != "Retain") {
    scope.not_supported(".reclaimPolicy", policy, {"Delete", "Retain"});
  }
  for (MemberView parameter : scope["parameters"].members()) {
    if (parameter.key.empty()) scope.invalid(".parameters", "", "field can not be empty.");
  }
  check_topology_terms(scope);
}

void check_attributes_class(CheckScope& scope) {
  if (scope.text("driverName").empty()) scope.required(".driverName");
  if (scope["parameters"].empty()) {
    scope.required(".parameters", "must contain at least one key/value pair");
  }
}

// The peer calls the first one by a name that it does not have.
void check_driver_update(CheckScope& scope) {
  if (scope.is_create()) return;
  const View before = scope.old_value();
  if (!(scope["attachRequired"] == before["attachRequired"])) {
    scope.add_change(FieldError::invalid(scope.at(".attachedRequired"), scope["attachRequired"],
                                         "field is immutable"));
  }
  if (!(scope["volumeLifecycleModes"] == before["volumeLifecycleModes"])) {
    scope.add_change(FieldError::invalid(scope.at(".volumeLifecycleModes"),
                                         scope["volumeLifecycleModes"], "field is immutable"));
  }
}

void check_driver(CheckScope& scope) {
  for (View each : scope["volumeLifecycleModes"].elements()) {
    const std::string_view mode = each.string_or("");
    if (mode == "Persistent" || mode == "Ephemeral") continue;
    scope.not_supported(".volumeLifecycleModes", mode, {"Persistent", "Ephemeral"});
  }
  std::set<std::string_view> audiences;
  std::size_t index = 0;
  for (const View request : scope["tokenRequests"].elements()) {
    const std::string place = fmt::format(".tokenRequests[{}]", index++);
    if (!audiences.insert(request["audience"].string_or("")).second) {
      scope.duplicate(place + ".audience", request["audience"]);
      continue;
    }
    const View seconds = request["expirationSeconds"];
    if (!seconds) continue;
    if (seconds.integer_or(0) < token_seconds_min) {
      scope.invalid(place + ".expirationSeconds", seconds,
                    "may not specify a duration less than 10 minutes");
    }
    if (seconds.integer_or(0) > token_seconds_max) {
      scope.invalid(place + ".expirationSeconds", seconds,
                    "may not specify a duration larger than 2^32 seconds");
    }
  }
  check_driver_update(scope);
  const View period = scope["nodeAllocatableUpdatePeriodSeconds"];
  if (period && period.integer_or(0) < update_seconds_min) {
    scope.invalid(".nodeAllocatableUpdatePeriodSeconds", period,
                  fmt::format("must be greater than or equal to {} seconds", update_seconds_min));
  }
}

void check_storage_capacity(CheckScope& scope) {
  scope.format(".storageClassName", scope.text("storageClassName"), Format::dns_subdomain);
  const auto amount = Quantity::parse_field(scope.text("capacity"));
  if (scope["capacity"] && amount && amount->sign() < 0) {
    scope.invalid(".capacity", scope["capacity"], "must be greater than or equal to 0");
  }
}

void check_attached_source(CheckScope& scope, View source) {
  const auto name = source["persistentVolumeName"].string();
  const View inlined = source["inlineVolumeSpec"];
  const std::string demand =
      "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (!name && !inlined) return scope.required(".source", demand);
  if (name && inlined) return scope.forbidden(".source", demand);
  if (name && name->empty()) {
    scope.required(".source.persistentVolumeName", "must specify non empty persistentVolumeName");
  }
}

void check_attachment(CheckScope& scope) {
  std::string attacher(scope.text("attacher"));
  if (attacher.empty()) {
    scope.required(".attacher");
  } else {
    if (attacher.size() > attacher_bytes_max) scope.too_long(".attacher", attacher_bytes_max);
    scope.format(".attacher", attacher, Format::dns_subdomain);
  }
  check_attached_source(scope, scope["source"]);
  scope.format(".nodeName", scope.text("nodeName"), Format::dns_subdomain);
  if (const auto volume = scope["source"]["persistentVolumeName"].string()) {
    scope.format(".source.persistentVolumeName", *volume, Format::dns_subdomain);
  }
}

constexpr NamedCheck checks[] = {
    {"claim", check_claim},
    {"storage-attributes-class", check_attributes_class},
    {"storage-capacity", check_storage_capacity},
    {"storage-class", check_storage_class},
    {"storage-driver", check_driver},
    {"volume", check_volume},
    {"volume-attachment", check_attachment},
};

}  // namespace

std::span<const NamedCheck> storage_checks() {
  return checks;
}

}  // namespace muster::objects
