// SPDX-License-Identifier: Apache-2.0
#include "agent/names/zone.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "agent/names/dns_responder.h"
#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::Value;
using testing::ElementsAre;
using testing::IsEmpty;
namespace resources = objects::resources;

class ZoneTest : public testing::Test {
 protected:
  void put(const objects::Resource& resource, const std::string& text) {
    const Value object = objects::parse_json(text).must();
    zone_.apply({.resource = resource, .before = nothing_, .after = object});
  }
  void put_service(const std::string& name, const std::string& more = "") {
    put(resources::services,
        fmt::format(R"({{"metadata":{{"name":"{}","namespace":"a"}},"spec":{{"clusterIP":"None",
            "selector":{{"job":"train"}},
            "ports":[{{"name":"http","port":80,"targetPort":"web"}}]{}}}}})",
                    name, more));
  }
  void put_pod(const std::string& name, int number, const std::string& status = "",
               const std::string& metadata = "") {
    put(resources::pods,
        fmt::format(
            R"({{"metadata":{{"name":"{0}","namespace":"a","labels":{{"job":"train"}},
            "annotations":{{"muster.dev/pod-ip":"10.64.1.{1}"}}{3}}},
            "spec":{{"hostname":"{0}","subdomain":"train","nodeName":"n1",
            "containers":[{{"ports":[{{"name":"web","containerPort":8080}}]}}]}},
            "status":{{{2}}}}})",
            name, number, status, metadata));
  }
  void drop(const objects::Resource& resource, const std::string& name) {
    const Value object =
        objects::parse_json(fmt::format(R"({{"metadata":{{"name":"{}","namespace":"a"}}}})", name))
            .must();
    zone_.apply({.resource = resource, .before = object, .after = nothing_});
  }

  // The answer as the bytes of the wire tell it: a code, or the records.
  std::vector<std::string> ask(const std::string& name, DnsType type = DnsType::a) {
    DnsMessage question{.id = 9, .wants_recursion = true};
    question.questions.push_back({.name = name, .type = type});
    const auto bytes = answer_dns(write_dns(question), zone_, dns_datagram_bytes);
    const DnsMessage answer = parse_dns(bytes.value()).must();
    EXPECT_EQ(answer.id, 9);
    EXPECT_TRUE(answer.is_answer);
    if (answer.code == DnsCode::name_error) {
      EXPECT_EQ(answer.authorities.at(0).type, DnsType::soa);
      return {"NXDOMAIN"};
    }
    if (answer.code != DnsCode::no_error) return {"refused"};
    std::vector<std::string> records;
    for (const DnsRecord& record : answer.answers) records.push_back(text_of(record));
    return records;
  }

  static std::string text_of(const DnsRecord& record) {
    if (const auto* address = std::get_if<DnsAddress>(&record.data)) {
      return fmt::format("{}", fmt::join(*address, "."));
    }
    if (const auto* target = std::get_if<DnsTarget>(&record.data)) return target->name;
    const auto& service = std::get<DnsService>(record.data);
    return fmt::format("{} {}", service.port, service.target);
  }

  Zone zone_;
  Value nothing_;
};

constexpr const char* ready = R"("conditions":[{"type":"Ready","status":"True"}])";

TEST_F(ZoneTest, a_pod_has_its_name_when_it_is_bound) {
  put_service("train");
  put_pod("rank-0", 2);
  EXPECT_THAT(ask("rank-0.train.a.svc.cluster.local"), ElementsAre("10.64.1.2"));
  EXPECT_THAT(ask("Rank-0.TRAIN.a.svc.cluster.local"), ElementsAre("10.64.1.2"));
  EXPECT_THAT(ask("rank-1.train.a.svc.cluster.local"), ElementsAre("NXDOMAIN"));
  drop(resources::pods, "rank-0");
  EXPECT_THAT(ask("rank-0.train.a.svc.cluster.local"), ElementsAre("NXDOMAIN"));
}

