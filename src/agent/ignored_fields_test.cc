// SPDX-License-Identifier: Apache-2.0
#include "agent/ignored_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "objects/yaml.h"

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> ignored(std::string_view spec, const std::set<std::string>& images = {}) {
  return ignored_fields(objects::parse_yaml_document(spec).must(), images);
}

TEST(IgnoredFields, what_says_nothing_is_not_told_of) {
  EXPECT_THAT(ignored("spec: {hostUsers: true, containers: [{name: a}], "
                      "securityContext: {sysctls: [], seLinuxOptions: {}}}"),
              IsEmpty());
}

TEST(IgnoredFields, fields_of_the_pod) {
  EXPECT_THAT(ignored("spec: {hostUsers: false, setHostnameAsFQDN: true, "
                      "resources: {limits: {cpu: 1}}, dnsConfig: {nameservers: [10.0.0.1], "
                      "options: [{name: ndots, value: '2'}]}, securityContext: "
                      "{sysctls: [{name: a, value: b}], seLinuxOptions: {level: s0}}}"),
              ElementsAre("spec.hostUsers", "spec.setHostnameAsFQDN", "spec.resources.limits",
                          "spec.securityContext.sysctls", "spec.securityContext.seLinuxOptions",
                          "spec.dnsConfig.nameservers", "spec.dnsConfig.options"));
}

TEST(IgnoredFields, rights_are_given_to_images_alone) {
  constexpr std::string_view pod =
      "spec: {initContainers: [{name: i, securityContext: {capabilities: {add: [X]}}}], "
      "containers: [{name: a, securityContext: {capabilities: {add: [X]}}}, "
      "{name: b, securityContext: {seLinuxOptions: {level: s0}}}]}";
  EXPECT_THAT(ignored(pod, {"a"}),
              ElementsAre("spec.initContainers[0].securityContext.capabilities.add",
                          "spec.containers[1].securityContext.seLinuxOptions"));
}

}  // namespace
}  // namespace muster::agent
