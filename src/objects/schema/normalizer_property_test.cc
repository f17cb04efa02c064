// SPDX-License-Identifier: Apache-2.0
// Decoding passes most quantities and times by because they look canonical. What it makes of a text
// is what reading and printing it makes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "base/quantity.h"
#include "base/timestamp.h"
#include "objects/admit.h"
#include "objects/kind_registry.h"

namespace muster::objects {
namespace {

Result<Decoded> decoded(const Value& pod) {
  static const KindRegistry registry = KindRegistry::built_in().must();
  return decode(registry.find("", "Pod")->storage_version().schema, pod, FieldValidation::ignore);
}

// Numbers near the borders at which another unit takes over.
rc::Gen<std::string> number() {
  return rc::gen::oneOf(
      rc::gen::element<std::string>("", "0", "00", "01", "999", "1000", "1023", "1024", "2048",
                                    "999999", "1000000", "1048576", "9223372036854775807", "1.5"),
      rc::gen::map(rc::gen::inRange(0, 10'000'000), [](int n) { return std::to_string(n); }));
}

rc::Gen<std::string> unit() {
  return rc::gen::element<std::string>("", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi",
                                       "Gi", "Ti", "Pi", "Ei", "i", "mi", "K", "e3", "E3");
}

RC_GTEST_PROP(NormalizerProperty, quantities_come_out_as_they_are_printed, ()) {
  const std::string text = *number() + *unit();
  const Value pod = Value::object(
      {{"spec", Value::object({{"overhead", Value::object({{"cpu", Value::string(text)}})}})}});
  const auto quantity = Quantity::parse_field(text);
  const auto result = decoded(pod);
  RC_ASSERT(result.has_value() == quantity.has_value());
  if (!quantity) return;
  RC_ASSERT(result->object["spec"]["overhead"]["cpu"].string_or("") ==
            quantity->round_up_to_milli().to_string());
}

RC_GTEST_PROP(NormalizerProperty, times_come_out_as_they_are_printed, ()) {
  const auto below = [](int end) { return *rc::gen::inRange(0, end); };
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}", below(10'000), below(14),
                                 below(33), below(25), below(61), below(61),
                                 *rc::gen::element<std::string>("Z", "z", "", "+01:00", ".5Z"));
  if (below(4) == 0) {
    text[static_cast<std::size_t>(below(19))] = *rc::gen::element('0', '9', ' ', 'T', ':', '/');
  }
  const Value pod =
      Value::object({{"metadata", Value::object({{"creationTimestamp", Value::string(text)}})}});
  const auto time = parse_time(text);
  const auto result = decoded(pod);
  RC_ASSERT(result.has_value() == time.has_value());
  if (!time) return;
  RC_ASSERT(result->object["metadata"]["creationTimestamp"].string_or("") == format_time(*time));
}

}  // namespace
}  // namespace muster::objects
