// SPDX-License-Identifier: Apache-2.0
//
// Any CustomResourceDefinition, and any object of it: the definition is refused or served; the
// object is refused or admitted; what was defaulted once is defaulted without a change.
//
// The text is two JSON documents with a line `---` between them.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "objects/admit.h"
#include "objects/json.h"
#include "objects/kind_registry.h"

namespace {

using muster::objects::FieldValidation;
using muster::objects::KindRegistry;
using muster::objects::KindVersion;
using muster::objects::Value;

void admit_any(const KindVersion& version, const Value& object) {
  const Value once = muster::objects::apply_defaults(version.schema, object);
  const Value twice = muster::objects::apply_defaults(version.schema, once);
  CHECK(once.view() == twice.view(), muster::objects::to_json(once));
  for (const FieldValidation mode :
       {FieldValidation::ignore, FieldValidation::warn, FieldValidation::strict}) {
    const auto admitted = muster::objects::admit(
        version.schema, {.object = object, .old_object = once, .field_validation = mode});
    if (admitted) static_cast<void>(admitted->errors.message("Thing", "x"));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const KindRegistry built_in = KindRegistry::built_in().must();
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const std::size_t line = text.find("\n---\n");
  const auto definition = muster::objects::parse_json(text.substr(0, line));
  if (!definition) return 0;
  KindRegistry registry = built_in;
  if (!registry.add(*definition).empty()) return 0;
  if (line == std::string_view::npos) return 0;
  const auto object = muster::objects::parse_json(text.substr(line + 5));
  if (!object) return 0;
  const auto kind = registry.find((*definition)["spec"]["group"].string_or(""),
                                  (*definition)["spec"]["names"]["kind"].string_or(""));
  CHECK(kind != nullptr);
  for (const KindVersion& version : kind->versions) admit_any(version, *object);
  return 0;
}
