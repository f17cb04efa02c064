// SPDX-License-Identifier: Apache-2.0
#include "objects/cel/operand_kinds.h"

namespace muster::objects::cel {

bool is_known(Kind kind) {
  return kind != Kind::dynamic;
}

bool is_number(Kind kind) {
  return kind == Kind::integer || kind == Kind::real;
}

bool is_time(Kind kind) {
  return kind == Kind::duration || kind == Kind::timestamp;
}

static bool is_ordered(Kind kind) {
  return is_number(kind) || kind == Kind::boolean || kind == Kind::text || is_time(kind);
}

bool may_be_ordered(Kind a, Kind b) {
  const bool both_known = is_known(a) && is_known(b);
  if (both_known && a != b) return is_number(a) && is_number(b);
  // null takes the type of what is not known.
  const auto may_be = [both_known](Kind kind) {
    return !is_known(kind) || is_ordered(kind) || (kind == Kind::null && !both_known);
  };
  return may_be(a) && may_be(b);
}

// A name of a type, as in type(self) == int.
std::optional<Kind> named_type(std::string_view name) {
  for (const Kind kind : {Kind::boolean, Kind::integer, Kind::real, Kind::text, Kind::list,
                          Kind::map, Kind::null, Kind::type}) {
    if (type_value_name(kind) == name) return kind;
  }
  return std::nullopt;
}

// Of two times: timestamp ± duration, duration ± duration, timestamp - timestamp.
static std::optional<Kind> time_arithmetic(Operation operation, Kind a, Kind b) {
  const bool adds = operation == Operation::add;
  if (!adds && operation != Operation::subtract) return std::nullopt;
  if (a == Kind::duration && b == Kind::duration) return Kind::duration;
  if (a == Kind::timestamp && b == Kind::timestamp) {
    return adds ? std::nullopt : std::optional(Kind::duration);
  }
  const bool fits = a == Kind::timestamp || adds;
  return fits ? std::optional(Kind::timestamp) : std::nullopt;
}

std::optional<Kind> arithmetic(Operation operation, Kind a, Kind b) {
  const bool takes_text = operation == Operation::add;
  const auto takes = [operation, takes_text](Kind kind) {
    if (kind == Kind::integer) return true;
    if (kind == Kind::real) return operation != Operation::modulo;
    if (is_time(kind)) return takes_text || operation == Operation::subtract;
    return takes_text && (kind == Kind::text || kind == Kind::list);
  };
  if (is_time(a) && is_time(b)) return time_arithmetic(operation, a, b);
  // What a time meets decides what comes out.
  if ((is_time(a) && !is_known(b)) || (is_time(b) && !is_known(a))) {
    return takes(a == Kind::dynamic ? b : a) ? std::optional(Kind::dynamic) : std::nullopt;
  }
  if ((is_known(a) && !takes(a)) || (is_known(b) && !takes(b))) return std::nullopt;
  if (is_known(a) && is_known(b)) return a == b ? std::optional(a) : std::nullopt;
  return is_known(a) ? a : b;
}

}  // namespace muster::objects::cel
