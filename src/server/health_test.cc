// SPDX-License-Identifier: Apache-2.0
#include "server/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "objects/resource.h"
#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

using testing::HasSubstr;

TEST(health, tells_its_checks_by_name) {
  ServerWorld world;
  const auto text = [&](std::string_view target) {
    return std::string(text_of(world.send("GET", target)));
  };
  EXPECT_EQ(text("/livez"), "ok");
  EXPECT_EQ(text("/healthz"), "ok");
  EXPECT_EQ(world.send("GET", "/healthz/").status, 404);
  EXPECT_EQ(text("/livez?verbose"), "[+]ping ok\n[+]log ok\n[+]etcd ok\nlivez check passed\n");
  EXPECT_EQ(text("/readyz?verbose&exclude=etcd"),
            "[+]ping ok\n[+]log ok\n[+]etcd excluded: ok\n[+]etcd-readiness ok\n"
            "[+]informer-sync ok\n[+]shutdown ok\nreadyz check passed\n");
  EXPECT_EQ(text("/readyz/informer-sync"), "ok");
  EXPECT_EQ(world.send("GET", "/livez/informer-sync").status, 404);
  EXPECT_EQ(world.send("GET", "/livezzz").status, 404);
}

TEST(metrics, count_requests_by_what_they_are_about) {
  ServerWorld world;
  world.send("GET", "/api/v1/namespaces/default/pods");
  world.send("GET", "/api/v1/namespaces/default/pods/none");
  world.send("GET", "/api/v1/namespaces/default/strange");
  const std::string text(text_of(world.send("GET", "/metrics")));
  EXPECT_THAT(text, HasSubstr("apiserver_request_total{verb=\"list\",group=\"\",version=\"v1\","
                              "resource=\"pods\",subresource=\"\",code=\"200\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("resource=\"pods\",subresource=\"\",code=\"404\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("muster_store{what=\"keys\"} "));
  EXPECT_THAT(text, testing::Not(HasSubstr("strange")));
}

}  // namespace
}  // namespace muster::server
