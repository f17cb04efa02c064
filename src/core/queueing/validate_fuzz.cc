// SPDX-License-Identifier: Apache-2.0
//
// Any object, created or updated ({"object", "old"}): the judgement is reached, can be written and
// is the same twice; what converts, converts back.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "core/queueing/convert_object.h"
#include "core/queueing/validate_object.h"
#include "objects/json.h"
#include "objects/kind_registry.h"

namespace {

using muster::objects::Value;

const muster::objects::KindRegistry& registry() {
  static const auto kinds = muster::objects::KindRegistry::built_in().must();
  return kinds;
}

void judge(const muster::core::ValidationRequest& request) {
  const auto verdict = muster::core::validate_object(registry(), request);
  if (!verdict) return;
  const std::string text = muster::objects::to_json(muster::core::document_of(*verdict));
  const auto again = muster::core::validate_object(registry(), request);
  CHECK(muster::objects::to_json(muster::core::document_of(*again)) == text, text);
}

void convert(const Value& object) {
  for (const std::string_view to : {"kueue.x-k8s.io/v1beta1", "kueue.x-k8s.io/v1beta2"}) {
    const auto converted = muster::core::convert_object(registry(), object, to);
    if (!converted) continue;
    const auto again = muster::core::convert_object(registry(), *converted, to);
    CHECK(again.has_value() && again->view() == converted->view(),
          muster::objects::to_json(*converted));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto input = muster::objects::parse_json(text);
  if (!input || !input->is_object()) return 0;
  const bool is_update = (*input)["old"].is_object();
  const Value object = is_update ? input->part((*input)["object"]) : *input;
  muster::core::ValidationRequest request{.object = object};
  if (is_update) request.old_object = input->part((*input)["old"]);
  judge(request);
  convert(object);
  return 0;
}
