// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: what reads as YAML writes to text that reads back and writes the same again, and
// every place in it has a line; every refusal has a sentence.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "objects/yaml.h"

namespace {

using muster::objects::MemberView;
using muster::objects::View;

std::size_t count_values(View view) {
  std::size_t count = 1;
  for (const View element : view.elements()) count += count_values(element);
  for (const MemberView member : view.members()) count += count_values(member.value);
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster::objects;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto documents = parse_yaml(text, {.duplicate_keys = DuplicateKeys::last_wins});
  if (!documents) {
    CHECK(!documents.error().message.empty());
    return 0;
  }
  for (const YamlDocument& document : *documents) {
    CHECK(document.lines.empty() || document.lines.size() == count_values(document.value));
    const std::string written = to_yaml(document.value);
    const Value again = parse_yaml_document(written).must();
    CHECK(to_yaml(again) == written);
    // Reading made integers of whole reals already, unless the text was JSON.
    if (!document.lines.empty()) CHECK(again.view() == document.value.view());
  }
  return 0;
}
