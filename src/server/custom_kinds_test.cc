// SPDX-License-Identifier: Apache-2.0
#include "server/custom_kinds.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "objects/metadata.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

using objects::Value;
using objects::View;
using testing::HasSubstr;

constexpr std::string_view definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr std::string_view widget_definition =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.acme.io";
constexpr std::string_view widgets = "/apis/acme.io/v1/namespaces/default/widgets";
constexpr std::string_view widget = "/apis/acme.io/v1/namespaces/default/widgets/a";

// A definition whose names and versions a test may choose.
struct Form {
  std::string plural = "widgets";
  std::string kind = "Widget";
  std::string short_names = R"(["wd"])";
  std::string properties = R"("size":{"type":"integer","default":3},"color":{"type":"string"})";
  std::string more_versions = "";
  bool stores_v1 = true;
};

std::string definition_text(const Form& form) {
  return fmt::format(
      R"({{"metadata":{{"name":"{0}.acme.io"}},"spec":{{"group":"acme.io","scope":"Namespaced",)"
      R"("names":{{"plural":"{0}","kind":"{1}","shortNames":{2}}},"versions":[{{"name":"v1",)"
      R"("served":true,"storage":{5},"schema":{{"openAPIV3Schema":{{"type":"object","properties":)"
      R"({{"spec":{{"type":"object","properties":{{{3}}}}}}}}}}},"subresources":{{"status":{{}}}},)"
      R"("selectableFields":[{{"jsonPath":".spec.color"}}],"additionalPrinterColumns":)"
      R"([{{"name":"Size","type":"integer","jsonPath":".spec.size"}}]}}{4}]}}}})",
      form.plural, form.kind, form.short_names, form.properties, form.more_versions,
      form.stores_v1);
}

struct CustomKindsTest : testing::Test {
  Response define(const Form& form = {}) {
    Response response = world.send("POST", definitions, definition_text(form));
    world.settle();
    return response;
  }
  // The rest of a widget, behind its type.
  Response make(std::string_view rest = R"("metadata":{"name":"a"},"spec":{"color":"red"}})") {
    return world.send("POST", widgets,
                      fmt::format(R"({{"apiVersion":"acme.io/v1","kind":"Widget",{})", rest));
  }
  Value read(std::string_view path) { return json(text_of(world.send("GET", path))); }
  std::string condition(std::string_view path, std::string_view type) {
    const Value object = read(path);
    const View found = objects::condition(object, type);
    return fmt::format("{} {}", found["status"].string_or("none"), found["reason"].string_or(""));
  }
  // A change of the definition, over whatever it is now.
  Response redefine(const Form& form) {
    const Value next = json(definition_text(form));
    const std::string patch = fmt::format(R"({{"spec":{}}})", objects::to_json(next["spec"]));
    Response response =
        world.send("PATCH", widget_definition, patch, "application/merge-patch+json");
    world.settle();
    return response;
  }
  ServerWorld world;
};

TEST_F(CustomKindsTest, serves_a_kind_as_soon_as_its_definition_is_durable) {
  const Response made = world.send("POST", definitions, definition_text(Form()));
  EXPECT_EQ(made.status, 201) << text_of(made);
  const Response instance = make();
  EXPECT_EQ(instance.status, 201) << text_of(instance);
  EXPECT_EQ(json(text_of(instance))["spec"]["size"].integer_or(0), 3);
  EXPECT_THAT(std::string(text_of(world.send("GET", "/apis/acme.io/v1"))),
              HasSubstr(R"("name":"widgets/status")"));
}

TEST_F(CustomKindsTest, writes_what_became_of_the_names) {
  define();
  EXPECT_EQ(condition(widget_definition, "NamesAccepted"), "True NoConflicts");
  EXPECT_EQ(condition(widget_definition, "Established"), "True InitialNamesAccepted");
  const Value definition = read(widget_definition);
  EXPECT_EQ(definition["status"]["acceptedNames"]["listKind"].string_or(""), "WidgetList");
  EXPECT_EQ(definition["status"]["storedVersions"][0].string_or(""), "v1");
  EXPECT_EQ(definition["spec"]["names"]["singular"].string_or(""), "widget");
}

TEST_F(CustomKindsTest, gives_a_name_once_and_again_when_it_is_free) {
  define();
  define({.plural = "gadgets", .kind = "Widget", .short_names = R"(["wd"])"});
  const std::string other = std::string(definitions) + "/gadgets.acme.io";
  EXPECT_EQ(condition(other, "NamesAccepted"), "False ListKindConflict");
  EXPECT_EQ(condition(other, "Established"), "False NotAccepted");
  EXPECT_EQ(world.send("GET", "/apis/acme.io/v1/namespaces/default/gadgets").status, 404);
  world.send("DELETE", widget_definition);
  world.settle();
  EXPECT_EQ(condition(other, "Established"), "True InitialNamesAccepted");
  EXPECT_EQ(world.send("GET", "/apis/acme.io/v1/namespaces/default/gadgets").status, 200);
}

TEST_F(CustomKindsTest, takes_instances_along_and_forgets_the_group) {
  define();
  make();
  const Response removed = world.send("DELETE", widget_definition);
  EXPECT_THAT(std::string(text_of(removed)), HasSubstr("InstanceDeletionPending"));
  world.settle();
  EXPECT_EQ(world.send("GET", widget_definition).status, 404);
  const Response gone = world.send("GET", widget);
  EXPECT_EQ(gone.status, 404);
  EXPECT_EQ(text_of(gone), "404 page not found\n");
  EXPECT_EQ(world.send("GET", "/apis/acme.io").status, 404);
}

