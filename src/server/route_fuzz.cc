// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "server/continue_token.h"
#include "server/route.h"

// Any path and query: no crash, and nothing that could make one part look like two.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const std::size_t mark = text.find('?');
  const std::string_view query =
      mark == std::string_view::npos ? std::string_view() : text.substr(mark + 1);
  const auto route = muster::server::parse_route(text.substr(0, mark), query);
  if (!route) return 0;
  for (const std::string& part :
       {route->group, route->version, route->plural, route->name_space, route->name}) {
    CHECK(part.find('/') == std::string::npos);
  }
  CHECK(route->path.starts_with('/'));
  (void)route->query.boolean("watch");
  (void)route->query.integer("limit");
  (void)muster::server::read_continue_token(route->query.text_or_empty("continue"));
  return 0;
}
