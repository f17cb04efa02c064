// SPDX-License-Identifier: Apache-2.0
#include "agent/act_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace muster::agent {

namespace {

using Kind = ContainerAct::Kind;
using Verdict = ActOutcome::Verdict;

ContainerAct http() {
  return {.kind = Kind::http, .host = "10.64.1.2", .port = 8080, .path = "/healthz"};
}

ContainerAct grpc() {
  return {.kind = Kind::grpc, .host = "10.64.1.2", .port = 5000, .service = "trainer"};
}

std::string frame(char type, char flags, const std::string& payload) {
  std::string out(2, '\0');
  out += static_cast<char>(payload.size());
  out += type;
  out += flags;
  return out + std::string("\0\0\0\1", 4) + payload;
}

TEST(ActProtocol, a_request_is_what_a_kubelet_sends) {
  ContainerAct act = http();
  act.headers = {{"X-One", "1"}, {"host", "other"}};
  EXPECT_EQ(ActConversation(act).request(),
            "GET /healthz HTTP/1.1\r\nHost: other\r\nUser-Agent: kube-probe/1.35\r\n"
            "Accept: */*\r\nX-One: 1\r\nConnection: close\r\n\r\n");
}

TEST(ActProtocol, an_answer_may_come_in_pieces) {
  ActConversation talk(http());
  EXPECT_FALSE(talk.take("HTTP/1.1 20"));
  EXPECT_FALSE(talk.take("4 No Content\r\nA: b\r\n"));
  const auto outcome = talk.take("\r\n");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->verdict, Verdict::success);
}

TEST(ActProtocol, a_status_beyond_399_is_a_failure) {
  const auto outcome = ActConversation(http()).take("HTTP/1.1 503 Sorry\r\n\r\n");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->verdict, Verdict::failure);
  EXPECT_EQ(outcome->message, "HTTP probe failed with statuscode: 503");
}

TEST(ActProtocol, a_redirect_is_followed_on_the_same_server_only) {
  ActConversation here(http());
  ASSERT_TRUE(here.take("HTTP/1.1 302 Found\r\nlocation: http://10.64.1.2:8080/well\r\n\r\n"));
  ASSERT_TRUE(here.redirected());
  EXPECT_EQ(here.redirected()->path, "/well");
  ActConversation there(http());
  const auto outcome = there.take("HTTP/1.1 302 Found\r\nLocation: http://example.com/\r\n\r\n");
  EXPECT_FALSE(there.redirected());
  EXPECT_EQ(outcome->verdict, Verdict::warning);
}

TEST(ActProtocol, what_is_no_answer_is_a_failure) {
  EXPECT_EQ(ActConversation(http()).take("SSH-2.0\r\n\r\n")->verdict, Verdict::failure);
  EXPECT_EQ(ActConversation(http()).take("HTTP/1.1 abc\r\n\r\n")->verdict, Verdict::failure);
  EXPECT_EQ(ActConversation(http()).on_closed().message,
            "Get \"http://10.64.1.2:8080/healthz\": EOF");
}

TEST(ActProtocol, words_of_connections_that_were_not_made) {
  EXPECT_EQ(act_refused(http(), "connection refused").message,
            "Get \"http://10.64.1.2:8080/healthz\": dial tcp 10.64.1.2:8080: connect: "
            "connection refused");
  const ContainerAct tcp{.kind = Kind::tcp, .host = "10.64.1.2", .port = 1};
  EXPECT_EQ(act_refused(tcp, "connection refused").message,
            "dial tcp 10.64.1.2:1: connect: connection refused");
  EXPECT_EQ(act_timed_out(tcp, false).message, "dial tcp 10.64.1.2:1: i/o timeout");
  const ContainerAct exec{.command = {"sleep", "9"}};
  EXPECT_EQ(act_timed_out(exec, true).message, "command timed out: \"sleep 9\" timed out after 1s");
}

TEST(ActProtocol, a_service_tells_its_health) {
  const std::string serving = frame(0, 0, std::string("\0\0\0\0\2\x08\1", 7));
  const auto well = ActConversation(grpc()).take(frame(4, 0, "") + serving);
  ASSERT_TRUE(well);
  EXPECT_EQ(well->verdict, Verdict::success);
  const std::string sick = frame(0, 0, std::string("\0\0\0\0\2\x08\2", 7));
  EXPECT_EQ(ActConversation(grpc()).take(sick)->message,
            "service unhealthy (responded with \"NOT_SERVING\")");
  EXPECT_THAT(ActConversation(grpc()).request(), testing::HasSubstr("trainer"));
}

}  // namespace

}  // namespace muster::agent
