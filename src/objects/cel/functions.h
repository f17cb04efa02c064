// The functions of CEL that are not operators. One table; rows with the same name are overloads
// of each other and stand together. Kinds of arguments are checked before a function is called.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "objects/cel/scratch.h"

namespace muster::objects::cel {

struct Call {
  Scratch& scratch;
  std::span<const Datum> arguments;   // the receiver first, where there is one
  const re2::RE2* pattern = nullptr;  // the last pattern argument, where it was a literal

  const Datum& operator[](std::size_t index) const { return arguments[index]; }
};

inline constexpr std::size_t call_arguments_max = 4;

struct Function {
  std::string_view name;
  bool member;
  bool takes_pattern;  // its second argument is a regular expression
  Kind result;
  std::uint8_t parameter_count;
  std::array<Kind, call_arguments_max> parameters;  // Kind::dynamic takes anything
  Datum (*apply)(const Call& call);

  // Whether this overload takes arguments of these kinds; Kind::dynamic is not known yet.
  bool takes(std::span<const Kind> kinds) const;
};

// All overloads of the name, as a function or as a method; empty when there is none.
std::span<const Function> find_functions(std::string_view name, bool member);

// Of times, but overloads of string() and int(), so their rows stand with those.
Datum text_of_duration(const Call& call);
Datum text_of_timestamp(const Call& call);
Datum seconds_of_timestamp(const Call& call);

// Of lists, but overloads of names that text has too, so their rows stand with those.
Datum list_index_of(const Call& call);
Datum list_last_index_of(const Call& call);

// The groups that make up the table.
std::span<const Function> conversion_functions();
std::span<const Function> text_functions();
std::span<const Function> list_functions();
std::span<const Function> time_functions();
std::span<const Function> quantity_functions();

}  // namespace muster::objects::cel
