// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_admission.h"

#include <gtest/gtest.h>

#include <string>

#include "objects/yaml.h"

namespace muster::core {
namespace {

class ReadAdmission : public ::testing::Test {
 protected:
  static objects::Value yaml(const std::string& text) {
    return objects::parse_yaml_document(text).must();
  }
  Admission read(const std::string& text) {
    return read_admission(yaml(text), GangPodSets(), names_).must();
  }
  bool shows(const std::string& text, const Admission& admission) {
    return shows_admission(yaml(text), admission, names_);
  }

  ResourceNames names_;
};

constexpr const char* usual =
    "{clusterQueue: q, podSetAssignments: [{name: main, count: 3, flavors: {cpu: a, memory: b}, "
    "resourceUsage: {memory: 2Gi, cpu: 1500m}}]}";

TEST_F(ReadAdmission, knows_the_one_that_it_read) {
  const Admission admission = read(usual);
  EXPECT_TRUE(shows(usual, admission));
  EXPECT_TRUE(
      shows("{podSetAssignments: [{resourceUsage: {cpu: '1.5', memory: 2048Mi}, count: 3, "
            "flavors: {cpu: a, memory: b}}], clusterQueue: q}",
            admission));
}

TEST_F(ReadAdmission, tells_apart_whatever_differs) {
  const Admission admission = read(usual);
  const char* const others[] = {
      "{clusterQueue: r, podSetAssignments: [{name: main, count: 3, flavors: {cpu: a, memory: b}, "
      "resourceUsage: {memory: 2Gi, cpu: 1500m}}]}",
      "{clusterQueue: q, podSetAssignments: [{name: main, count: 2, flavors: {cpu: a, memory: b}, "
      "resourceUsage: {memory: 2Gi, cpu: 1500m}}]}",
      "{clusterQueue: q, podSetAssignments: [{name: main, count: 3, flavors: {cpu: a, memory: a}, "
      "resourceUsage: {memory: 2Gi, cpu: 1500m}}]}",
      "{clusterQueue: q, podSetAssignments: [{name: main, count: 3, flavors: {cpu: a, memory: b}, "
      "resourceUsage: {memory: 2Gi, cpu: 1501m}}]}",
      "{clusterQueue: q, podSetAssignments: [{name: main, count: 3, flavors: {cpu: a, memory: b}, "
      "resourceUsage: {memory: 2Gi}}]}",
      "{clusterQueue: q, podSetAssignments: [{name: main, count: 3, flavors: {cpu: a, memory: b}, "
      "resourceUsage: {memory: 2Gi, cpu: nonsense}}]}",
      "{clusterQueue: q, podSetAssignments: [{name: main, count: 3, flavors: {cpu: a, memory: b}, "
      "resourceUsage: {memory: 2Gi, cpu: 1500m}, delayedTopologyRequest: Pending}]}",
      "{clusterQueue: q, podSetAssignments: [{name: main, flavors: {cpu: a, memory: b}, "
      "resourceUsage: {memory: 2Gi, cpu: 1500m}}]}",
      "{clusterQueue: q}",
  };
  for (const char* const other : others) EXPECT_FALSE(shows(other, admission)) << other;
}

}  // namespace
}  // namespace muster::core
