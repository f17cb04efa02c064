// The suite of PodRuntime on real processes. Left out where the machine permits no namespaces.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "tests/suites/host_world.h"
#include "tests/suites/pod_runtime_suite.h"

namespace muster::suites {

namespace {

std::unique_ptr<PodRuntimeWorld> make_host_world() {
  return std::make_unique<HostWorld>();
}

std::vector<PodRuntimeWorldFactory> worlds() {
  if (machine_has_namespaces()) return {&make_host_world};
  std::printf("skipped: this machine permits no namespaces, not even below a user namespace\n");
  return {};
}

}  // namespace

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PodRuntimeSuite);
INSTANTIATE_TEST_SUITE_P(Host, PodRuntimeSuite, ::testing::ValuesIn(worlds()));

}  // namespace muster::suites
