// SPDX-License-Identifier: Apache-2.0
#include "objects/json_structure.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "objects/text_place.h"

namespace muster::objects {

namespace {

// Below this a larger text would make the stage allocate again and again.
constexpr std::size_t capacity_min = 16384;

// Only simdjson's own second stage nests; ours does not use it.
constexpr std::size_t depth_unused = 1;

// The first byte of a string that holds a raw control character. Only asked when there is one.
std::size_t control_character_at(std::string_view text) {
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside && static_cast<unsigned char>(c) < 0x20) return i;
    if (inside && c == '\\') ++i;
    if (c == '"') inside = !inside;
  }
  return text.size();
}

Error explain(simdjson::error_code code, std::string_view text) {
  switch (code) {
    case simdjson::EMPTY:
      return Error::bad_request("not JSON: the text is empty");
    case simdjson::UTF8_ERROR:
      return Error::bad_request(
          fmt::format("not JSON: {}: not UTF-8", place_of(text, valid_utf8_bytes(text))));
    case simdjson::UNCLOSED_STRING:
      return Error::bad_request("not JSON: the text ends inside a string");
    case simdjson::UNESCAPED_CHARS:
      return Error::bad_request(fmt::format("not JSON: {}: a control character inside a string",
                                            place_of(text, control_character_at(text))));
    case simdjson::MEMALLOC:
      return Error::internal("out of memory while reading JSON");
    default:
      return Error::bad_request(fmt::format("not JSON: {}", simdjson::error_message(code)));
  }
}

}  // namespace

struct JsonStructure::Stage {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> implementation;
};

JsonStructure::JsonStructure() : stage_(std::make_unique<Stage>()) {}
JsonStructure::~JsonStructure() = default;
JsonStructure::JsonStructure(JsonStructure&&) noexcept = default;
JsonStructure& JsonStructure::operator=(JsonStructure&&) noexcept = default;

Result<std::span<const std::uint32_t>> JsonStructure::find(std::string_view text) {
  auto& implementation = stage_->implementation;
  simdjson::error_code code = simdjson::SUCCESS;
  if (implementation == nullptr) {
    code = simdjson::get_active_implementation()->create_dom_parser_implementation(
        std::max(text.size(), capacity_min), depth_unused, implementation);
  } else if (implementation->capacity() < text.size()) {
    code = implementation->set_capacity(text.size());
  }
  if (code == simdjson::SUCCESS && text.empty()) code = simdjson::EMPTY;
  if (code == simdjson::SUCCESS) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.data());
    code = implementation->stage1(bytes, text.size(), simdjson::stage1_mode::regular);
  }
  if (code != simdjson::SUCCESS) return explain(code, text);
  return std::span<const std::uint32_t>(implementation->structural_indexes.get(),
                                        implementation->n_structural_indexes);
}

void JsonStructure::shrink(std::size_t text_bytes_max) {
  auto& implementation = stage_->implementation;
  if (implementation != nullptr && implementation->capacity() > text_bytes_max) {
    implementation.reset();
  }
}

}  // namespace muster::objects
