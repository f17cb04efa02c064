// SPDX-License-Identifier: Apache-2.0
#include "client/kubeconfig.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "client/https/endpoint.h"

using namespace muster;

// Whatever a file says, it is read or refused; what is read can be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto read_file = [](const std::string&) -> Result<std::string> { return std::string("x"); };
  const auto access = client::read_kubeconfig(text, {.folder = "/f"}, read_file);
  if (!access) return 0;
  (void)client::parse_endpoint(access->server);
  const auto again =
      client::read_kubeconfig(client::kubeconfig_text(*access), {.folder = "/f"}, read_file);
  CHECK(again.has_value());
  CHECK(again->server == access->server);
  CHECK(again->name_space == access->name_space);
  return 0;
}
