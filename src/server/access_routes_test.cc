// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/suites/access_world.h"

// Every route that discovery names, with every verb it offers there, asked by everybody: who may
// not is refused, in whatever state the objects are; who may gets another answer. Kinds that come
// later are in the table by themselves.

namespace muster::server {
namespace {

using objects::View;

struct Route {
  std::string method;
  std::string path;
  std::string query = {};
  std::string verb;
  std::string resource;  // with its subresource
  bool namespaced = false;

  bool reads() const { return method == "GET"; }
  // What everybody who is known may ask about themselves.
  bool is_pod_stream() const {
    return resource == "pods/exec" || resource == "pods/attach" || resource == "pods/portforward";
  }
  bool is_own_review() const {
    return resource == "selfsubjectaccessreviews" || resource == "selfsubjectrulesreviews" ||
           resource == "selfsubjectreviews";
  }
};

struct Verb {
  std::string_view verb;
  std::string_view method;
  std::string_view query;
  bool named;
};
constexpr Verb verbs[] = {
    {"get", "GET", "", true},           {"list", "GET", "", false},
    {"watch", "GET", "watch=1", false}, {"create", "POST", "", false},
    {"update", "PUT", "", true},        {"patch", "PATCH", "", true},
    {"delete", "DELETE", "", true},     {"deletecollection", "DELETE", "", false},
};

void add_routes(const std::string& root, View resource, std::vector<Route>& routes) {
  const std::string name(resource["name"].string_or(""));
  const std::size_t slash = name.find('/');
  const bool namespaced = resource["namespaced"].boolean_or(false);
  const std::string space = namespaced ? "/namespaces/team" : "";
  for (const View offered : resource["verbs"].elements()) {
    const auto* verb = std::ranges::find(verbs, offered.string_or(""), &Verb::verb);
    if (verb == std::end(verbs)) continue;
    std::string path = root + space + "/" + name.substr(0, slash);
    if (slash != std::string::npos) {
      path += "/thing" + name.substr(slash);
    } else if (verb->named) {
      path += "/thing";
    }
    routes.push_back({std::string(verb->method), path, std::string(verb->query),
                      std::string(verb->verb), name, namespaced});
  }
}

std::vector<Route> all_routes(AccessWorld& world) {
  std::vector<std::string> roots = {"/api/v1"};
  const objects::Value groups = world.get("/apis").json();
  for (const View group : groups["groups"].elements()) {
    for (const View version : group["versions"].elements()) {
      roots.push_back(fmt::format("/apis/{}", version["groupVersion"].string_or("")));
    }
  }
  std::vector<Route> routes;
  for (const std::string& root : roots) {
    const objects::Value list = world.get(root).json();
    for (const View resource : list["resources"].elements()) add_routes(root, resource, routes);
  }
  return routes;
}

class AccessRoutes : public testing::Test {
 protected:
  AccessRoutes() {
    world.post("/api/v1/namespaces", R"({"metadata":{"name":"team"}})");
    world.post("/api/v1/namespaces", R"({"metadata":{"name":"other"}})");
    role("reads", R"(["get","list","watch"])");
    role("writes", R"(["*"])");
    bind("reads", "reader");
    bind("writes", "writer");
    world.post("/apis/rbac.authorization.k8s.io/v1/namespaces/other/rolebindings",
               R"({"metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"admin"},
                   "subjects":[{"kind":"User","name":"stranger"}]})");
    for (const char* name : {"reader", "writer", "stranger"}) {
      world.token(name, {.name = name});
    }
    world.token("late", {.name = "writer"}, world.clock.wall() - Span::of_seconds(1));
    world.settle();
    routes = all_routes(world);
  }

