// SPDX-License-Identifier: Apache-2.0
#include "server/authorization.h"

#include <gtest/gtest.h>

namespace muster::server {
namespace {

const RuleAuthorizer authorizer;

bool may(const Access& access) {
  return authorizer.allows(access);
}

const Identity stranger{.name = "u", .groups = {std::string(authenticated_group)}};

TEST(authorization, masters_may_do_everything) {
  EXPECT_TRUE(
      may({.identity = admin_identity(), .verb = "delete", .resource = "nodes", .name = "n1"}));
  EXPECT_TRUE(may({.identity = admin_identity(), .verb = "get", .path = "/metrics"}));
}

TEST(authorization, nobody_else_may_do_anything_by_default) {
  EXPECT_FALSE(may(
      {.identity = stranger, .verb = "get", .resource = "pods", .name_space = "a", .name = "p"}));
  EXPECT_FALSE(may({.identity = anonymous_identity(), .verb = "get", .path = "/api"}));
  EXPECT_TRUE(may({.identity = stranger, .verb = "get", .path = "/api"}));
  EXPECT_TRUE(may({.identity = stranger, .verb = "get", .path = "/openapi/v3"}));
  EXPECT_FALSE(may({.identity = stranger, .verb = "get", .path = "/apiary"}));
  EXPECT_FALSE(may({.identity = stranger, .verb = "post", .path = "/api"}));
  // A name alone makes nobody a node, and a group alone neither.
  EXPECT_FALSE(may({.identity = {.name = "system:node:n1"}, .verb = "list", .resource = "pods"}));
  EXPECT_FALSE(may({.identity = {.name = "n1", .groups = {"system:nodes"}},
                    .verb = "list",
                    .resource = "pods"}));
}

TEST(authorization, health_and_version_are_for_everybody) {
  for (const char* path : {"/healthz", "/livez", "/readyz", "/version", "/version/"}) {
    EXPECT_TRUE(may({.identity = anonymous_identity(), .verb = "get", .path = path})) << path;
  }
  EXPECT_FALSE(may({.identity = anonymous_identity(), .verb = "get", .path = "/livez/ping"}));
  EXPECT_FALSE(may({.identity = anonymous_identity(), .verb = "get", .path = "/healthzz"}));
  EXPECT_FALSE(may({.identity = anonymous_identity(), .verb = "get", .path = "/versions"}));
}

TEST(authorization, a_controller_writes_what_controllers_write) {
  const Identity controller = controller_identity();
  EXPECT_TRUE(may({.identity = controller, .verb = "watch", .group = "batch", .resource = "jobs"}));
  EXPECT_TRUE(
      may({.identity = controller, .verb = "create", .resource = "pods", .name_space = "a"}));
  EXPECT_TRUE(may({.identity = controller,
                   .verb = "create",
                   .resource = "pods",
                   .subresource = "binding",
                   .name_space = "a",
                   .name = "p"}));
  EXPECT_TRUE(may({.identity = controller,
                   .verb = "patch",
                   .group = "kueue.x-k8s.io",
                   .resource = "workloads",
                   .subresource = "status"}));
  EXPECT_FALSE(may({.identity = controller, .verb = "create", .resource = "nodes"}));
  EXPECT_FALSE(
      may({.identity = controller, .verb = "delete", .resource = "namespaces", .name = "a"}));
  EXPECT_FALSE(may({.identity = controller,
                    .verb = "create",
                    .group = "rbac.authorization.k8s.io",
                    .resource = "clusterrolebindings"}));
}

TEST(authorization, a_node_writes_only_about_itself) {
  const Identity node = node_identity("n1");
  EXPECT_TRUE(may({.identity = node, .verb = "patch", .resource = "nodes", .name = "n1"}));
  EXPECT_FALSE(may({.identity = node, .verb = "get", .resource = "nodes", .name = "n2"}));
  EXPECT_FALSE(may({.identity = node, .verb = "delete", .resource = "nodes", .name = "n1"}));
  EXPECT_TRUE(may({.identity = node,
                   .verb = "update",
                   .group = "coordination.k8s.io",
                   .resource = "leases",
                   .name_space = "kube-node-lease",
                   .name = "n1"}));
  EXPECT_FALSE(may({.identity = node,
                    .verb = "update",
                    .group = "coordination.k8s.io",
                    .resource = "leases",
                    .name_space = "kube-system",
                    .name = "n1"}));
  EXPECT_FALSE(may({.identity = node, .verb = "patch", .resource = "pods", .name_space = "a"}));
  EXPECT_FALSE(may({.identity = node, .verb = "list", .resource = "secrets", .name_space = "a"}));
  EXPECT_FALSE(may({.identity = node, .verb = "list", .resource = "pods"}));
  EXPECT_TRUE(may({.identity = node,
                   .verb = "list",
                   .resource = "pods",
                   .field_selector = "spec.nodeName=n1"}));
}

}  // namespace
}  // namespace muster::server
