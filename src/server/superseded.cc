// SPDX-License-Identifier: Apache-2.0
#include "server/superseded.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "objects/edit.h"

namespace muster::server {

using objects::MemberView;
using objects::View;

namespace {

// The last part of an image's name. Registries, projects and tags differ.
constexpr std::string_view superseded_images[] = {
    "jobset",
    "kueue",
    "mpi-operator",
    "trainer-controller-manager",
    "training-operator",
    "vc-controller-manager",
    "vc-scheduler",
    "vc-webhook-manager",
};

constexpr std::string_view superseded_services[] = {
    "jobset-webhook-service",  "kubeflow-trainer-controller-manager",
    "kueue-visibility-server", "kueue-webhook-service",
    "training-operator",       "volcano-admission-service",
};

bool selects(View selector, View labels) {
  if (selector.empty()) return false;
  for (const MemberView wanted : selector.members()) {
    if (labels[wanted.key].string_or("") != wanted.value.string_or("")) return false;
  }
  return true;
}

}  // namespace

objects::Value with_superseded_mark(const objects::Value& object, std::string_view why) {
  auto marked = objects::with(object, {"metadata", "annotations", superseded_annotation},
                              objects::Value::string(why));
  return marked ? std::move(marked).take() : object;
}

bool is_superseded_image(std::string_view image) {
  image = image.substr(0, image.find('@'));
  if (const std::size_t slash = image.rfind('/'); slash != std::string_view::npos) {
    image.remove_prefix(slash + 1);
  }
  image = image.substr(0, image.find(':'));
  return std::find(std::begin(superseded_images), std::end(superseded_images), image) !=
         std::end(superseded_images);
}

bool is_superseded_workload(View object) {
  for (View container : object["spec"]["template"]["spec"]["containers"].elements()) {
    if (is_superseded_image(container["image"].string_or(""))) return true;
  }
  return false;
}

bool is_superseded_service(const Context& context, std::string_view name_space,
                           std::string_view name) {
  if (std::find(std::begin(superseded_services), std::end(superseded_services), name) !=
      std::end(superseded_services)) {
    return true;
  }
  const auto services = context.registry.find_resource("", "services");
  const auto deployments = context.registry.find_resource("apps", "deployments");
  if (services == nullptr || deployments == nullptr) return false;
  const CachedObject* service = context.cache.find(*services, name_space, name);
  if (service == nullptr) return false;
  const objects::Value wanted = context.trees.tree_of(service->bytes);
  for (const auto& [key, deployment] : context.cache.all_in(*deployments, name_space)) {
    const objects::Value tree = context.trees.tree_of(deployment.bytes);
    if (!is_superseded_workload(tree)) continue;
    if (selects(wanted["spec"]["selector"], tree["spec"]["template"]["metadata"]["labels"])) {
      return true;
    }
  }
  return false;
}

bool is_superseded_client(const Context& context, View client_config) {
  const View service = client_config["service"];
  return service && is_superseded_service(context, service["namespace"].string_or(""),
                                          service["name"].string_or(""));
}

}  // namespace muster::server
