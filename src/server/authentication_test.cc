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

TEST(authentication, a_digest_is_written_and_read) {
  const TokenDigest digest = digest_of("secret-token");
  EXPECT_EQ(parse_digest(digest_text(digest)), digest);
  for (const std::string& text : {std::string("x"), std::string(63, 'a'), std::string(64, 'g'),
                                  "+" + std::string(63, 'a'), std::string(65, 'a')}) {
    EXPECT_FALSE(parse_digest(text)) << text;
  }
}

TEST(authentication, who_shows_nothing_may_ask_for_health_and_version) {
  SetClock clock;
  const Authenticator authenticator(clock);
  EXPECT_EQ(authenticator.authenticate({}, "/version").must().identity.name, anonymous_user);
  EXPECT_EQ(
      authenticator.authenticate({.authorization = "Basic x"}, "/livez").must().identity.groups,
      std::vector<std::string>{std::string(unauthenticated_group)});
  for (const char* path : {"/", "/api", "/version/x", "/livez/ping", "/healthzz", ""}) {
    EXPECT_FALSE(authenticator.authenticate({}, path)) << path;
  }
}

TEST(authentication, a_certificate_says_who_asks_before_a_token_does) {
  SetClock clock;
  const Authenticator authenticator(clock);
  const CertificateSubject jane{
      .common_name = "jane", .organizations = {"dev"}, .fingerprint = "ab"};
  const Identity who =
      authenticator.authenticate({.authorization = "Bearer bad", .certificate = &jane}, "/api")
          .must()
          .identity;
  EXPECT_EQ(who.name, "jane");
  EXPECT_EQ(who.groups, (std::vector<std::string>{"dev", "system:authenticated"}));
  ASSERT_EQ(who.extra.size(), 1U);
  EXPECT_EQ(who.extra[0].second.front(), "X509SHA256=ab");
}

TEST(authentication, a_revoked_token_is_nobodys) {
  SetClock clock;
  Authenticator authenticator(clock);
  authenticator.set_tokens({{.digest = digest_of("t"), .identity = {.name = "jane"}}});
  EXPECT_TRUE(authenticator.authenticate({.authorization = "Bearer t"}, "/api"));
  authenticator.set_tokens({});
  EXPECT_FALSE(authenticator.authenticate({.authorization = "Bearer t"}, "/api"));
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
  const Identity jane = authenticator.authenticate(shown, "/version").must().identity;
  EXPECT_EQ(jane.name, "jane");
  EXPECT_EQ(jane.groups, (std::vector<std::string>{"dev", "system:authenticated"}));
  clock.now = clock.now + Span::of_seconds(10);
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

TEST(certificates, a_request_is_signed_for_its_own_key_and_subject) {
  constexpr std::string_view request =
      "-----BEGIN CERTIFICATE REQUEST-----\n"
      "MIHZMIGAAgEAMB4xDTALBgNVBAoMBGRldnMxDTALBgNVBAMMBGphbmUwWTATBgcq\n"
      "hkjOPQIBBggqhkjOPQMBBwNCAARLWiCiaZ0bUggye5XkgReFABYN65Ot1Ox6nD5N\n"
      "CfGM7ac28Uy4d9hJByhJa8qkarqr4Z8YU41w7o1pCA/bKdUWoAAwCgYIKoZIzj0E\n"
      "AwIDSAAwRQIhAOrXu8LRxANK8uolnIbyZCaiDldv+G+xbSmfrGg5v9pdAiBbwoOn\n"
      "A8q8LFHz+QKwZCR0kCXMsecnkmhmmGXlAc/AyQ==\n"
      "-----END CERTIFICATE REQUEST-----\n";
  EXPECT_EQ(read_certificate_request(request).must().common_name, "jane");
  const Instant now = Instant{} + Span::of_seconds(1'800'000'000);
  const CertifiedKey authority = make_authority("a", now).must();
  const std::string certificate =
      sign_certificate_request(authority, request, Span::of_seconds(3600), now).must();
  const CertificateFacts facts = read_certificate(certificate).must();
  EXPECT_EQ(facts.subject.common_name, "jane");
  EXPECT_EQ(facts.subject.organizations, std::vector<std::string>{"devs"});
  EXPECT_EQ(facts.expires, now + Span::of_seconds(3600));
  EXPECT_FALSE(facts.is_authority);
  std::string forged(request);
  forged.replace(forged.find("BGphbmU"), 7, "BGphbmI");  // another name under the same signature
  EXPECT_FALSE(read_certificate_request(forged));
  EXPECT_FALSE(read_certificate_request(authority.certificate_pem));
}

TEST(certificates, a_server_that_listens_everywhere_has_only_the_usual_names) {
  EXPECT_EQ(server_hosts("0.0.0.0"), server_hosts(""));
  EXPECT_EQ(server_hosts("localhost"), server_hosts("127.0.0.1"));
  EXPECT_EQ(server_hosts("box.example.com").back(), "box.example.com");
}

}  // namespace
}  // namespace muster::server
