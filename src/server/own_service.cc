// SPDX-License-Identifier: Apache-2.0
#include "server/own_service.h"

#include <utility>

#include "objects/metadata.h"
#include "server/write.h"

namespace muster::server {

using objects::Value;

namespace {

constexpr std::string_view own_name = "kubernetes";
constexpr std::string_view own_namespace = "default";
constexpr std::string_view own_user = "system:muster:own-service";

Identity own_identity() {
  return {.name = std::string(own_user), .groups = {std::string(masters_group)}};
}

Value named(Value labels) {
  return Value::object({{"name", Value::string(own_name)},
                        {"namespace", Value::string(own_namespace)},
                        {"labels", std::move(labels)}});
}

Value port_of(std::uint16_t port) {
  return Value::object({{"name", Value::string("https")},
                        {"port", Value::integer(port)},
                        {"protocol", Value::string("TCP")}});
}

Value service_of(const ServiceAddress& where) {
  const Value port = Value::object({{"name", Value::string("https")},
                                    {"protocol", Value::string("TCP")},
                                    {"port", Value::integer(where.port)},
                                    {"targetPort", Value::integer(where.port)}});
  return Value::object(
      {{"metadata", named(Value::object({{"component", Value::string("apiserver")},
                                         {"provider", Value::string("kubernetes")}}))},
       {"spec", Value::object({{"ports", Value::array({port})},
                               {"clusterIP", Value::string(where.address)},
                               {"clusterIPs", Value::array({Value::string(where.address)})},
                               {"type", Value::string("ClusterIP")},
                               {"sessionAffinity", Value::string("None")},
                               {"ipFamilies", Value::array({Value::string("IPv4")})},
                               {"ipFamilyPolicy", Value::string("SingleStack")},
                               {"internalTrafficPolicy", Value::string("Cluster")}})}});
}

Value endpoints_of(const ServiceAddress& where) {
  const Value address = Value::object({{"ip", Value::string(where.address)}});
  const Value subset = Value::object(
      {{"addresses", Value::array({address})}, {"ports", Value::array({port_of(where.port)})}});
  return Value::object(
      {{"metadata",
        named(Value::object({{"endpointslice.kubernetes.io/skip-mirror", Value::string("true")}}))},
       {"subsets", Value::array({subset})}});
}

Value slice_of(const ServiceAddress& where) {
  const Value endpoint =
      Value::object({{"addresses", Value::array({Value::string(where.address)})},
                     {"conditions", Value::object({{"ready", Value::boolean(true)}})}});
  return Value::object(
      {{"metadata",
        named(Value::object({{"kubernetes.io/service-name", Value::string(own_name)}}))},
       {"addressType", Value::string("IPv4")},
       {"endpoints", Value::array({endpoint})},
       {"ports", Value::array({port_of(where.port)})}});
}

bool is_ours(const CachedObject& object) {
  if (object.name != own_name || object.name_space != own_namespace) return false;
  const objects::Kind& kind = *object.kind;
  return (kind.group.empty() && (kind.plural == "services" || kind.plural == "endpoints")) ||
         (kind.group == "discovery.k8s.io" && kind.plural == "endpointslices");
}

}  // namespace

bool is_own_service(const Admission& admission) {
  return admission.identity.name == own_user;
}

void OwnService::start() {
  if (!where_.address.empty()) look();
}

void OwnService::on_change(const CacheChange& change) {
  const CachedObject* about = change.now != nullptr ? change.now : change.before;
  const bool is_home = about->kind->group.empty() && about->kind->plural == "namespaces" &&
                       about->name == own_namespace;
  if (!where_.address.empty() && (is_home || is_ours(*about))) look();
}

void OwnService::look() {
  if (std::exchange(turn_posted_, true)) return;
  context_.house.post([this, alive = alive_] {
    if (*alive) turn();
  });
}

void OwnService::turn() {
  turn_posted_ = false;
  const auto namespaces = context_.registry.find_resource("", "namespaces");
  const CachedObject* home = context_.cache.find(*namespaces, "", own_namespace);
  if (home == nullptr || home->is_being_deleted) return;
  keep("", "services", service_of(where_));
  if (where_.address.starts_with("127.")) return;
  keep("", "endpoints", endpoints_of(where_));
  keep("discovery.k8s.io", "endpointslices", slice_of(where_));
}

// A patch that changes nothing writes nothing, so this ends.
void OwnService::keep(std::string_view group, std::string_view plural, Value wanted) {
  const auto kind = context_.registry.find_resource(group, plural);
  if (kind == nullptr) return;
  const bool is_there = context_.cache.find(*kind, own_namespace, own_name) != nullptr;
  WriteRequest request{.target = {.kind = kind,
                                  .version = &kind->storage_version(),
                                  .name_space = std::string(own_namespace),
                                  .name = is_there ? std::string(own_name) : std::string()},
                       .body = std::move(wanted),
                       .identity = own_identity()};
  const auto done = [log = context_.log](const Outcome<Written>& written) {
    if (written) return;
    log.warning("the Service of this server is not as it should be",
                {{"why", written.error().message}});
  };
  if (!is_there) return create(context_, std::move(request), done);
  // What cannot be changed (an address that was given) is made anew: its end comes by on_change().
  RemoveRequest instead{.target = request.target, .identity = request.identity};
  patch(context_, std::move(request), objects::PatchType::merge,
        [this, alive = alive_, instead, done](const Outcome<Written>& written) {
          if (written || !*alive) return;
          remove(context_, instead, done);
        });
}

}  // namespace muster::server
