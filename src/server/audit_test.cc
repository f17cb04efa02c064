// SPDX-License-Identifier: Apache-2.0
#include "server/audit.h"

#include <gtest/gtest.h>

#include "tests/suites/access_world.h"

namespace muster::server {
namespace {

struct AuditWorld {
  simulator::VirtualTime time;
  simulator::VirtualExecutor house{time};
  simulator::VirtualDisk disk{time, 1};

  std::string read(const std::string& name) {
    auto file = disk.open("audit/" + name, OpenMode::read);
    if (!file) return {};
    std::string text((*file)->size().must(), '\0');
    (*file)->read_at(0, std::as_writable_bytes(std::span(text))).must();
    return text;
  }
};

AuditRecord call(std::string user) {
  return {.call = {.id = "i", .uri = "/x", .verb = "create", .user = {.name = std::move(user)}}};
}

TEST(audit, a_line_is_an_event_of_kubernetes) {
  const AuditEntry entry{.id = "i",
                         .uri = "/api/v1/namespaces/a/pods?x=1",
                         .verb = "create",
                         .user = {.name = "ann", .groups = {"devs"}},
                         .source = "10.0.0.1",
                         .user_agent = "kubectl\xff",
                         .version = "v1",
                         .resource = "pods",
                         .name_space = "a"};
  const std::string line = audit_line({entry, 403});
  ASSERT_TRUE(line.ends_with("}\n"));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto event = objects::parse_json(line).must();
  EXPECT_EQ(event["kind"].string_or(""), "Event");
  EXPECT_EQ(event["apiVersion"].string_or(""), "audit.k8s.io/v1");
  EXPECT_EQ(event["level"].string_or(""), "Metadata");
  EXPECT_EQ(event["objectRef"]["namespace"].string_or(""), "a");
  EXPECT_EQ(event["responseStatus"]["code"].integer_or(0), 403);
}

TEST(audit, a_body_that_is_no_json_is_not_written) {
  AuditEntry entry{.id = "i", .uri = "/x", .verb = "create", .user = {.name = "ann"}};
  entry.body = "not json\n\"}";
  EXPECT_EQ(audit_line({entry, 400}).find("not json"), std::string::npos);
  entry.body = "{\n\"a\": 1}";
  const std::string line = audit_line({entry, 400});
  EXPECT_NE(line.find(R"("requestObject":{"a":1})"), std::string::npos);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(audit, lines_are_appended_over_restarts) {
  AuditWorld world;
  for (const char* name : {"one", "two"}) {
    AuditFile audit(world.disk, world.house, {.folder = "audit"});
    audit.write(call(name));
    world.time.run_until([&] { return audit.is_idle(); });
  }
  EXPECT_EQ(world.read("audit.log"), audit_line(call("one")) + audit_line(call("two")));
}

TEST(audit, a_full_file_is_put_aside_and_the_oldest_goes) {
  AuditWorld world;
  AuditFile audit(world.disk, world.house,
                  {.folder = "audit", .file_bytes_max = 10, .files_max = 3});
  for (int number = 0; number < 5; ++number) {
    audit.write(call(std::to_string(number)));
    world.time.run_until([&] { return audit.is_idle(); });
  }
  EXPECT_EQ(world.read("audit.log"), audit_line(call("4")));
  EXPECT_EQ(world.disk.list("audit").must(),
            (std::vector<std::string>{"audit-3.log", "audit-4.log", "audit.log"}));
  EXPECT_EQ(world.read("audit-4.log"), audit_line(call("3")));
}

TEST(audit, a_disk_that_is_too_slow_costs_lines_and_not_memory) {
  AuditWorld world;
  AuditFile audit(world.disk, world.house, {.folder = "audit"});
  AuditRecord large = call("large");
  large.call.user_agent.assign(1024, 'x');
  for (std::size_t count = 0; count < 2 * audit_waiting_bytes_max / 1024; ++count) {
    audit.write(large);
  }
  EXPECT_GT(audit.lost(), 0U);
  world.time.run_until([&] { return audit.is_idle(); });
  audit.write(call("last"));
  world.time.run_until([&] { return audit.is_idle(); });
  const std::string text = world.read("audit.log");
  EXPECT_NE(text.find("lines-lost"), std::string::npos);
  EXPECT_TRUE(text.ends_with(audit_line(call("last"))));
}

}  // namespace
}  // namespace muster::server
