// SPDX-License-Identifier: Apache-2.0
#include "server/authentication.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "server/authorization.h"

using namespace muster;

namespace {

class FixedClock final : public Clock {
 public:
  Instant wall() const override { return {}; }
  MonotonicInstant monotonic() const override { return {}; }
};

}  // namespace

// A header and a path (up to the first line end), and the same bytes as a file of tokens. Nobody
// becomes somebody without the token, and what is read as a file can be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster::server;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view header = text.substr(0, end);
  const std::string_view path = text.substr(std::min(end + 1, text.size()));
  const FixedClock clock;
  Authenticator authenticator(clock);
  authenticator.accept({.digest = digest_of("token"), .identity = admin_identity()}).must();
  const auto identity = authenticator.authenticate({.authorization = header}, path);
  if (identity && identity->name != anonymous_user) CHECK(bearer_token(header) == "token");
  if (identity && identity->name == anonymous_user) {
    CHECK(header.empty() && is_public_path(path));
  }
  if (const auto records = parse_token_file(text)) {
    const auto again = parse_token_file(token_file_text(*records)).must();
    CHECK(again.size() == records->size());
  }
  (void)read_certificate(text);
  return 0;
}
