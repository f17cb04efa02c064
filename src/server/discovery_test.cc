// SPDX-License-Identifier: Apache-2.0
#include "server/discovery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "objects/json.h"

namespace muster::server {
namespace {

class DiscoveryTest : public testing::Test {
 protected:
  objects::KindRegistry registry_ = objects::KindRegistry::built_in().must();
  Discovery discovery_{registry_};
};

TEST_F(DiscoveryTest, versions_come_in_the_order_of_their_stability) {
  EXPECT_TRUE(is_version_before("v1", "v1beta2"));
  EXPECT_TRUE(is_version_before("v2", "v1"));
  EXPECT_TRUE(is_version_before("v1beta2", "v1beta1"));
  EXPECT_TRUE(is_version_before("v1beta1", "v2alpha1"));
  EXPECT_TRUE(is_version_before("v10", "v9"));
  EXPECT_TRUE(is_version_before("v1alpha1", "foo1"));
  EXPECT_TRUE(is_version_before("bar", "foo"));
  EXPECT_FALSE(is_version_before("v1", "v1"));
}

TEST_F(DiscoveryTest, kueue_prefers_its_newer_version) {
  EXPECT_EQ(objects::to_json(discovery_.group("kueue.x-k8s.io")),
            R"({"kind":"APIGroup","apiVersion":"v1","name":"kueue.x-k8s.io","versions":[)"
            R"({"groupVersion":"kueue.x-k8s.io/v1beta2","version":"v1beta2"},)"
            R"({"groupVersion":"kueue.x-k8s.io/v1beta1","version":"v1beta1"}],)"
            R"("preferredVersion":{"groupVersion":"kueue.x-k8s.io/v1beta2","version":"v1beta2"}})");
}

// But for the hash of the storage version, the entries of kube-apiserver 1.36.3.
TEST_F(DiscoveryTest, jobs_are_listed_as_the_real_server_lists_them) {
  EXPECT_EQ(
      objects::to_json(discovery_.resource_list("batch", "v1")),
      R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":"batch/v1","resources":[)"
      R"({"name":"cronjobs","singularName":"cronjob","namespaced":true,"kind":"CronJob",)"
      R"("verbs":["create","delete","deletecollection","get","list","patch","update","watch"],)"
      R"("shortNames":["cj"],"categories":["all"],"storageVersionHash":"sd5LIXh4Fjs="},)"
      R"({"name":"cronjobs/status","singularName":"","namespaced":true,"kind":"CronJob",)"
      R"("verbs":["get","patch","update"]},)"
      R"({"name":"jobs","singularName":"job","namespaced":true,"kind":"Job","verbs":["create",)"
      R"("delete","deletecollection","get","list","patch","update","watch"],"categories":["all"],)"
      R"("storageVersionHash":"mudhfqk/qZY="},)"
      R"({"name":"jobs/status","singularName":"","namespaced":true,"kind":"Job",)"
      R"("verbs":["get","patch","update"]}]})");
}

TEST_F(DiscoveryTest, the_core_group_stands_below_api) {
  EXPECT_EQ(objects::to_json(discovery_.core_versions("127.0.0.1:31443")),
            R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[)"
            R"({"clientCIDR":"0.0.0.0/0","serverAddress":"127.0.0.1:31443"}]})");
  const objects::Value list = discovery_.resource_list("", "v1");
  EXPECT_TRUE(list["apiVersion"].is_absent());
  EXPECT_EQ(list["groupVersion"].string_or(""), "v1");
  std::vector<std::string> names;
  for (objects::View each : list["resources"].elements()) {
    names.emplace_back(each["name"].string_or(""));
  }
  EXPECT_NE(std::find(names.begin(), names.end(), "pods/binding"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "pods/log"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "pods/status"), names.end());
}

TEST_F(DiscoveryTest, the_first_groups_are_those_people_mean) {
  EXPECT_EQ(discovery_.group_list()["groups"][std::size_t{0}]["name"].string_or(""), "apps");
}

TEST_F(DiscoveryTest, one_document_says_it_all) {
  const TaggedText& core = discovery_.aggregated_core(Shape::discovery_v2);
  const objects::Value parsed = objects::parse_json(core.text).must();
  EXPECT_EQ(parsed["apiVersion"].string_or(""), "apidiscovery.k8s.io/v2");
  EXPECT_EQ(objects::to_json(parsed["items"][std::size_t{0}]["metadata"]), "{}");
  EXPECT_NE(
      core.text.find(R"({"resource":"namespaces","responseKind":{"group":"","version":"",)"
                     R"("kind":"Namespace"},"scope":"Cluster","singularResource":"namespace",)"
                     R"("verbs":["create","delete","get","list","patch","update","watch"],)"
                     R"("shortNames":["ns"],"subresources":[)"),
      std::string::npos);
  const TaggedText& groups = discovery_.aggregated_groups(Shape::discovery_v2beta1);
  EXPECT_EQ(objects::parse_json(groups.text).must()["apiVersion"].string_or(""),
            "apidiscovery.k8s.io/v2beta1");
  EXPECT_NE(groups.text.find(R"({"metadata":{"name":"kueue.x-k8s.io"},"versions":[)"
                             R"({"version":"v1beta2","resources":[)"),
            std::string::npos);
  EXPECT_NE(core.etag, groups.etag);
}

// Of subresources only those that are served here too.
void expect_as_recorded(objects::View entry, objects::View recorded) {
  for (const objects::MemberView member : recorded.members()) {
    if (member.key == "subresources") continue;
    EXPECT_EQ(objects::to_json(entry[member.key]), objects::to_json(member.value));
  }
  for (objects::View ours : entry["subresources"].elements()) {
    std::string expected;
    for (objects::View each : recorded["subresources"].elements()) {
      if (ours["subresource"] == each["subresource"]) expected = objects::to_json(each);
    }
    EXPECT_EQ(objects::to_json(ours), expected);
  }
}

// What kube-apiserver 1.36.3 says of the same kinds, the CRDs made known to it by `muster crds`.
TEST_F(DiscoveryTest, the_entries_are_those_of_the_real_server) {
  std::ifstream file(std::string(MUSTER_SOURCE_FOLDER) + "/tests/data/discovery_oracle.json");
  std::stringstream text;
  text << file.rdbuf();
  const objects::Value recorded = objects::parse_json(text.str()).must();
  const auto recorded_entry = [&](objects::View group, objects::View version,
                                  objects::View entry) -> objects::View {
    for (objects::View each : recorded.view().elements()) {
      if (each["group"].string_or("") == group["metadata"]["name"].string_or("") &&
          each["version"] == version["version"] && each["entry"]["resource"] == entry["resource"]) {
        return each["entry"];
      }
    }
    return {};
  };
  for (const std::string& document : {discovery_.aggregated_core(Shape::discovery_v2).text,
                                      discovery_.aggregated_groups(Shape::discovery_v2).text}) {
    const objects::Value parsed = objects::parse_json(document).must();
    for (objects::View group : parsed["items"].elements()) {
      // Of metrics-server and of Kueue, which are other servers there.
      const std::string_view name = group["metadata"]["name"].string_or("");
      if (name == "metrics.k8s.io" || name == "visibility.kueue.x-k8s.io") continue;
      for (objects::View version : group["versions"].elements()) {
        for (objects::View entry : version["resources"].elements()) {
          const objects::View expected = recorded_entry(group, version, entry);
          ASSERT_TRUE(expected) << objects::to_json(entry);
          expect_as_recorded(entry, expected);
        }
      }
    }
  }
}

TEST_F(DiscoveryTest, what_is_not_served_is_absent) {
  EXPECT_TRUE(discovery_.group("nope").is_absent());
  EXPECT_TRUE(discovery_.group("").is_absent());
  EXPECT_TRUE(discovery_.resource_list("batch", "v2").is_absent());
  EXPECT_FALSE(discovery_.has_version("batch", "v2"));
  EXPECT_TRUE(discovery_.has_version("", "v1"));
}

}  // namespace
}  // namespace muster::server
