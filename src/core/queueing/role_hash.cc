// Go writes the fields of a struct in the order of their declaration, those of a map sorted, leaves
// out what is empty where the field says so, and writes null for a list or map that is not there.
// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/role_hash.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "base/quantity.h"
#include "base/sha256.h"
#include "objects/json.h"

namespace muster::core {

using objects::MemberView;
using objects::View;

namespace {

// A field of a Go struct. `always`: it is written when it is empty, too.
struct Field {
  enum class Type : std::uint8_t { plain, map, one, list };

  std::string_view name;
  Type type = Type::plain;
  std::span<const Field> fields = {};  // of the struct, or of the list's elements
  bool always = false;
};

using Type = Field::Type;

constexpr Field requirement[] = {
    {.name = "key", .always = true}, {.name = "operator", .always = true}, {.name = "values"}};
constexpr Field node_term[] = {{"matchExpressions", Type::list, requirement},
                               {"matchFields", Type::list, requirement}};
constexpr Field node_selector[] = {{"nodeSelectorTerms", Type::list, node_term, true}};
constexpr Field node_preference[] = {{.name = "weight", .always = true},
                                     {"preference", Type::one, node_term, true}};
constexpr Field node_affinity[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", Type::one, node_selector},
    {"preferredDuringSchedulingIgnoredDuringExecution", Type::list, node_preference}};
constexpr Field label_selector[] = {{"matchLabels", Type::map},
                                    {"matchExpressions", Type::list, requirement}};
constexpr Field pod_term[] = {{"labelSelector", Type::one, label_selector},
                              {.name = "namespaces"},
                              {.name = "topologyKey", .always = true},
                              {"namespaceSelector", Type::one, label_selector},
                              {.name = "matchLabelKeys"},
                              {.name = "mismatchLabelKeys"}};
constexpr Field pod_preference[] = {{.name = "weight", .always = true},
                                    {"podAffinityTerm", Type::one, pod_term, true}};
constexpr Field pod_affinity[] = {
    {"requiredDuringSchedulingIgnoredDuringExecution", Type::list, pod_term},
    {"preferredDuringSchedulingIgnoredDuringExecution", Type::list, pod_preference}};
constexpr Field affinity[] = {{"nodeAffinity", Type::one, node_affinity},
                              {"podAffinity", Type::one, pod_affinity},
                              {"podAntiAffinity", Type::one, pod_affinity}};
constexpr Field toleration[] = {{.name = "key"},
                                {.name = "operator"},
                                {.name = "value"},
                                {.name = "effect"},
                                {.name = "tolerationSeconds"}};
constexpr Field spread[] = {{.name = "maxSkew", .always = true},
                            {.name = "topologyKey", .always = true},
                            {.name = "whenUnsatisfiable", .always = true},
                            {"labelSelector", Type::one, label_selector},
                            {.name = "minDomains"},
                            {.name = "nodeAffinityPolicy"},
                            {.name = "nodeTaintsPolicy"},
                            {.name = "matchLabelKeys"}};
constexpr Field port[] = {{.name = "name"},
                          {.name = "hostPort"},
                          {.name = "containerPort", .always = true},
                          {.name = "protocol"},
                          {.name = "hostIP"}};
constexpr Field claim[] = {{.name = "name", .always = true},
                           {.name = "resourceClaimName"},
                           {.name = "resourceClaimTemplateName"}};

bool says_nothing(View value) {
  return !value || ((value.is_object() || value.is_array()) && value.empty()) ||
         (value.is_string() && value.string_or("").empty());
}

std::vector<MemberView> sorted_members(View map) {
  std::vector<MemberView> members;
  for (const MemberView member : map.members()) members.push_back(member);
  std::sort(members.begin(), members.end(),
            [](const MemberView& a, const MemberView& b) { return a.key < b.key; });
  return members;
}

void append_key(std::string& out, std::string_view key) {
  if (out.back() != '{') out += ',';
  objects::append_json(objects::Value::string(key), out);
  out += ':';
}

void append_map(std::string& out, View map) {
  if (!map.is_object() || map.empty()) {
    out += "null";
    return;
  }
  out += '{';
  for (const MemberView& member : sorted_members(map)) {
    append_key(out, member.key);
    objects::append_json(member.value, out);
  }
  out += '}';
}

void append_struct(std::string& out, View value, std::span<const Field> fields);

void append_list(std::string& out, View list, std::span<const Field> fields) {
  if (!list.is_array() || list.empty()) {
    out += "null";
    return;
  }
  out += '[';
  for (View each : list.elements()) {
    if (out.back() != '[') out += ',';
    append_struct(out, each, fields);
  }
  out += ']';
}

void append_field(std::string& out, View value, const Field& field) {
  switch (field.type) {
    case Type::map:
      return append_map(out, value);
    case Type::one:
      return append_struct(out, value, field.fields);
    case Type::list:
      return append_list(out, value, field.fields);
    case Type::plain:
      return objects::append_json(value, out);
  }
}

void append_struct(std::string& out, View value, std::span<const Field> fields) {
  out += '{';
  for (const Field& field : fields) {
    const View member = value[field.name];
    // A pointer to a struct is there when it is empty, too.
    const bool is_there = field.type == Type::one ? member.is_object() : !says_nothing(member);
    if (!is_there && !field.always) continue;
    append_key(out, field.name);
    append_field(out, member, field);
  }
  out += '}';
}

void append_quantities(std::string& out, View list) {
  if (!list.is_object() || list.empty()) {
    out += "null";
    return;
  }
  out += '{';
  for (const MemberView& member : sorted_members(list)) {
    append_key(out, member.key);
    const auto quantity = Quantity::parse(member.value.string_or(""));
    objects::append_json(objects::Value::string(quantity ? quantity->canonical()
                                                         : std::string(member.value.string_or(""))),
                         out);
  }
  out += '}';
}

void append_containers(std::string& out, View containers) {
  if (containers.empty()) {
    out += "null";
    return;
  }
  out += '[';
  for (View each : containers.elements()) {
    if (out.back() != '[') out += ',';
    out += "{\"ports\":";
    append_list(out, each["ports"], port);
    out += ",\"resources\":{\"requests\":";
    append_quantities(out, each["resources"]["requests"]);
    out += "}}";
  }
  out += ']';
}

void append_scalar(std::string& out, View value) {
  if (!value || value.is_null()) {
    out += "null";
  } else {
    objects::append_json(value, out);
  }
}

}  // namespace

std::string role_text(View spec) {
  std::string out = "{\"spec\":{\"affinity\":";
  if (spec["affinity"].is_object()) {
    append_struct(out, spec["affinity"], affinity);
  } else {
    out += "null";
  }
  out += ",\"containers\":";
  append_containers(out, spec["containers"]);
  out += ",\"initContainers\":";
  append_containers(out, spec["initContainers"]);
  out += ",\"nodeSelector\":";
  append_map(out, spec["nodeSelector"]);
  out += ",\"overhead\":";
  append_quantities(out, spec["overhead"]);
  out += ",\"priority\":";
  append_scalar(out, spec["priority"]);
  out += ",\"resourceClaims\":";
  append_list(out, spec["resourceClaims"], claim);
  if (spec["resources"].is_object()) {
    out += ",\"resources\":";
    append_quantities(out, spec["resources"]["requests"]);
  }
  out += ",\"runtimeClassName\":";
  append_scalar(out, spec["runtimeClassName"]);
  out += ",\"tolerations\":";
  append_list(out, spec["tolerations"], toleration);
  out += ",\"topologySpreadConstraints\":";
  append_list(out, spec["topologySpreadConstraints"], spread);
  out += "}}";
  return out;
}

std::string role_hash(View spec) {
  constexpr std::size_t digits = 8;
  return hex(sha256(role_text(spec))).substr(0, digits);
}

}  // namespace muster::core
