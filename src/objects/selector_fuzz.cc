// SPDX-License-Identifier: Apache-2.0
//
// Any text: a selector that parses prints as one that parses to the same, and matches labels the
// same way; nothing crashes on the rest.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "objects/field_selector.h"
#include "objects/json.h"
#include "objects/label_selector.h"

namespace {

using namespace muster::objects;

void read_labels(std::string_view text, View labels) {
  const auto selector = LabelSelector::parse(text);
  if (!selector) return;
  const std::string printed = selector->to_string();
  const LabelSelector again = LabelSelector::parse(printed).must();
  CHECK(again == *selector, printed);
  CHECK(again.matches(labels) == selector->matches(labels), printed);
}

void read_fields(std::string_view text, View object) {
  const auto selector = FieldSelector::parse(text);
  if (!selector) return;
  const std::string printed = selector->to_string();
  const FieldSelector again = FieldSelector::parse(printed).must();
  // Terms are sorted as they were written, `a==b` before `a=a`, but printed with one sign: reading
  // the text may order them once more, and then they stay.
  const std::string settled = again.to_string();
  CHECK(FieldSelector::parse(settled).must().to_string() == settled, printed);
  CHECK(again.matches(object) == selector->matches(object), printed);
}

}  // namespace

// The first line is the selector, the rest an object with labels.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const std::size_t line = text.find('\n');
  const auto parsed =
      line == std::string_view::npos ? parse_json("{}") : parse_json(text.substr(line + 1));
  const Value object = parsed.has_value() ? *parsed : Value();
  read_labels(text.substr(0, line), object);
  read_fields(text.substr(0, line), object);
  const auto selector = LabelSelector::of(object);
  if (selector && !selector->matches_nothing()) {
    (void)selector->matches(object["matchLabels"]);
  }
  return 0;
}
