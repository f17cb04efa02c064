// SPDX-License-Identifier: Apache-2.0
//
// Any template on any object: an answer or a refusal, the same twice.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "objects/json.h"
#include "objects/json_path.h"

// The first line is the template, the rest the object.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster::objects;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  const auto object = parse_json(text.substr(line + 1));
  if (!object) return 0;
  const std::string_view written = text.substr(0, line);
  for (const MissingKeys missing : {MissingKeys::refuse, MissingKeys::allow}) {
    const auto path = JsonPath::parse(written, missing);
    if (!path) continue;
    const auto once = path->print(*object);
    const auto twice = path->print(*object);
    CHECK(once.has_value() == twice.has_value());
    if (once) CHECK(*once == *twice);
  }
  if (const auto relaxed = JsonPath::parse_relaxed(written)) (void)relaxed->find(*object);
  return 0;
}
