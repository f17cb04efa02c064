// SPDX-License-Identifier: Apache-2.0
#include "server/http/listener.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "objects/json.h"
#include "tests/suites/inflated.h"
#include "tests/suites/served_listener.h"

namespace muster::server {
namespace {

using tests::HttpAnswer;
using tests::TlsPeer;

// Says back what it was asked.
void echo(Request request, Respond respond) {
  respond(text_response(request.method + " " + request.path + " ? " + request.query + " : " +
                        request.body + " by " + request.identity.name));
}

TEST(listener, answers_a_request) {
  Served served(echo);
  TlsPeer peer = served.connect();
  ASSERT_TRUE(peer.is_connected());
  peer.send(asking("GET", "/api/v1/pods?watch=0&x=%20"));
  const HttpAnswer answer = peer.read_answer();
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("Content-Type"), "text/plain");
  EXPECT_EQ(answer.body, "GET /api/v1/pods ? watch=0&x=%20 :  by system:muster:admin");
}

TEST(listener, keeps_a_connection_for_the_next_request) {
  Served served(echo);
  TlsPeer peer = served.connect();
  for (int round = 0; round < 3; ++round) {
    peer.send(asking("POST", "/a", "body"));
    EXPECT_EQ(peer.read_answer().body, "POST /a ?  : body by system:muster:admin");
  }
}

TEST(listener, closes_when_the_client_says_so) {
  Served served(echo);
  TlsPeer peer = served.connect();
  peer.send("GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const HttpAnswer answer = peer.read_answer();
  EXPECT_EQ(answer.headers.at("Connection"), "close");
  EXPECT_EQ(peer.read_to_end(), "");
}

TEST(listener, answers_pipelined_requests_in_their_order) {
  std::vector<std::pair<std::string, Respond>> held;
  Served served([&](Request request, Respond respond) {
    held.emplace_back(request.path, std::move(respond));
    if (held.size() < 3) return;
    for (auto entry = held.rbegin(); entry != held.rend(); ++entry) {
      entry->second(text_response(entry->first));
    }
  });
  TlsPeer peer = served.connect();
  peer.send(asking("GET", "/1") + asking("GET", "/2") + asking("GET", "/3"));
  EXPECT_EQ(peer.read_answer().body, "/1");
  EXPECT_EQ(peer.read_answer().body, "/2");
  EXPECT_EQ(peer.read_answer().body, "/3");
}

TEST(listener, reads_no_further_than_the_pipeline_allows) {
  std::vector<Respond> held;
  Served served([&](Request, Respond respond) { held.push_back(std::move(respond)); },
                {.pipeline = 2});
  TlsPeer peer = served.connect();
  for (int request = 0; request < 5; ++request) peer.send(asking("GET", "/"));
  std::size_t answered = 0;
  while (answered < 5) {
    served.on_house([&] {
      EXPECT_LE(held.size(), 2U);
      for (Respond& respond : held) respond(text_response("x"));
      answered += held.size();
      held.clear();
    });
  }
  for (int request = 0; request < 5; ++request) EXPECT_EQ(peer.read_answer().status, 200);
}

TEST(listener, takes_bodies_in_chunks_and_after_a_continue) {
  Served served(echo);
  TlsPeer peer = served.connect();
  peer.send(
      "POST /c HTTP/1.1\r\nHost: x\r\nAuthorization: bearer good\r\n"
      "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_EQ(peer.read_answer().body, "POST /c ?  : abcde by system:muster:admin");
  peer.send(
      "POST /e HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nExpect: 100-continue\r\n"
      "Content-Length: 3\r\n\r\n");
  EXPECT_EQ(peer.read_head().status, 100);
  peer.send("xyz");
  EXPECT_EQ(peer.read_answer().body, "POST /e ?  : xyz by system:muster:admin");
}

TEST(listener, answers_a_head_request_without_a_body) {
  Served served(echo);
  TlsPeer peer = served.connect();
  peer.send(asking("HEAD", "/1") + asking("GET", "/2"));
  const HttpAnswer head = peer.read_head();
  EXPECT_EQ(head.status, 200);
  EXPECT_NE(head.headers.at("Content-Length"), "0");
  EXPECT_EQ(peer.read_answer().body, "GET /2 ?  :  by system:muster:admin");
}

TEST(listener, writes_large_answers_whole) {
  std::string large;
  while (large.size() < 5'000'000) large += std::to_string(large.size());
  Served served([&](Request, Respond respond) { respond(text_response(large)); });
  TlsPeer peer = served.connect();
  peer.send(asking("GET", "/") + asking("GET", "/"));
  EXPECT_TRUE(peer.read_answer().body == large);
  EXPECT_TRUE(peer.read_answer().body == large);
}

TEST(listener, compresses_large_answers_for_who_accepts_it) {
  std::string large;
  while (large.size() < 500'000) large += std::to_string(large.size());
  Served served([&](Request request, Respond respond) {
    respond(text_response(request.path == "/large" ? large : "small"));
  });
  TlsPeer peer = served.connect();
  const auto ask = [&](std::string_view path, std::string_view encodings) {
    std::string text = asking("GET", path);
    text.insert(text.size() - 2, "Accept-Encoding: " + std::string(encodings) + "\r\n");
    peer.send(text);
    return peer.read_answer();
  };
  const HttpAnswer small = ask("/small", "gzip");
  EXPECT_EQ(small.body, "small");
  EXPECT_FALSE(small.headers.contains("Content-Encoding"));
  EXPECT_TRUE(ask("/large", "deflate, gzip;q=0").body == large);
  const HttpAnswer answer = ask("/large", "deflate, gzip;q=0.9");
  EXPECT_EQ(answer.headers.at("Content-Encoding"), "gzip");
  EXPECT_EQ(answer.headers.at("Vary"), "Accept-Encoding");
  EXPECT_LT(answer.body.size(), large.size());
  EXPECT_TRUE(tests::inflated(answer.body) == large);
}

TEST(listener, answers_500_for_a_request_that_was_dropped) {
  Served served([](Request, Respond) {});
  TlsPeer peer = served.connect();
  peer.send(asking("GET", "/"));
  EXPECT_EQ(peer.read_answer().status, 500);
}

TEST(listener, header_texts_cannot_forge_lines) {
  Served served([](Request, Respond respond) {
    Response response = text_response("x");
    response.headers.emplace_back("Warning", "299 - \"a\r\nSet-Cookie: b\"");
    respond(std::move(response));
  });
  TlsPeer peer = served.connect();
  peer.send(asking("GET", "/"));
  const HttpAnswer answer = peer.read_answer();
  EXPECT_EQ(answer.headers.at("Warning"), "299 - \"a  Set-Cookie: b\"");
  EXPECT_FALSE(answer.headers.contains("Set-Cookie"));
}

std::string reason_in(const HttpAnswer& answer) {
  const auto status = objects::parse_json(answer.body);
  if (!status) return "not JSON: " + answer.body;
  EXPECT_EQ((*status)["kind"].string_or(""), "Status");
  EXPECT_EQ((*status)["code"].integer_or(0), answer.status);
  return std::string((*status)["reason"].string_or(""));
}

TEST(listener, nothing_is_answered_to_nobody_but_health_and_version) {
  Served served(echo);
  const std::map<std::string, bool> paths = {{"/healthz", true},
                                             {"/livez", true},
                                             {"/readyz", true},
                                             {"/readyz/store", false},
                                             {"/version", true},
                                             {"/", false},
                                             {"/api", false},
                                             {"/apis", false},
                                             {"/openapi/v3", false},
                                             {"/metrics", false},
                                             {"/api/v1/namespaces", false},
                                             {"/api/v1/namespaces/a/pods/p/log", false},
                                             {"/api/v1/watch/pods", false},
                                             {"/apis/batch/v1/jobs?watch=1", false},
                                             {"//version", false},
                                             {"/version/../api", false},
                                             {"/healthz%2f..%2fapi", false},
                                             {"/nowhere", false}};
  const std::vector<std::string> refused = {
      "Bearer bad",   "Bearer late", "Bearer",      "Bearer ",          "Basic Z29vZA==", "good",
      "Bearer\tgood", "Bearergood",  "Digest good", "Bearer good,good", "Bearer goodx"};
  TlsPeer peer = served.connect();
  for (const auto& [path, is_public] : paths) {
    for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
      peer.send(asking(method, path, {}, {}));
      EXPECT_EQ(peer.read_answer().status, is_public ? 200 : 401) << method << " " << path;
      peer.send(asking(method, path, {}, "Bearer good"));
      EXPECT_EQ(peer.read_answer().status, 200) << method << " " << path;
      for (const std::string& authorization : refused) {
        const bool says_nothing =
            !authorization.starts_with("Bearer ") || authorization == "Bearer ";
        if (is_public && says_nothing) continue;
        peer.send(asking(method, path, {}, authorization));
        const HttpAnswer answer = peer.read_answer();
        EXPECT_EQ(answer.status, 401) << method << " " << path << " " << authorization;
        EXPECT_EQ(reason_in(answer), "Unauthorized");
      }
    }
  }
}

TEST(listener, a_certificate_of_our_authority_says_who_asks) {
  Served served([](Request request, Respond respond) {
    std::string text = request.identity.name;
    for (const std::string& group : request.identity.groups) text += " " + group;
    respond(text_response(text));
  });
  const CertifiedKey client =
      issue_certificate(served.authority(),
                        {.common_name = "jane", .organizations = {"dev", "ops"}},
                        served.clock().wall())
          .must();
  TlsPeer peer(served.address(),
               {.certificate_pem = client.certificate_pem, .key_pem = client.key_pem.reveal()});
  peer.send(asking("GET", "/api", {}, {}));
  EXPECT_EQ(peer.read_answer().body, "jane dev ops system:authenticated");

  const CertifiedKey other = make_authority("other", served.clock().wall()).must();
  const CertifiedKey foreign =
      issue_certificate(other, {.common_name = "jane"}, served.clock().wall()).must();
  TlsPeer stranger(served.address(), {.certificate_pem = foreign.certificate_pem,
                                      .key_pem = foreign.key_pem.reveal()});
  stranger.send(asking("GET", "/version", {}, {}));
  EXPECT_EQ(stranger.read_answer().status, 0);
}

TEST(listener, a_client_that_trusts_another_authority_does_not_connect) {
  Served served(echo);
  const CertifiedKey other = make_authority("other", served.clock().wall()).must();
  TlsPeer peer(served.address(), {.authority_pem = other.certificate_pem});
  EXPECT_FALSE(peer.is_connected());
}

TEST(listener, hands_over_whom_a_request_wants_to_act_as) {
  Served served([](Request request, Respond respond) {
    std::string text;
    for (const auto& [name, value] : request.impersonation) text += name + "=" + value + ";";
    respond(text_response(text));
  });
  TlsPeer peer = served.connect();
  peer.send(
      "GET /api HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nimpersonate-user: bob\r\n"
      "Impersonate-Group: a\r\nImpersonate-Group: b\r\nImpersonate-Extra-X%2fY: z\r\n\r\n");
  EXPECT_EQ(peer.read_answer().body, "user=bob;group=a;group=b;extra-x%2fy=z;");
}

}  // namespace
}  // namespace muster::server
