// SPDX-License-Identifier: Apache-2.0
#include "server/token_signer.h"

#include <gtest/gtest.h>

#include "objects/json.h"
#include "server/authentication.h"
#include "server/service_account_token.h"

namespace muster::server {
namespace {

using objects::Value;

class SetClock final : public Clock {
 public:
  Instant wall() const override { return now; }
  MonotonicInstant monotonic() const override { return {}; }

  Instant now = Instant{} + Span::of_seconds(1'800'000'000);
};

TokenSigner new_signer() {
  return TokenSigner::of_key(TokenSigner::make_key().must().reveal()).must();
}

ServiceAccountToken bot(Instant now) {
  return {.name_space = "team-a",
          .account = {"bot", "u-1"},
          .pod = ServiceAccountToken::Reference{"p", "u-2"},
          .audiences = {std::string(token_issuer)},
          .id = "j",
          .issued = now,
          .not_before = now,
          .expires = now + Span::of_seconds(600)};
}

TEST(token_signer, what_is_signed_verifies_and_nothing_else_does) {
  const TokenSigner signer = new_signer();
  const Value claims = objects::parse_json(R"({"sub":"x","n":[1,"é"]})").must();
  const std::string token = signer.sign(claims).must();
  EXPECT_EQ(signer.verify(token).must(), claims);
  EXPECT_FALSE(new_signer().verify(token));  // another key
  for (std::size_t at = 0; at < token.size(); at += 7) {
    std::string changed = token;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(signer.verify(changed)) << at;
  }
  for (const std::string& text :
       {std::string(), std::string("."), std::string(".."), token.substr(0, token.rfind('.') + 1),
        token + ".", token + "A"}) {
    EXPECT_FALSE(signer.verify(text)) << text;
  }
}

TEST(token_signer, a_token_that_claims_no_signature_is_refused) {
  const TokenSigner signer = new_signer();
  const std::string claims = base64_url_encode(R"({"sub":"x"})");
  for (const char* header : {R"({"alg":"none"})", R"({"alg":"HS256"})", R"({"alg":"ES256"})"}) {
    EXPECT_FALSE(signer.verify(base64_url_encode(header) + "." + claims + "."));
    EXPECT_FALSE(signer.verify(base64_url_encode(header) + "." + claims + "." +
                               base64_url_encode(std::string(64, '\0'))));
  }
}

TEST(token_signer, a_key_that_is_read_is_the_key_that_was_made) {
  const Secret key = TokenSigner::make_key().must();
  const TokenSigner one = TokenSigner::of_key(key.reveal()).must();
  const TokenSigner other = TokenSigner::of_key(key.reveal()).must();
  EXPECT_EQ(one.key_id(), other.key_id());
  const Value claims = objects::parse_json("{}").must();
  EXPECT_TRUE(other.verify(one.sign(claims).must()));
  EXPECT_EQ(one.key_set()["keys"][std::size_t{0}]["kid"].string_or(""), one.key_id());
  EXPECT_FALSE(TokenSigner::of_key("x"));
}

TEST(token_signer, base64_of_addresses_is_strict) {
  for (const char* text : {"", "a", "ab", "abc", "a\xff?>"}) {
    EXPECT_EQ(base64_url_decode(base64_url_encode(text)).must(), text);
  }
  for (const char* text : {"a", "ab=", "a+b/", "a b", "ab\ncd"}) {
    EXPECT_FALSE(base64_url_decode(text)) << text;
  }
}

TEST(service_account_token, its_claims_are_read_as_they_were_written) {
  const SetClock clock;
  ServiceAccountToken token = bot(clock.now);
  token.node = ServiceAccountToken::Reference{"n", "u-3"};
  const Value claims = claims_value(token);
  EXPECT_EQ(objects::to_json(claims),
            R"({"aud":["https://kubernetes.default.svc"],"exp":1800000600,"iat":1800000000,)"
            R"("iss":"https://kubernetes.default.svc","jti":"j","kubernetes.io":{)"
            R"("namespace":"team-a","node":{"name":"n","uid":"u-3"},"pod":{"name":"p",)"
            R"("uid":"u-2"},"serviceaccount":{"name":"bot","uid":"u-1"}},"nbf":1800000000,)"
            R"("sub":"system:serviceaccount:team-a:bot"})");
  const Identity who = identity_of(read_service_account_token(claims).must());
  EXPECT_EQ(who.name, "system:serviceaccount:team-a:bot");
  EXPECT_EQ(who.uid, "u-1");
  EXPECT_EQ(who.groups,
            (std::vector<std::string>{"system:serviceaccounts", "system:serviceaccounts:team-a",
                                      "system:authenticated"}));
  ASSERT_EQ(who.extra.size(), 5U);
  EXPECT_EQ(who.extra[0].second.front(), "JTI=j");
}

TEST(service_account_token, claims_of_others_are_nobodys) {
  for (const char* claims :
       {"{}", R"({"iss":"https://kubernetes.default.svc","sub":"system:serviceaccount::"})",
        R"({"iss":"x","sub":"system:serviceaccount:a:b","exp":1,"iat":1,"nbf":1,
            "kubernetes.io":{"namespace":"a","serviceaccount":{"name":"b","uid":"u"}}})",
        R"({"iss":"https://kubernetes.default.svc","sub":"system:serviceaccount:a:c","exp":1,
            "iat":1,"nbf":1,"kubernetes.io":{"namespace":"a",
            "serviceaccount":{"name":"b","uid":"u"}}})"}) {
    EXPECT_FALSE(read_service_account_token(objects::parse_json(claims).must())) << claims;
  }
}

TEST(service_account_token, names_of_service_accounts_have_two_parts) {
  EXPECT_EQ(service_account_of("system:serviceaccount:a:b")->name, "b");
  for (const char* user :
       {"bob", "system:serviceaccount:", "system:serviceaccount:a", "system:serviceaccount::b",
        "system:serviceaccount:a:", "system:serviceaccount:a:b:c"}) {
    EXPECT_FALSE(service_account_of(user)) << user;
  }
}

TEST(service_account_token, is_good_for_its_audience_and_its_time) {
  SetClock clock;
  const TokenSigner signer = new_signer();
  const Authenticator authenticator(clock, &signer);
  const std::string token = signer.sign(claims_value(bot(clock.now))).must();
  const auto who = authenticator.authenticate_token(token, {}).must();
  EXPECT_EQ(who.identity.name, "system:serviceaccount:team-a:bot");
  ASSERT_TRUE(who.bound);
  EXPECT_EQ(who.bound->pod->name, "p");
  const std::vector<std::string> others = {"x"};
  EXPECT_EQ(authenticator.authenticate_token(token, others).error().message,
            R"([invalid bearer token, token audiences ["https://kubernetes.default.svc"] is )"
            R"(invalid for the target audiences ["x"]])");
  clock.now = clock.now + Span::of_seconds(600 + 61);
  EXPECT_EQ(authenticator.authenticate_token(token, {}).error().message,
            "[invalid bearer token, service account token has expired]");
  clock.now = clock.now - Span::of_seconds(600 + 61 + 61);
  EXPECT_FALSE(authenticator.authenticate_token(token, {}));
}

}  // namespace
}  // namespace muster::server
