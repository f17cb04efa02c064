// SPDX-License-Identifier: Apache-2.0
#include "agent/names/dns_message.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::agent {

namespace {

using namespace std::string_literals;

DnsMessage sample() {
  DnsMessage message{.id = 0xBEEF, .is_answer = true, .is_authoritative = true};
  message.questions.push_back({.name = "Rank-0.train.team-a.svc.cluster.local"});
  message.answers.push_back({.name = "Rank-0.train.team-a.svc.cluster.local",
                             .seconds = 5,
                             .data = DnsAddress{10, 64, 1, 2}});
  message.answers.push_back({.name = "train.team-a.svc.cluster.local",
                             .type = DnsType::cname,
                             .data = DnsTarget{"elsewhere.example.com"}});
  message.answers.push_back({.name = "_h._tcp.train.team-a.svc.cluster.local",
                             .type = DnsType::srv,
                             .data = DnsService{.port = 80, .target = "a.b"}});
  message.authorities.push_back({.name = "cluster.local",
                                 .type = DnsType::soa,
                                 .data = DnsAuthority{.primary = "ns.cluster.local",
                                                      .mailbox = "h.cluster.local",
                                                      .serial = 7,
                                                      .minimum = 5}});
  message.additionals.push_back({.name = "", .type = DnsType::opt, .record_class = 4096});
  return message;
}

TEST(DnsMessage, comes_back_as_it_was) {
  const DnsMessage message = sample();
  EXPECT_EQ(parse_dns(write_dns(message)).value(), message);
}

TEST(DnsMessage, repeats_no_name) {
  const std::string bytes = write_dns(sample());
  EXPECT_EQ(bytes.find("cluster"), bytes.rfind("cluster"));
}

TEST(DnsMessage, the_bytes_of_a_known_question) {
  const std::string bytes =
      "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03www\x07"
      "example\x03"
      "com\x00\x00\x1c\x00\x01"s;
  const DnsMessage message = parse_dns(bytes).value();
  EXPECT_EQ(message.id, 0x1234);
  EXPECT_TRUE(message.wants_recursion);
  ASSERT_EQ(message.questions.size(), 1U);
  EXPECT_EQ(message.questions[0].name, "www.example.com");
  EXPECT_EQ(message.questions[0].type, DnsType::aaaa);
  EXPECT_EQ(write_dns(message), bytes);
}

TEST(DnsMessage, a_label_of_any_bytes_survives) {
  const std::string bytes =
      "\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x05"
      "a.b\\\xff\x00\x00\x01\x00\x01"s;
  const DnsMessage message = parse_dns(bytes).value();
  EXPECT_EQ(message.questions[0].name, "a\\046b\\092\\255");
  EXPECT_EQ(write_dns(message), bytes);
}

// Resolvers that mix the case of letters by chance check that the answer has them so.
TEST(DnsMessage, a_name_keeps_the_spelling_of_its_letters) {
  DnsMessage message;
  message.questions.push_back({.name = "rAnk-0.train"});
  message.answers.push_back({.name = "rank-0.train", .data = DnsAddress{10, 0, 0, 1}});
  EXPECT_EQ(parse_dns(write_dns(message)).value(), message);
}

TEST(DnsMessage, what_does_not_fit_is_left_out_and_said) {
  DnsMessage message = sample();
  for (unsigned i = 0; i < 100; ++i) {
    message.answers.push_back({.name = message.questions[0].name,
                               .data = DnsAddress{10, 0, 0, static_cast<std::uint8_t>(i)}});
  }
  const std::string bytes = write_dns(message, 512);
  EXPECT_LE(bytes.size(), 512U);
  const DnsMessage cut = parse_dns(bytes).value();
  EXPECT_TRUE(cut.is_truncated);
  EXPECT_GT(cut.answers.size(), 20U);
  EXPECT_LT(cut.answers.size(), 103U);
}

TEST(DnsMessage, every_beginning_of_a_message_is_damaged) {
  const std::string bytes = write_dns(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_dns(bytes.substr(0, size))) << size;
  }
}

TEST(DnsMessage, a_pointer_to_itself_or_ahead_ends) {
  const std::string head = "\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"s;
  EXPECT_FALSE(parse_dns(head + "\xc0\x0c\x00\x01\x00\x01"s));
  EXPECT_FALSE(parse_dns(head + "\xc0\x10\x00\x01\x00\x01\x00"s));
  EXPECT_FALSE(parse_dns(head + "\x01"s + "a\xc0\x0c\x00\x01\x00\x01"s));
}

TEST(DnsMessage, names_beyond_the_limits_are_damaged) {
  std::string name;
  for (int i = 0; i < 5; ++i) name += "\x3f" + std::string(63, 'a');
  const std::string head = "\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00"s;
  EXPECT_FALSE(parse_dns(head + name + "\x00\x00\x01\x00\x01"s));
  EXPECT_FALSE(parse_dns(head + "\x40"s + std::string(64, 'a') + "\x00\x00\x01\x00\x01"s));
  DnsMessage impossible;
  impossible.questions.push_back({.name = std::string(64, 'a')});
  EXPECT_EQ(write_dns(impossible), "");
}

}  // namespace

}  // namespace muster::agent
