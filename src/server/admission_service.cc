// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/admission.h"
#include "server/own_service.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::View;

namespace {

// Whether something here serves it: names of pods, and names elsewhere. Nothing routes a cluster
// address, so none is given out, and the Service itself says so.
bool is_served(View spec) {
  return spec["clusterIP"].string_or("") == "None" ||
         spec["type"].string_or("ClusterIP") == "ExternalName";
}

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
  if (headless && spec["clusterIPs"].empty()) {
    const Node none[] = {Builder::literal("None")};
    next.set("clusterIPs", builder.array(none));
  }
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
}

// What was given stays with a caller who does not know of it.
void keep_addresses(Admission& admission) {
  const View spec = admission.object["spec"];
  const View before = admission.old_object["spec"];
  if (before["type"].string_or("") == "ExternalName") return;
  Builder builder;
  builder.retain(admission.object);
  builder.retain(admission.old_object);
  Rewrite next(spec);
  bool kept = false;
  for (const std::string_view field : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    if (spec[field] || !before[field]) continue;
    next.set(field, before[field].node());
    kept = true;
  }
  if (!kept) return;
  Rewrite root(admission.object);
  root.set("spec", next.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
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
  if (admission.target.subresource.empty()) warn_of_service(admission);
  if (admission.object["spec"]["type"].string_or("ClusterIP") == "ExternalName") return {};
  if (!admission.is_create()) {
    keep_addresses(admission);
    check_families(admission);
    return {};
  }
  give_families(admission);
  check_families(admission);
  const View spec = admission.object["spec"];
  if (is_served(spec) || is_own_service(admission)) return {};
  const std::string_view why =
      "this server gives no cluster addresses: nothing listens on this Service; set "
      "spec.clusterIP to None and reach the pods by their names";
  admission.warnings.emplace_back(why);
  admission.object = objects::with_condition(admission.object,
                                             {.type = "muster.dev/Unserved",
                                              .status = "True",
                                              .reason = "NoClusterAddresses",
                                              .message = std::string(why)},
                                             context.clock.wall());
  return {};
}

}  // namespace muster::server
