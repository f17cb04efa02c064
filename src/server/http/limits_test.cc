// SPDX-License-Identifier: Apache-2.0
#include "server/http/limits.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/suites/served_listener.h"

namespace muster::server {
namespace {

using tests::HttpAnswer;
using tests::TlsPeer;

void accept_all(Request request, Respond respond) {
  respond(text_response(std::to_string(request.body.size())));
}

HttpLimits quick() {
  return {.sweep = Span::of_milliseconds(5),
          .handshake = Span::of_milliseconds(100),
          .head = Span::of_milliseconds(100),
          .body = Span::of_milliseconds(100),
          .idle = Span::of_milliseconds(100),
          .write = Span::of_milliseconds(100)};
}

TEST(http_limits, a_body_that_is_too_large_is_refused_unread) {
  Served served(accept_all);
  TlsPeer peer = served.connect();
  peer.send(
      "POST /a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n"
      "Content-Length: 100000000\r\n\r\n");
  const HttpAnswer answer = peer.read_answer();
  EXPECT_EQ(answer.status, 413);
  EXPECT_NE(answer.body.find("Request entity too large: limit is 3145728"), std::string::npos);
  EXPECT_NE(answer.body.find("RequestEntityTooLarge"), std::string::npos);
  EXPECT_EQ(answer.headers.at("Connection"), "close");
  EXPECT_EQ(peer.read_to_end(), "");
}

// As a client that sends everything before it reads.
TEST(http_limits, a_client_that_is_still_sending_sees_why_it_was_refused) {
  Served served(accept_all);
  TlsPeer peer = served.connect();
  const std::string body(4 * 1024 * 1024, 'x');
  peer.send(asking("POST", "/a", body));
  EXPECT_EQ(peer.read_answer().status, 413);
}

TEST(http_limits, a_body_in_chunks_ends_at_the_same_size) {
  Served served(accept_all, {.body_bytes = 1000});
  TlsPeer peer = served.connect();
  const std::string head =
      "POST /c HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  const std::string chunk = "1f4\r\n" + std::string(500, 'x') + "\r\n";
  peer.send(head + chunk + chunk + "0\r\n\r\n");
  EXPECT_EQ(peer.read_answer().body, "1000");
  peer.send(head + chunk + chunk + "1\r\nx\r\n0\r\n\r\n");
  EXPECT_EQ(peer.read_answer().status, 413);
}

TEST(http_limits, a_body_at_the_limit_is_taken) {
  Served served(accept_all);
  TlsPeer peer = served.connect();
  peer.send(asking("POST", "/a", std::string(http_body_bytes_max, 'x')));
  EXPECT_EQ(peer.read_answer().body, std::to_string(http_body_bytes_max));
}

TEST(http_limits, nobody_sends_a_body_before_it_is_known_who_asks) {
  Served served(accept_all);
  TlsPeer peer = served.connect();
  peer.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n");
  EXPECT_EQ(peer.read_answer().status, 401);
}

TEST(http_limits, bodies_together_have_a_limit_too) {
  Served served(accept_all, {.bodies_bytes = 1000});
  TlsPeer slow = served.connect();
  slow.send(
      "POST /a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nExpect: 100-continue\r\n"
      "Content-Length: 600\r\n\r\n");
  EXPECT_EQ(slow.read_head().status, 100);
  TlsPeer second = served.connect();
  second.send(asking("POST", "/b", std::string(600, 'x')));
  const HttpAnswer answer = second.read_answer();
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.headers.at("Retry-After"), "1");
  slow.send(std::string(600, 'x'));
  EXPECT_EQ(slow.read_answer().status, 200);
  TlsPeer third = served.connect();
  third.send(asking("POST", "/b", std::string(600, 'x')));
  EXPECT_EQ(third.read_answer().status, 200);
}

TEST(http_limits, requests_that_wait_for_their_answers_are_counted) {
  std::vector<Respond> held;
  Served served([&](Request, Respond respond) { held.push_back(std::move(respond)); },
                {.requests = 1});
  TlsPeer first = served.connect();
  TlsPeer second = served.connect();
  first.send(asking("GET", "/1"));
  bool is_held = false;
  while (!is_held) served.on_house([&] { is_held = !held.empty(); });
  second.send(asking("GET", "/2"));
  EXPECT_EQ(second.read_answer().status, 429);
  served.on_house([&] {
    held.front()(text_response("done"));
    held.clear();
  });
  EXPECT_EQ(first.read_answer().status, 200);
  second.send(asking("GET", "/2"));
  while (held.empty()) served.on_house([&] { is_held = !held.empty(); });
  served.on_house([&] { held.clear(); });
  EXPECT_EQ(second.read_answer().status, 500);
}

TEST(http_limits, one_user_has_a_share_and_others_have_theirs) {
  std::vector<Respond> held;
  Served served(
      [&](Request request, Respond respond) {
        if (request.path == "/hold") return held.push_back(std::move(respond));
        respond(text_response("done"));
      },
      {.reads_per_user = 1, .changes_per_user = 1});
  TlsPeer first = served.connect();
  first.send(asking("GET", "/hold", {}, "Bearer tenant"));
  bool is_held = false;
  while (!is_held) served.on_house([&] { is_held = !held.empty(); });
  TlsPeer second = served.connect();
  second.send(asking("GET", "/a", {}, "Bearer tenant"));
  const HttpAnswer refused = second.read_answer();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.headers.at("Retry-After"), "1");
  second.send(asking("POST", "/a", "x", "Bearer tenant"));
  EXPECT_EQ(second.read_answer().status, 200);
  TlsPeer admin = served.connect();
  admin.send(asking("GET", "/a"));
  EXPECT_EQ(admin.read_answer().status, 200);
  EXPECT_TRUE(served.has_counted("user_requests", 1));
  served.on_house([&] {
    held.front()(text_response("done"));
    held.clear();
  });
  EXPECT_EQ(first.read_answer().status, 200);
  second.send(asking("GET", "/a", {}, "Bearer tenant"));
  EXPECT_EQ(second.read_answer().status, 200);
}

