// SPDX-License-Identifier: Apache-2.0
//
// Any object, in either version: conversion refuses or answers, and what it answers can be written
// as JSON, read and converted back. What has made the round trip once makes it without a change.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "objects/convert.h"
#include "objects/json.h"

namespace {

using muster::objects::Value;

void convert_there_and_back(std::string_view conversion, const Value& object) {
  const bool is_old = object["apiVersion"].string_or("").ends_with("v1beta1");
  const std::string_view here = is_old ? "v1beta1" : "v1beta2";
  const std::string_view there = is_old ? "v1beta2" : "v1beta1";
  const auto converted = muster::objects::convert(conversion, object, there);
  if (!converted) return;
  const std::string text = muster::objects::to_json(*converted);
  const auto read = muster::objects::parse_json(text, {.bytes_max = text.size()});
  CHECK(read.has_value(), text);
  const auto back = muster::objects::convert(conversion, *read, here);
  if (!back) return;
  const Value there_again = muster::objects::convert(conversion, *back, there).must();
  const Value back_again = muster::objects::convert(conversion, there_again, here).must();
  CHECK(back_again.view() == back->view(), muster::objects::to_json(back_again));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto object = muster::objects::parse_json(text);
  if (!object || !object->is_object()) return 0;
  for (const std::string_view conversion :
       {"kueue-cluster-queue", "kueue-cohort", "kueue-local-queue", "kueue-multi-kueue-cluster",
        "kueue-workload"}) {
    convert_there_and_back(conversion, *object);
  }
  return 0;
}