  void role(std::string_view name, std::string_view can) {
    const Told made = world.post(
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        fmt::format(R"({{"metadata":{{"name":"{}"}},"rules":[{{"verbs":{},"apiGroups":["*"],)"
                    R"("resources":["*"]}}]}})",
                    name, can));
    ASSERT_EQ(made.status, 201) << made.body;
  }
  void bind(std::string_view name, std::string_view user) {
    const Told made =
        world.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
                   fmt::format(R"({{"metadata":{{"name":"{}"}},"roleRef":{{"kind":"ClusterRole",)"
                               R"("name":"{}"}},"subjects":[{{"kind":"User","name":"{}"}}]}})",
                               name, name, user));
    ASSERT_EQ(made.status, 201) << made.body;
  }

  Told ask(const Route& route, std::string_view authorization) {
    Request request{.method = route.method, .path = route.path, .query = route.query};
    // Nothing is changed: who may delete all bindings would lock everybody out.
    if (!route.reads()) request.query = "dryRun=All";
    if (!route.reads() && route.method != "DELETE") request.body = "{}";
    if (route.method == "PATCH") request.content_type = "application/merge-patch+json";
    return world.ask(std::move(request), authorization);
  }

  AccessWorld world;
  std::vector<Route> routes;
};

TEST_F(AccessRoutes, everybody_gets_through_where_they_may_and_nowhere_else) {
  ASSERT_GT(routes.size(), 200U);
  for (const Route& route : routes) {
    const std::string where =
        fmt::format("{} {}?{} ({})", route.method, route.path, route.query, route.verb);
    EXPECT_EQ(ask(route, "").status, 401) << where;
    EXPECT_EQ(ask(route, "Bearer bad").status, 401) << where;
    EXPECT_EQ(ask(route, "Bearer late").status, 401) << where;
    const Told stranger = ask(route, "Bearer stranger");
    EXPECT_EQ(stranger.status == 403, !route.is_own_review()) << where << stranger.body;
    const Told reader = ask(route, "Bearer reader");
    // A conversation with a pod runs commands, whatever its method.
    const bool only_reads = route.reads() && !route.is_pod_stream();
    EXPECT_EQ(reader.status == 403, !only_reads && !route.is_own_review()) << where << reader.body;
    const Told writer = ask(route, "Bearer writer");
    EXPECT_NE(writer.status, 401) << where;
    EXPECT_NE(writer.status, 403) << where << writer.body;
    EXPECT_LT(writer.status, 500) << where << writer.body;
  }
}

TEST_F(AccessRoutes, a_refusal_says_who_may_not_do_what_and_where) {
  for (const Route& route : routes) {
    if (route.is_own_review()) continue;
    const Told told = ask(route, "Bearer stranger");
    const bool is_namespace = route.resource.starts_with("namespaces");
    const bool named = route.path.find("/thing") != std::string::npos;
    const std::string place = route.namespaced        ? "in the namespace \"team\""
                              : is_namespace && named ? "in the namespace \"thing\""
                                                      : "at the cluster scope";
    EXPECT_TRUE(
        told.message().find(fmt::format("User \"stranger\" cannot {} resource \"{}\" in API "
                                        "group",
                                        route.verb, route.resource)) != std::string::npos)
        << told.message();
    EXPECT_TRUE(told.message().ends_with(place)) << told.message();
  }
}

TEST_F(AccessRoutes, paths_are_for_who_their_roles_say) {
  const struct {
    const char* path;
    int nobody;
    int somebody;
  } paths[] = {{"/version", 200, 200},       {"/healthz", 200, 200}, {"/livez", 200, 200},
               {"/readyz", 200, 200},        {"/api", 401, 200},     {"/apis", 401, 200},
               {"/openapi/v3", 401, 200},    {"/", 401, 403},        {"/metrics", 401, 403},
               {"/openid/v1/jwks", 401, 403}};
  for (const auto& [path, nobody, somebody] : paths) {
    EXPECT_EQ(world.get(path, "").status, nobody) << path;
    EXPECT_EQ(world.get(path, "Bearer stranger").status, somebody) << path;
    EXPECT_EQ(world.get(path, "Bearer bad").status, 401) << path;
  }
  EXPECT_EQ(world.get("/openid/v1/jwks").status, 200);
}

}  // namespace
}  // namespace muster::server
