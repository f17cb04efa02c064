// SPDX-License-Identifier: Apache-2.0
#include "server/authentication.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "objects/json.h"
#include "server/authorization.h"

using namespace muster;

namespace {

class FixedClock final : public Clock {
 public:
  Instant wall() const override { return {}; }
  MonotonicInstant monotonic() const override { return {}; }
};

}  // namespace

// A header, and the same bytes as a web token and a certificate. Nobody becomes somebody without
// the token or a signature, and what verifies is what was signed.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster::server;
  static const TokenSigner signer =
      TokenSigner::of_key(TokenSigner::make_key().must().reveal()).must();
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const FixedClock clock;
  Authenticator authenticator(clock, &signer);
  authenticator.accept({.digest = digest_of("token"), .identity = admin_identity()}).must();
  const auto who = authenticator.authenticate({.authorization = text}, "/version");
  if (who && who->identity.name != anonymous_user) CHECK(bearer_token(text) == "token");
  if (who && who->identity.name == anonymous_user) CHECK(!bearer_token(text));
  CHECK(!authenticator.authenticate_token(text, {}) || text == "token");
  CHECK(!signer.verify(text));
  if (const auto claims = objects::parse_json(text); claims && claims->view().is_object()) {
    const std::string token = signer.sign(*claims).must();
    if (token.size() <= web_token_bytes_max) CHECK(signer.verify(token).must() == *claims);
    (void)read_service_account_token(*claims);
  }
  (void)base64_url_decode(text);
  (void)service_account_of(text);
  (void)read_certificate(text);
  return 0;
}
