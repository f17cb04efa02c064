// SPDX-License-Identifier: Apache-2.0
#include "core/model/gang_library.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "objects/json.h"

namespace muster::core {
namespace {

class GangLibraryTest : public ::testing::Test {
 protected:
  Workload read(int priority, std::string_view cpu, std::string_view status = "{}") {
    auto object = objects::parse_json(fmt::format(
        R"({{"metadata":{{"name":"w","namespace":"a"}},"spec":{{"priority":{},"podSets":)"
        R"([{{"name":"main","count":3,"template":{{"spec":{{"containers":[{{"name":"c",)"
        R"("resources":{{"requests":{{"cpu":"{}"}}}}}}]}}}}}}]}},"status":{}}})",
        priority, cpu, status));
    return read_workload(std::move(object).must(), names_, rules_).must();
  }

  GangLibrary library_;
  ResourceNames names_;
  RequestRules rules_{.library = &library_, .version = 1};
};

TEST_F(GangLibraryTest, shares_the_pod_sets_of_equal_workloads) {
  const Workload first = read(0, "1");
  const Workload second = read(0, "1");
  EXPECT_TRUE(first.pod_sets.is(second.pod_sets));
  EXPECT_EQ(first.equivalence, second.equivalence);
  EXPECT_EQ(second.pod_sets[0].count, 3);
}

TEST_F(GangLibraryTest, tells_apart_what_asks_for_something_else) {
  const Workload first = read(0, "1");
  EXPECT_FALSE(first.pod_sets.is(read(0, "2").pod_sets));
  EXPECT_NE(first.equivalence, read(1, "1").equivalence);
  const Workload fewer = read(0, "1", R"({"reclaimablePods":[{"name":"main","count":1}]})");
  EXPECT_EQ(fewer.pod_sets[0].effective_count(), 2);
  EXPECT_EQ(read(0, "1").pod_sets[0].effective_count(), 3);
}

TEST_F(GangLibraryTest, reads_again_when_the_rules_have_changed) {
  const Workload before = read(0, "1");
  rules_.version = 2;
  EXPECT_FALSE(before.pod_sets.is(read(0, "1").pod_sets));
}

}  // namespace
}  // namespace muster::core
