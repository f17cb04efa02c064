// SPDX-License-Identifier: Apache-2.0
#include "server/authentication.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <span>

#include "server/authorization.h"

namespace muster::server {
namespace {

class SetClock final : public Clock {
 public:
  Instant wall() const override { return now; }
  MonotonicInstant monotonic() const override { return {}; }

  Instant now = Instant{} + Span::of_seconds(1'800'000'000);
};

class Counting final : public Random {
 public:
  std::uint64_t next() override { return ++count_; }
  void fill(std::span<std::byte> bytes) override {
    for (std::byte& byte : bytes)
      byte = static_cast<std::byte>((next() * 0x9E3779B97F4A7C15U) >> 56);
  }

 private:
  std::uint64_t count_ = 0;
};

TEST(authentication, tokens_are_long_and_never_the_same) {
  Counting random;
  std::set<std::string> seen;
  for (int round = 0; round < 50; ++round) {
    const Secret token = make_token(random);
    EXPECT_EQ(token.reveal().size(), 43U);  // 256 bits
    EXPECT_EQ(token.reveal().find_first_of("+/=\r\n "), std::string_view::npos);
    EXPECT_TRUE(seen.emplace(token.reveal()).second);
  }
}

TEST(authentication, the_file_of_tokens_holds_no_token) {
  const std::vector<TokenRecord> records = {
      {.digest = digest_of("secret-token"), .identity = admin_identity()},
      {.digest = digest_of("other"),
       .identity = {.name = "jane doe"},
       .expires = Instant{} + Span::of_seconds(1'800'000'000)}};
  const std::string text = token_file_text(records);
  EXPECT_EQ(text.find("secret-token"), std::string::npos);
  const auto back = parse_token_file(text).must();
  ASSERT_EQ(back.size(), 2U);
  EXPECT_EQ(back[0].digest, records[0].digest);
  EXPECT_EQ(back[0].identity.groups, records[0].identity.groups);
  EXPECT_EQ(back[1].identity.name, "jane doe");
  EXPECT_EQ(back[1].expires, records[1].expires);
}

TEST(authentication, a_damaged_file_of_tokens_is_refused) {
  const std::string digest(64, 'a');
  EXPECT_TRUE(parse_token_file("\n" + digest + "\ta\t-\n\n"));
  for (const std::string& line :
       {std::string("x"), digest, digest + "\ta", digest + "\t\t-", digest + "\ta\tsoon",
        digest + "\ta\t-5", digest + "\ta\t99999999999999999999", digest.substr(1) + "\ta\t-",
        "+" + digest.substr(1) + "\ta\t-"}) {
    EXPECT_FALSE(parse_token_file(line)) << line;
  }
  EXPECT_FALSE(parse_token_file(std::string(token_file_bytes_max + 1, 'x')));
}

TEST(authentication, a_token_ends_when_it_expires) {
  SetClock clock;
  Authenticator authenticator(clock);
  authenticator
      .accept({.digest = digest_of("t"),
               .identity = {.name = "jane", .groups = {"dev"}},
               .expires = clock.wall() + Span::of_seconds(10)})
      .must();
  const Credentials shown{.authorization = "Bearer t"};
  const Identity jane = authenticator.authenticate(shown, "/api").must();
  EXPECT_EQ(jane.name, "jane");
  EXPECT_EQ(jane.groups, (std::vector<std::string>{"dev", "system:authenticated"}));
  clock.now = clock.now + Span::of_seconds(10);
  EXPECT_EQ(authenticator.authenticate(shown, "/api").error().code, ErrorCode::unauthorized);
  EXPECT_EQ(authenticator.authenticate(shown, "/version").error().code, ErrorCode::unauthorized);
}

TEST(authentication, there_is_a_most_of_tokens) {
  SetClock clock;
  Authenticator authenticator(clock);
  for (std::size_t number = 0; number < tokens_max; ++number) {
    ASSERT_TRUE(authenticator.accept(
        {.digest = digest_of(std::to_string(number)), .identity = {.name = "a"}}));
  }
  EXPECT_FALSE(authenticator.accept({.digest = digest_of("x"), .identity = {.name = "a"}}));
}

TEST(authentication, a_header_is_read_as_the_peer_reads_it) {
  EXPECT_EQ(bearer_token("Bearer a"), "a");
  EXPECT_EQ(bearer_token("bEARER   a  "), "a");
  for (const char* header : {"", "Bearer", "Bearer ", "Bearer   ", "Basic a", "a", "Bearera",
                             "Bearer\ta", " Bearer a", "\x02\x05\x01rer a"}) {
    EXPECT_FALSE(bearer_token(header)) << header;
  }
}

TEST(certificates, an_authority_vouches_for_servers_and_clients) {
  SetClock clock;
  const Instant now = clock.wall();
  const CertifiedKey authority = make_authority("muster", now).must();
  const CertificateFacts root = read_certificate(authority.certificate_pem).must();
  EXPECT_TRUE(root.is_authority);
  EXPECT_EQ(root.subject.common_name, "muster");
  EXPECT_EQ(root.expires, now + authority_lifetime);

  const CertifiedKey server =
      issue_certificate(authority, {.common_name = "s", .hosts = server_hosts("10.1.2.3")}, now)
          .must();
  const CertificateFacts facts = read_certificate(server.certificate_pem).must();
  EXPECT_FALSE(facts.is_authority);
  EXPECT_EQ(facts.hosts,
            (std::vector<std::string>{
                "localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc",
                "kubernetes.default.svc.cluster.local", "127.0.0.1", "::1", "10.1.2.3"}));
  EXPECT_EQ(facts.expires, now + certificate_lifetime);

  const CertifiedKey client =
      issue_certificate(authority, {.common_name = "jane", .organizations = {"a", "b,c"}}, now)
          .must();
  const CertificateFacts jane = read_certificate(client.certificate_pem).must();
  EXPECT_EQ(jane.subject.common_name, "jane");
  EXPECT_EQ(jane.subject.organizations, (std::vector<std::string>{"a", "b,c"}));
}

TEST(certificates, a_host_cannot_smuggle_another) {
  const CertifiedKey authority = make_authority("muster", Instant{}).must();
  const CertifiedKey server =
      issue_certificate(authority, {.common_name = "s", .hosts = {"a,DNS:b"}}, Instant{}).must();
  EXPECT_EQ(read_certificate(server.certificate_pem).must().hosts,
            std::vector<std::string>{"a,DNS:b"});
}

TEST(certificates, what_is_no_certificate_is_refused) {
  for (const char* text :
       {"", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}) {
    EXPECT_FALSE(read_certificate(text));
  }
  EXPECT_FALSE(issue_certificate({}, {.common_name = "a"}, Instant{}));
}

TEST(certificates, a_server_that_listens_everywhere_has_only_the_usual_names) {
  EXPECT_EQ(server_hosts("0.0.0.0"), server_hosts(""));
  EXPECT_EQ(server_hosts("localhost"), server_hosts("127.0.0.1"));
  EXPECT_EQ(server_hosts("box.example.com").back(), "box.example.com");
}

}  // namespace
}  // namespace muster::server