TEST(http_limits, each_is_counted) {
  Served served(accept_all, {.head_bytes = 1000, .body_bytes = 1000, .connections = 1});
  {
    TlsPeer peer = served.connect();
    peer.send(asking("POST", "/a", std::string(2000, 'x')));
    EXPECT_EQ(peer.read_answer().status, 413);
  }
  EXPECT_TRUE(served.has_counted("body_bytes", 1));
  EXPECT_TRUE(served.has_counted("head_bytes", 0));
}

TEST(http_limits, a_head_that_is_too_large_is_refused) {
  Served served(accept_all);
  TlsPeer peer = served.connect();
  peer.send("GET /version HTTP/1.1\r\nHost: x\r\nX-Long: " + std::string(20'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(peer.read_answer().status, 431);
}

TEST(http_limits, what_is_not_http_gets_an_answer_and_an_end) {
  Served served(accept_all);
  for (const char* text :
       {"nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET  /a b HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n"}) {
    TlsPeer peer = served.connect();
    peer.send(text);
    EXPECT_EQ(peer.read_answer().status, 400) << text;
  }
}

TEST(http_limits, a_client_that_says_nothing_is_sent_away) {
  Served served(accept_all, quick());
  TlsPeer silent = served.connect();
  EXPECT_EQ(silent.read_to_end(), "");
  TlsPeer idle = served.connect();
  idle.send(asking("GET", "/"));
  EXPECT_EQ(idle.read_answer().status, 200);
  EXPECT_EQ(idle.read_to_end(), "");
}

TEST(http_limits, a_client_that_dribbles_is_sent_away) {
  Served served(accept_all, quick());
  TlsPeer head = served.connect();
  head.send("GET / HTTP/1.1\r\nHost: x\r\n");
  EXPECT_EQ(head.read_to_end(), "");
  TlsPeer body = served.connect();
  body.send("POST / HTTP/1.1\r\nAuthorization: Bearer good\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(body.read_to_end(), "");
}

TEST(http_limits, a_slow_house_is_waited_for) {
  Respond held;
  Served served([&](Request, Respond respond) { held = std::move(respond); }, quick());
  TlsPeer peer = served.connect();
  peer.send(asking("GET", "/"));
  TlsPeer idle = served.connect();  // gone after the idle time: so much has passed
  EXPECT_EQ(idle.read_to_end(), "");
  TlsPeer idle_again = served.connect();
  EXPECT_EQ(idle_again.read_to_end(), "");
  served.on_house([&] { held(text_response("late")); });
  EXPECT_EQ(peer.read_answer().body, "late");
}

TEST(http_limits, connections_beyond_the_limit_are_closed) {
  Served served(accept_all, {.connections = 2});
  TlsPeer first = served.connect();
  TlsPeer second = served.connect();
  TlsPeer third = served.connect();
  EXPECT_TRUE(first.is_connected());
  EXPECT_TRUE(second.is_connected());
  EXPECT_FALSE(third.is_connected());
}

}  // namespace
}  // namespace muster::server