TEST_F(CustomKindsTest, waits_for_an_instance_that_a_finalizer_holds) {
  define();
  make(R"("metadata":{"name":"a","finalizers":["acme.io/hold"]}})");
  world.send("DELETE", widget_definition);
  world.settle();
  EXPECT_EQ(condition(widget_definition, "Terminating"), "True InstanceDeletionInProgress");
  const Response refused = make(R"("metadata":{"name":"b"}})");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(json(text_of(refused))["message"].string_or(""),
            "widgets.acme.io \"b\" is forbidden: create not allowed while custom resource "
            "definition is terminating");
  world.send("PATCH", widget, R"({"metadata":{"finalizers":null}})",
             "application/merge-patch+json");
  world.settle();
  EXPECT_EQ(world.send("GET", widget_definition).status, 404);
}

TEST_F(CustomKindsTest, shows_old_objects_with_new_defaults_and_without_old_fields) {
  define();
  make();
  redefine({.properties = R"("size":{"type":"integer","default":3},"shape":{"type":"string",)"
                          R"("default":"round"},"color":{"type":"string"})"});
  EXPECT_EQ(read(widget)["spec"]["shape"].string_or(""), "round");
  EXPECT_EQ(read(std::string(widgets))["items"][0]["spec"]["shape"].string_or(""), "round");
}

TEST_F(CustomKindsTest, shows_an_object_in_the_version_that_is_asked_for) {
  define();
  make();
  const std::string second =
      R"(,{"name":"v2","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",)"
      R"("properties":{"spec":{"type":"object","properties":{"color":{"type":"string"}}}}}}})";
  const Response changed = redefine({.more_versions = second, .stores_v1 = false});
  EXPECT_EQ(changed.status, 200) << text_of(changed);
  const Value shown = read("/apis/acme.io/v2/namespaces/default/widgets/a");
  EXPECT_EQ(shown["apiVersion"].string_or(""), "acme.io/v2");
  EXPECT_EQ(shown["spec"]["color"].string_or(""), "red");
  EXPECT_TRUE(shown["spec"]["size"].is_absent());
  EXPECT_EQ(read(widget)["apiVersion"].string_or(""), "acme.io/v1");
  EXPECT_EQ(read(widget_definition)["status"]["storedVersions"].size(), 2U);
}

TEST_F(CustomKindsTest, selects_by_the_fields_that_the_definition_offers) {
  define();
  make();
  const std::string red = std::string(widgets) + "?fieldSelector=spec.color%3Dred";
  const std::string blue = std::string(widgets) + "?fieldSelector=spec.color%3Dblue";
  EXPECT_EQ(read(red)["items"].size(), 1U);
  EXPECT_EQ(read(blue)["items"].size(), 0U);
}

TEST_F(CustomKindsTest, ends_watches_of_a_kind_that_changed) {
  define();
  Response watched = world.send("GET", std::string(widgets) + "?watch=1");
  auto& stream = *std::get<std::unique_ptr<Stream>>(watched.body);
  EXPECT_FALSE(stream.take(1 << 20).ended);
  redefine({.properties = R"("size":{"type":"integer"})"});
  EXPECT_FALSE(stream.take(1 << 20).ended) << "selectable fields of a field that is gone: refused";
  redefine({.properties = R"("size":{"type":"integer"},"color":{"type":"string"})"});
  EXPECT_TRUE(stream.take(1 << 20).ended);
}

TEST_F(CustomKindsTest, keeps_definitions_of_kinds_of_ours_without_effect) {
  const Response made = world.send(
      "POST", definitions,
      R"({"metadata":{"name":"clusterqueues.kueue.x-k8s.io"},"spec":{"group":"kueue.x-k8s.io",)"
      R"("scope":"Cluster","names":{"plural":"clusterqueues","kind":"ClusterQueue"},"versions":)"
      R"([{"name":"v1beta1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":)"
      R"("object"}}}]}})");
  EXPECT_EQ(made.status, 201) << text_of(made);
  const auto is_warning = [](const auto& header) { return header.first == "Warning"; };
  EXPECT_TRUE(std::any_of(made.headers.begin(), made.headers.end(), is_warning));
  world.settle();
  const std::string path = std::string(definitions) + "/clusterqueues.kueue.x-k8s.io";
  EXPECT_EQ(condition(path, "Established"), "True InitialNamesAccepted");
  const std::string queues = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues";
  EXPECT_EQ(world
                .send("POST", queues,
                      R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ClusterQueue",)"
                      R"("metadata":{"name":"q"},"spec":{}})")
                .status,
            201);
  world.send("DELETE", path);
  world.settle();
  EXPECT_EQ(world.send("GET", path).status, 404);
  EXPECT_EQ(world.send("GET", queues + "/q").status, 200);
}

TEST_F(CustomKindsTest, knows_its_kinds_after_a_restart) {
  define();
  make();
  world.restart();
  EXPECT_EQ(read(widget)["spec"]["size"].integer_or(0), 3);
  EXPECT_EQ(condition(widget_definition, "Established"), "True InitialNamesAccepted");
}

}  // namespace
}  // namespace muster::server
