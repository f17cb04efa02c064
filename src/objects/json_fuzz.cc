// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: what reads as JSON writes to text that reads as the same value, compact and pretty,
// and is found again by its keys; a copy is equal; every refusal has a sentence.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "objects/json.h"

namespace {

using muster::objects::MemberView;
using muster::objects::View;

void look_up_every_member(View view) {
  for (const View element : view.elements()) look_up_every_member(element);
  for (const MemberView member : view.members()) {
    CHECK(&view[member.key].node() == &member.value.node());
    look_up_every_member(member.value);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace muster::objects;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  std::vector<std::string> duplicates;
  const auto value = parse_json(
      text, {.duplicate_keys = DuplicateKeys::last_wins, .duplicate_fields = &duplicates});
  const auto strict = parse_json(text);
  CHECK(strict.has_value() == (value.has_value() && duplicates.empty()));
  if (!strict) CHECK(!strict.error().message.empty());
  if (!value) return 0;
  const std::string compact = to_json(*value);
  const Value again = parse_json(compact).must();
  CHECK(again.view() == value->view());
  CHECK(to_json(again) == compact);
  CHECK(hash(again) == hash(*value));
  CHECK(to_json(parse_json(to_pretty_json(again)).must()) == compact);
  CHECK(Value::copy_of(again).view() == again.view());
  look_up_every_member(again);
  return 0;
}