TEST_F(ZoneTest, the_order_of_service_and_pods_does_not_matter) {
  put_pod("rank-0", 2);
  EXPECT_THAT(ask("rank-0.train.a.svc.cluster.local"), ElementsAre("NXDOMAIN"));
  put_service("train");
  EXPECT_THAT(ask("rank-0.train.a.svc.cluster.local"), ElementsAre("10.64.1.2"));
  drop(resources::services, "train");
  EXPECT_THAT(ask("rank-0.train.a.svc.cluster.local"), ElementsAre("NXDOMAIN"));
}

TEST_F(ZoneTest, a_headless_service_is_its_ready_pods) {
  put_service("train");
  put_pod("rank-0", 2, ready);
  put_pod("rank-1", 3);
  put_pod("rank-2", 4, ready);
  EXPECT_THAT(ask("train.a.svc.cluster.local"), ElementsAre("10.64.1.2", "10.64.1.4"));
  put_service("train", R"(,"publishNotReadyAddresses":true)");
  EXPECT_THAT(ask("train.a.svc.cluster.local"), ElementsAre("10.64.1.2", "10.64.1.3", "10.64.1.4"));
}

TEST_F(ZoneTest, a_service_with_an_address_is_that_address) {
  const Value service = objects::parse_json(R"({"metadata":{"name":"kubernetes",
      "namespace":"default"},"spec":{"clusterIP":"10.71.0.1","ports":[{"port":443}]}})")
                            .must();
  zone_.apply({.resource = resources::services, .before = nothing_, .after = service});
  EXPECT_THAT(ask("kubernetes.default.svc.cluster.local"), ElementsAre("10.71.0.1"));
  EXPECT_THAT(ask("kubernetes.default.svc.cluster.local", DnsType::aaaa), IsEmpty());
}

TEST_F(ZoneTest, what_has_ended_has_no_name) {
  put_service("train");
  put_pod("rank-0", 2, R"("phase":"Succeeded")");
  EXPECT_THAT(ask("rank-0.train.a.svc.cluster.local"), ElementsAre("NXDOMAIN"));
  EXPECT_THAT(ask("train.a.svc.cluster.local"), IsEmpty());
}

TEST_F(ZoneTest, there_are_no_other_addresses) {
  put_service("train");
  put_pod("rank-0", 2, ready);
  EXPECT_THAT(ask("rank-0.train.a.svc.cluster.local", DnsType::aaaa), IsEmpty());
  EXPECT_THAT(ask("train.a.svc.cluster.local", DnsType::aaaa), IsEmpty());
  EXPECT_THAT(ask("nobody.a.svc.cluster.local", DnsType::aaaa), ElementsAre("NXDOMAIN"));
}

TEST_F(ZoneTest, an_address_leads_back_to_the_name) {
  put_service("train");
  put_pod("rank-0", 2);
  EXPECT_THAT(ask("2.1.64.10.in-addr.arpa", DnsType::ptr),
              ElementsAre("rank-0.train.a.svc.cluster.local"));
  drop(resources::services, "train");
  EXPECT_THAT(ask("2.1.64.10.in-addr.arpa", DnsType::ptr),
              ElementsAre("10-64-1-2.a.pod.cluster.local"));
  EXPECT_THAT(ask("9.1.64.10.in-addr.arpa", DnsType::ptr), ElementsAre("NXDOMAIN"));
  EXPECT_THAT(ask("x.in-addr.arpa", DnsType::ptr), ElementsAre("NXDOMAIN"));
}

TEST_F(ZoneTest, an_address_is_a_name) {
  put_service("train");
  put_pod("rank-0", 2, ready);
  EXPECT_THAT(ask("10-64-1-2.a.pod.cluster.local"), ElementsAre("10.64.1.2"));
  EXPECT_THAT(ask("10-64-1-2.train.a.svc.cluster.local"), ElementsAre("10.64.1.2"));
  EXPECT_THAT(ask("10-64-1-2.b.pod.cluster.local"), ElementsAre("NXDOMAIN"));
}

