// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/draft.h"
#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/admission.h"
#include "server/own_service.h"
#include "server/service_addresses.h"

namespace muster::server {

using core::Draft;
using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

// Addresses are of one family here. Names of what others run may be of both.
void give_families(Admission& admission) {
  const View spec = admission.object["spec"];
  const bool headless = spec["clusterIP"].string_or("") == "None";
  const bool elsewhere = headless && spec["selector"].empty();
  Builder builder;
  builder.retain(admission.object);
  Rewrite next(spec);
  const bool both = elsewhere ? spec["ipFamilies"].size() != 1 : spec["ipFamilies"].size() == 2;
  if (!spec["ipFamilyPolicy"]) {
    next.set("ipFamilyPolicy", Builder::literal(both ? "RequireDualStack" : "SingleStack"));
  }
  const std::string_view policy = spec["ipFamilyPolicy"].string_or("");
  if (spec["ipFamilies"].empty()) {
    const Node families[] = {Builder::literal("IPv4"), Builder::literal("IPv6")};
    const bool two = elsewhere && policy != "SingleStack";
    next.set("ipFamilies", builder.array({families, two ? 2U : 1U}));
  }
  if (spec["clusterIP"] && spec["clusterIPs"].empty()) {
    const Node same[] = {spec["clusterIP"].node()};
    next.set("clusterIPs", builder.array(same));
  }
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

bool needs_address(View spec) {
  return spec["type"].string_or("ClusterIP") != "ExternalName";
}

bool needs_node_ports(View spec) {
  const std::string_view type = spec["type"].string_or("ClusterIP");
  return type == "NodePort" || type == "LoadBalancer";
}

bool needs_health_port(View spec) {
  return spec["type"].string_or("") == "LoadBalancer" &&
         spec["externalTrafficPolicy"].string_or("") == "Local";
}

std::set<std::int64_t> node_ports_of(View spec) {
  std::set<std::int64_t> numbers;
  for (View port : spec["ports"].elements()) {
    if (port["nodePort"].integer_or(0) != 0) numbers.insert(port["nodePort"].integer_or(0));
  }
  return numbers;
}

// What was given stays with a caller who does not know of it. A node port is known by the name of
// its port.
void keep_given(Admission& admission) {
  const Value object = admission.object;
  const View spec = object["spec"];
  const View before = admission.old_object["spec"];
  Draft next(object);
  const auto keep = [&](std::string_view field) {
    if (!spec[field] && before[field]) {
      next.set({"spec", field}, admission.old_object.part(before[field]));
    }
  };
  if (needs_address(before) && needs_address(spec)) {
    for (const std::string_view field :
         {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      keep(field);
    }
  }
  if (needs_health_port(before) && needs_health_port(spec)) keep("healthCheckNodePort");
  if (needs_node_ports(before) && needs_node_ports(spec)) {
    const std::set<std::int64_t> used = node_ports_of(spec);
    std::map<std::string_view, std::int64_t> by_name;
    for (View port : before["ports"].elements()) {
      by_name[port["name"].string_or("")] = port["nodePort"].integer_or(0);
    }
    std::vector<Value> ports;
    for (View port : spec["ports"].elements()) {
      Draft kept(object.part(port));
      const auto at = by_name.find(port["name"].string_or(""));
      if (port["nodePort"].integer_or(0) == 0 && at != by_name.end() && at->second != 0 &&
          !used.contains(at->second)) {
        kept.set({"nodePort"}, Value::integer(at->second));
      }
      ports.push_back(kept.value());
    }
    next.set({"spec", "ports"}, core::list_of(ports));
  }
  admission.object = next.value();
}

// What belongs to the type that it was, unless the caller says it anew.
void drop_what_was(Admission& admission) {
  const Value object = admission.object;
  const View spec = object["spec"];
  const View before = admission.old_object["spec"];
  Draft next(object);
  std::set<std::string> dropped;
  const auto drop_same = [&](std::string_view field) {
    if (!(spec[field] == before[field])) return;
    next.drop({"spec", field});
    dropped.insert(fmt::format("spec.{}", field));
  };
  if (needs_address(before) && !needs_address(spec)) {
    for (const std::string_view field :
         {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      drop_same(field);
    }
  }
  if (needs_node_ports(before) && !needs_node_ports(spec)) {
    std::vector<Value> ports;
    for (View port : spec["ports"].elements()) {
      Draft without(object.part(port));
      without.drop({"nodePort"});
      ports.push_back(without.value());
    }
    if (!ports.empty()) next.set({"spec", "ports"}, core::list_of(ports));
    if (spec["externalIPs"].empty()) drop_same("externalTrafficPolicy");
  }
  if (needs_health_port(before) && !needs_health_port(spec)) drop_same("healthCheckNodePort");
  const bool was_balanced = before["type"].string_or("") == "LoadBalancer";
  if (was_balanced && spec["type"].string_or("") != "LoadBalancer") {
    drop_same("allocateLoadBalancerNodePorts");
    drop_same("loadBalancerClass");
    if (object["status"]["loadBalancer"]["ingress"]) {
      next.set({"status", "loadBalancer"}, Value::object({}));
    }
  }
  admission.object = next.value();
  // What is no more cannot be wrong.
  objects::FieldErrors kept;
  for (objects::FieldError& error : std::move(admission.errors).take()) {
    if (!dropped.contains(error.path)) kept.add(std::move(error));
  }
  admission.errors = std::move(kept);
}

// Nobody makes load balancers here. Without one it works as a Service with node ports does.
void say_what_is_missing(const Context& context, Admission& admission) {
  const bool is_balancer = admission.object["spec"]["type"].string_or("") == "LoadBalancer";
  const bool was_balancer = admission.old_object["spec"]["type"].string_or("") == "LoadBalancer";
  if (is_balancer == was_balancer) return;
  constexpr std::string_view why =
      "nothing here makes load balancers: this Service has its cluster address and its node ports";
  if (is_balancer) admission.warnings.emplace_back(why);
  admission.object =
      objects::with_condition(admission.object,
                              {.type = "muster.dev/Unserved",
                               .status = is_balancer ? "True" : "False",
                               .reason = is_balancer ? "NoLoadBalancer" : "Served",
                               .message = is_balancer ? std::string(why) : std::string()},
                              context.clock.wall());
}

// What the peer takes and does not heed.
void warn_of_service(Admission& admission) {
  const View spec = admission.object["spec"];
  const bool is_elsewhere = spec["type"].string_or("") == "ExternalName";
  const bool headless = spec["clusterIP"].string_or("") == "None";
  const auto warn = [&](std::string_view text) { admission.warnings.emplace_back(text); };
  const bool has_addresses = !spec["externalIPs"].empty();
  if (headless && !spec["loadBalancerIP"].string_or("").empty()) {
    warn("spec.loadBalancerIP is ignored for headless services");
  }
  if (headless && has_addresses) warn("spec.externalIPs is ignored for headless services");
  if (headless && spec["sessionAffinity"].string_or("None") != "None") {
    warn("spec.SessionAffinity is ignored for headless services");
  }
  if (has_addresses && !headless && !is_elsewhere) {
    warn("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  }
  if (is_elsewhere && has_addresses) {
    warn("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
  }
  if (!is_elsewhere && !spec["externalName"].string_or("").empty()) {
    warn("spec.externalName is ignored when spec.type is not \"ExternalName\"");
  }
  if (spec["trafficDistribution"].string_or("") == "PreferClose") {
    warn("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
  }
}

// Only names of what others run may be of both families.
void check_families(Admission& admission) {
  const View spec = admission.object["spec"];
  const bool is_name = spec["clusterIP"].string_or("") == "None" && spec["selector"].empty();
  if (is_name || !admission.errors.empty()) return;
  if (spec["clusterIP"].string_or("").find(':') != std::string_view::npos) {
    admission.errors.add(objects::FieldError::invalid("spec.clusterIPs[0]", spec["clusterIPs"],
                                                      "IPv6 is not configured on this cluster"));
    return;
  }
  if (spec["ipFamilyPolicy"].string_or("") == "RequireDualStack") {
    admission.errors.add(
        objects::FieldError::invalid("spec.ipFamilyPolicy", spec["ipFamilyPolicy"],
                                     "this cluster is not configured for dual-stack services"));
  }
  std::size_t index = 0;
  for (View family : spec["ipFamilies"].elements()) {
    const std::string place = fmt::format("spec.ipFamilies[{}]", index++);
    if (family.string_or("") != "IPv6") continue;
    admission.errors.add(
        objects::FieldError::invalid(place, family, "not configured on this cluster"));
  }
}

}  // namespace

Outcome<> admit_service(Context& context, Admission& admission) {
  if (!admission.target.subresource.empty()) return {};
  warn_of_service(admission);
  if (!admission.is_create()) {
    keep_given(admission);
    drop_what_was(admission);
  }
  const bool has_address = needs_address(admission.object["spec"]);
  if (has_address) {
    give_families(admission);
    check_families(admission);
  }
  if (!admission.errors.empty() || is_own_service(admission)) return {};
  if (context.service_addresses != nullptr && has_address) {
    ALLOWED(context.service_addresses->give(admission));
  }
  if (admission.errors.empty()) say_what_is_missing(context, admission);
  return {};
}

}  // namespace muster::server
