// SPDX-License-Identifier: Apache-2.0
#include "objects/cel/scratch.h"

#include <algorithm>
#include <cstring>

namespace muster::objects::cel {

namespace {

template <class T>
const T* copied(std::pmr::monotonic_buffer_resource& memory, std::span<const T> values) {
  if (values.empty()) return nullptr;
  auto* room = static_cast<T*>(memory.allocate(values.size_bytes(), alignof(T)));
  std::uninitialized_copy(values.begin(), values.end(), room);
  return room;
}

}  // namespace

std::string_view Scratch::keep_text(std::string_view value) {
  if (value.empty()) return "";
  return {copied(memory_, std::span<const char>(value)), value.size()};
}

std::span<Datum> Scratch::room(std::size_t count) {
  auto* data = static_cast<Datum*>(memory_.allocate(count * sizeof(Datum), alignof(Datum)));
  std::uninitialized_default_construct_n(data, count);
  return {data, count};
}

Datum Scratch::text(std::string_view value) {
  spend_text(value.size());
  return Datum::of(keep_text(value));
}

Datum Scratch::error(std::string_view message) {
  return Datum::error(keep_text(message));
}

Datum Scratch::list(std::span<const Datum> items) {
  spend(items.size());
  return Datum::list(copied(memory_, items), items.size());
}

Datum Scratch::map(std::span<const Entry> entries) {
  spend(entries.size());
  return Datum::map(copied(memory_, entries), entries.size());
}

const re2::RE2* Scratch::pattern(std::string_view text) {
  // Compiling costs far more than a step for each character.
  if (!spend(100 + 10 * text.size())) return nullptr;
  auto compiled = compile_pattern(text);
  if (!compiled->ok()) return nullptr;
  return patterns_.emplace_back(std::move(compiled)).get();
}

std::unique_ptr<const re2::RE2> compile_pattern(std::string_view text) {
  re2::RE2::Options options(re2::RE2::Quiet);
  return std::make_unique<const re2::RE2>(re2::StringPiece(text.data(), text.size()), options);
}

}  // namespace muster::objects::cel
