// The suite of PodRuntime on containers that runc makes. Left out where they cannot be made.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "tests/suites/oci_world.h"
#include "tests/suites/pod_runtime_suite.h"

namespace muster::suites {

namespace {

std::unique_ptr<PodRuntimeWorld> make_oci_world() {
  return std::make_unique<OciWorld>();
}

std::vector<PodRuntimeWorldFactory> worlds() {
  if (machine_has_runc()) return {&make_oci_world};
  std::printf("skipped: containers from images need root, runc and busybox\n");
  return {};
}

}  // namespace

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PodRuntimeSuite);
INSTANTIATE_TEST_SUITE_P(Oci, PodRuntimeSuite, ::testing::ValuesIn(worlds()));

}  // namespace muster::suites
