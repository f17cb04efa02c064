// The real kubectl against our server over its real listener. Without a kubectl on PATH or in the
// cache of ../shared/tools/real-kubernetes there is nothing to test.
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/suites/https_world.h"

namespace muster::suites {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

struct Ran {
  int status = -1;
  std::string output = {};  // both streams
};

Ran shell(const std::string& command) {
  Ran ran;
  FILE* pipe = ::popen(("{ " + command + "; } 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  char bytes[4096];
  while (const std::size_t size = std::fread(bytes, 1, sizeof bytes, pipe)) {
    ran.output.append(bytes, size);
  }
  const int status = ::pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

std::string find_kubectl() {
  const char* home = std::getenv("HOME");
  const std::string cached =
      std::string(home == nullptr ? "" : home) + "/.cache/real-kubernetes/bin/kubectl";
  if (::access(cached.c_str(), X_OK) == 0) return cached;
  return shell("command -v kubectl").status == 0 ? "kubectl" : "";
}

class Kubectl : public ::testing::Test {
 protected:
  void SetUp() override {
    program_ = find_kubectl();
    if (program_.empty()) GTEST_SKIP() << "there is no kubectl here";
    std::string folder = ::testing::TempDir() + "kubectl.XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    world_ = std::make_unique<HttpsWorld>();
    write("config", client::kubeconfig_text(world_->access()));
    world_->name_space();
  }
  void TearDown() override {
    world_.reset();
    if (!folder_.empty()) shell("rm -r '" + folder_ + "'");
  }

  void write(const std::string& name, std::string_view text) {
    std::ofstream(folder_ + "/" + name) << text;
    ::chmod((folder_ + "/" + name).c_str(), 0600);
  }

  Ran kubectl(const std::string& arguments) {
    return shell("cd '" + folder_ + "' && HOME='" + folder_ + "' timeout 60 " + program_ +
                 " --kubeconfig config " + arguments);
  }

  // What it printed; a failure fails the test.
  std::string good(const std::string& arguments) {
    const Ran ran = kubectl(arguments);
    EXPECT_EQ(ran.status, 0) << arguments << "\n" << ran.output;
    return ran.output;
  }

  std::string program_;
  std::string folder_;
  std::unique_ptr<HttpsWorld> world_;
};

constexpr std::string_view config_map = R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: team-a}
data: {k: v}
)";

constexpr std::string_view queues = R"(
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: default-flavor}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cluster-queue}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - name: default-flavor
      resources: [{name: cpu, nominalQuota: 4}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: queue, namespace: team-a}
spec: {clusterQueue: cluster-queue}
)";

constexpr std::string_view job = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: team-a, labels: {kueue.x-k8s.io/queue-name: queue}}
spec:
  parallelism: 2
  completions: 2
  completionMode: Indexed
  suspend: true
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: busybox, command: [sleep, "1"]}]
)";

TEST_F(Kubectl, asks_who_is_there) {
  EXPECT_THAT(good("version"), HasSubstr("Server Version"));
  EXPECT_THAT(good("get nodes"), HasSubstr("No resources found"));
  EXPECT_THAT(good("get --raw /readyz"), HasSubstr("ok"));
  EXPECT_THAT(good("api-resources"), ContainsRegex("jobs +batch/v1 +true +Job"));
  EXPECT_THAT(good("get namespaces"), ContainsRegex("default +Active"));
}

TEST_F(Kubectl, applies_and_changes_and_deletes) {
  EXPECT_THAT(good("create namespace team-a"), HasSubstr("namespace/team-a created"));
  write("map.yaml", config_map);
  EXPECT_THAT(good("apply -f map.yaml"), HasSubstr("configmap/settings created"));
  EXPECT_THAT(good("apply -f map.yaml"), HasSubstr("configmap/settings unchanged"));
  EXPECT_THAT(good("-n team-a patch configmap settings --type merge -p '{\"data\":{\"k\":\"w\"}}'"),
              HasSubstr("configmap/settings patched"));
  EXPECT_EQ(good("-n team-a get configmap settings -o jsonpath='{.data.k}'"), "w");
  EXPECT_THAT(good("-n team-a label configmap settings a=b"), HasSubstr("labeled"));
  EXPECT_THAT(good("-n team-a get configmaps -l a=b"), ContainsRegex("settings +1 "));
  EXPECT_THAT(good("-n team-a describe configmap settings"), HasSubstr("settings"));
  EXPECT_THAT(good("-n team-a delete configmap settings --wait"), HasSubstr("deleted"));
  EXPECT_THAT(kubectl("-n team-a get configmap settings").output,
              HasSubstr(R"(Error from server (NotFound): configmaps "settings" not found)"));
  EXPECT_THAT(good("delete namespace team-a --wait --timeout 30s"), HasSubstr("deleted"));
}

TEST_F(Kubectl, applies_queues_of_both_versions_and_a_job) {
  good("create namespace team-a");
  write("queues.yaml", queues);
  const std::string applied = good("apply -f queues.yaml");
  EXPECT_THAT(applied, HasSubstr("clusterqueue.kueue.x-k8s.io/cluster-queue created"));
  EXPECT_THAT(applied, HasSubstr("localqueue.kueue.x-k8s.io/queue created"));
  write("job.yaml", job);
  EXPECT_THAT(good("apply -f job.yaml"), HasSubstr("job.batch/train created"));
  EXPECT_THAT(good("-n team-a get jobs"), HasSubstr("train"));
  EXPECT_THAT(good("get clusterqueues"), HasSubstr("cluster-queue"));
  EXPECT_THAT(good("-n team-a describe job train"), HasSubstr("Suspend"));
  EXPECT_THAT(good("-n team-a delete job train --wait --timeout 30s"), HasSubstr("deleted"));
  EXPECT_THAT(good("delete -f queues.yaml --wait --timeout 30s"), HasSubstr("deleted"));
}

TEST_F(Kubectl, watches) {
  good("create namespace team-a");
  const std::string run = program_ + " --kubeconfig config -n team-a ";
  const Ran ran =
      shell("cd '" + folder_ + "' && { " + run + "get configmaps -w -o name > seen & watcher=$!; " +
            run + "create configmap first; " + run +
            "create configmap second; for i in $(seq 600); do "
            "grep -q configmap/second seen && break; sleep 0.1; done; "
            "kill $watcher; cat seen; }");
  EXPECT_THAT(ran.output, ContainsRegex("configmap/first\nconfigmap/second\n"));
}

TEST_F(Kubectl, is_told_what_is_wrong) {
  write("bad.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A_b}\n");
  const Ran invalid = kubectl("apply -f bad.yaml");
  EXPECT_NE(invalid.status, 0);
  EXPECT_THAT(invalid.output, HasSubstr(R"(The ConfigMap "A_b" is invalid: metadata.name)"));
  const Ran refused = kubectl("--token bad get pods");
  EXPECT_NE(refused.status, 0);
  EXPECT_THAT(refused.output, HasSubstr("You must be logged in to the server"));
  const Ran impersonating = kubectl("--as bob get pods");
  EXPECT_NE(impersonating.status, 0);
  EXPECT_THAT(impersonating.output, HasSubstr("User \"bob\" cannot list resource \"pods\""));
  std::string large = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: large}\ndata:\n  k: ";
  large.append(5'000'000, 'x');
  write("large.yaml", large + "\n");
  const Ran too_large = kubectl("create -f large.yaml");
  EXPECT_NE(too_large.status, 0);
  EXPECT_THAT(too_large.output, HasSubstr("Request entity too large: limit is 3145728"));
}

}  // namespace
}  // namespace muster::suites