TEST_F(ZoneTest, a_named_port_is_a_service_record) {
  put_service("train");
  put_pod("rank-0", 2, ready);
  EXPECT_THAT(ask("_http._tcp.train.a.svc.cluster.local", DnsType::srv),
              ElementsAre("8080 rank-0.train.a.svc.cluster.local"));
  EXPECT_THAT(ask("_smtp._tcp.train.a.svc.cluster.local", DnsType::srv), ElementsAre("NXDOMAIN"));
  EXPECT_THAT(ask("_http._udp.train.a.svc.cluster.local", DnsType::srv), ElementsAre("NXDOMAIN"));
}

TEST_F(ZoneTest, an_external_name_is_an_alias) {
  put(resources::services, R"({"metadata":{"name":"out","namespace":"a"},
      "spec":{"type":"ExternalName","externalName":"db.example.com"}})");
  EXPECT_THAT(ask("out.a.svc.cluster.local"), ElementsAre("db.example.com"));
}

TEST_F(ZoneTest, a_successor_takes_the_name) {
  put_service("train");
  put_pod("rank-0", 2, "", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")");
  EXPECT_THAT(ask("rank-0.train.a.svc.cluster.local"), ElementsAre("10.64.1.2"));
  put(resources::pods, R"({"metadata":{"name":"other","namespace":"a","labels":{"job":"train"},
      "annotations":{"muster.dev/pod-ip":"10.64.1.9"}},
      "spec":{"hostname":"rank-0","subdomain":"train","nodeName":"n1"}})");
  EXPECT_THAT(ask("rank-0.train.a.svc.cluster.local"), ElementsAre("10.64.1.9"));
}

TEST_F(ZoneTest, the_domain_and_its_parts_exist) {
  put_service("train");
  EXPECT_THAT(ask("cluster.local"), IsEmpty());
  EXPECT_THAT(ask("svc.cluster.local"), IsEmpty());
  EXPECT_THAT(ask("a.svc.cluster.local"), IsEmpty());
  EXPECT_THAT(ask("b.svc.cluster.local"), ElementsAre("NXDOMAIN"));
  EXPECT_THAT(ask("nope.cluster.local"), ElementsAre("NXDOMAIN"));
}

TEST_F(ZoneTest, names_of_the_world_are_refused) {
  EXPECT_THAT(ask("example.com"), ElementsAre("refused"));
  EXPECT_THAT(ask(""), ElementsAre("refused"));
  EXPECT_THAT(ask("xcluster.local"), ElementsAre("refused"));
}

TEST_F(ZoneTest, a_crowd_is_cut_and_fits_where_more_is_allowed) {
  put_service("train");
  for (int i = 0; i < 200; ++i) put_pod(fmt::format("rank-{}", i), i, ready);
  DnsMessage question;
  question.questions.push_back({.name = "train.a.svc.cluster.local"});
  const auto small = parse_dns(*answer_dns(write_dns(question), zone_, dns_datagram_bytes)).must();
  EXPECT_TRUE(small.is_truncated);
  const auto stream =
      parse_dns(*answer_dns(write_dns(question), zone_, dns_message_bytes_max)).must();
  EXPECT_EQ(stream.answers.size(), 200U);
  question.additionals.push_back({.name = "", .type = DnsType::opt, .record_class = 60'000});
  const auto larger = parse_dns(*answer_dns(write_dns(question), zone_, dns_datagram_bytes)).must();
  EXPECT_EQ(larger.answers.size(), 200U);
}

TEST_F(ZoneTest, what_cannot_be_read_is_said_to_be_so) {
  const auto code = [this](std::string_view bytes) {
    const auto answer = answer_dns(bytes, zone_, dns_datagram_bytes);
    return answer ? static_cast<int>(parse_dns(*answer).must().code) : -1;
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(code("short"), -1);
  EXPECT_EQ(code("\x00\x01\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00"sv), -1);
  EXPECT_EQ(code("\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"sv), 1);
  EXPECT_EQ(code("\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x05zz"sv), 1);
  EXPECT_EQ(code("\x00\x01\x28\x00\x00\x00\x00\x00\x00\x00\x00\x00"sv), 4);
}

}  // namespace

}  // namespace muster::agent
