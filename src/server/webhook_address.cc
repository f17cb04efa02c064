// SPDX-License-Identifier: Apache-2.0
#include "server/webhook_address.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "base/base64.h"
#include "objects/label_selector.h"
#include "objects/metadata.h"

namespace muster::server {

using objects::go_quoted;
using objects::Value;
using objects::View;

namespace {

constexpr std::int64_t service_port_default = 443;

std::optional<Value> find(Context& context, std::string_view group, std::string_view plural,
                          std::string_view name_space, std::string_view name) {
  const auto kind = context.registry.find_resource(group, plural);
  if (kind == nullptr) return std::nullopt;
  const CachedObject* found = context.cache.find(*kind, name_space, name);
  if (found == nullptr) return std::nullopt;
  return context.trees.tree_of(found->bytes);
}

View port_of(View service, std::int64_t number) {
  for (View port : service["spec"]["ports"].elements()) {
    if (port["port"].integer_or(0) == number) return port;
  }
  return {};
}

// The number behind a target port, which may be the name of a port of the pod.
std::int64_t target_port(View service_port, View pod) {
  const View target = service_port["targetPort"];
  if (!target.is_string()) return target.integer_or(service_port["port"].integer_or(0));
  for (View container : pod["spec"]["containers"].elements()) {
    for (View port : container["ports"].elements()) {
      if (port["name"] == target) return port["containerPort"].integer_or(0);
    }
  }
  return 0;
}

bool is_ready(View pod) {
  return objects::is_true(objects::condition(pod, "Ready"));
}

std::string joined(std::string_view host, std::int64_t port) {
  return host.find(':') == std::string_view::npos ? fmt::format("{}:{}", host, port)
                                                  : fmt::format("[{}]:{}", host, port);
}

std::string address_of_pod(Context& context, View service, View service_port,
                           std::string_view name_space) {
  const View selector = service["spec"]["selector"];
  const auto pods = context.registry.find_resource("", "pods");
  if (selector.empty()) return {};
  for (const auto& [key, cached] : context.cache.all_in(*pods, name_space)) {
    const Value pod = context.trees.tree_of(cached.bytes);
    bool matches = is_ready(pod) && !cached.is_being_deleted;
    for (const objects::MemberView want : selector.members()) {
      matches = matches && pod["metadata"]["labels"][want.key] == want.value;
    }
    const std::string_view address = pod["status"]["podIP"].string_or("");
    const std::int64_t port = target_port(service_port, pod);
    if (matches && !address.empty() && port > 0) return joined(address, port);
  }
  return {};
}

std::string address_of_endpoints(const Value& endpoints, View service_port) {
  for (View subset : endpoints["subsets"].elements()) {
    const std::string_view address = subset["addresses"][0]["ip"].string_or("");
    for (View port : subset["ports"].elements()) {
      const bool same = port["name"].string_or("") == service_port["name"].string_or("");
      if (same && !address.empty()) return joined(address, port["port"].integer_or(0));
    }
  }
  return {};
}

Result<std::string> address_of(Context& context, View reference, std::int64_t port) {
  const std::string_view name = reference["name"].string_or("");
  const std::string_view name_space = reference["namespace"].string_or("");
  const auto service = find(context, "", "services", name_space, name);
  if (!service) {
    return Error{ErrorCode::unavailable, fmt::format("service {} not found", go_quoted(name))};
  }
  const View service_port = port_of(*service, port);
  if (!service_port) {
    return Error{ErrorCode::unavailable,
                 fmt::format("no service port {} found for service {}", port, go_quoted(name))};
  }
  if ((*service)["spec"]["type"].string_or("") == "ExternalName") {
    return joined((*service)["spec"]["externalName"].string_or(""), port);
  }
  const auto endpoints = find(context, "", "endpoints", name_space, name);
  std::string address = endpoints ? address_of_endpoints(*endpoints, service_port) : std::string();
  if (address.empty()) address = address_of_pod(context, *service, service_port, name_space);
  if (!address.empty()) return address;
  return Error{ErrorCode::unavailable,
               fmt::format("no endpoints available for service {}", go_quoted(name))};
}

}  // namespace

WebhookPlace webhook_place(Context& context, const Webhook& webhook) {
  const View config = webhook.definition["clientConfig"];
  WebhookPlace place;
  WebhookPost& post = place.post;
  post.timeout = webhook.timeout();
  const std::string query =
      fmt::format("?timeout={}s", webhook.timeout().nanoseconds / 1'000'000'000);
  if (auto pem = base64_decode(config["caBundle"].string_or("")); pem) {
    post.authority_pem = std::move(pem).take();
  }
  const View service = config["service"];
  if (!service.is_object()) {
    post.url = fmt::format("{}{}", config["url"].string_or(""), query);
    return place;
  }
  const std::int64_t port = service["port"].integer_or(service_port_default);
  const std::string server_name =
      fmt::format("{}.{}.svc", service["name"].string_or(""), service["namespace"].string_or(""));
  std::string path(service["path"].string_or(""));
  if (path.empty() || path.front() != '/') path = "/" + path;
  post.url = fmt::format("https://{}:{}{}{}", server_name, port, path, query);
  auto address = address_of(context, service, port);
  if (!address) {
    place.found = address.error();
  } else {
    post.address = std::move(address).take();
  }
  return place;
}

}  // namespace muster::server
