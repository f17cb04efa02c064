// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/quantity.h"
#include "objects/cel/functions.h"

namespace muster::objects::cel {

namespace {

constexpr Kind quantity = Kind::quantity;

Datum kept(const Call& call, Quantity value) {
  call.scratch.spend(1);
  return Datum::of(call.scratch.keep(std::move(value)));
}

Datum quantity_of_text(const Call& call) {
  call.scratch.spend_text(call[0].size);
  auto parsed = Quantity::parse(call[0].string());
  if (!parsed.has_value()) return call.scratch.error(parsed.error().message);
  return kept(call, std::move(*parsed));
}

Datum is_quantity(const Call& call) {
  call.scratch.spend_text(call[0].size);
  return Datum::of(Quantity::parse(call[0].string()).has_value());
}

Datum compare_to(const Call& call) {
  const auto order = *call[0].quantity <=> *call[1].quantity;
  return Datum::of(std::int64_t{order < 0 ? -1 : order > 0 ? 1 : 0});
}

Datum is_greater(const Call& call) {
  return Datum::of(*call[0].quantity > *call[1].quantity);
}

Datum is_less(const Call& call) {
  return Datum::of(*call[0].quantity < *call[1].quantity);
}

Datum add(const Call& call) {
  return kept(call, *call[0].quantity + *call[1].quantity);
}

Datum add_int(const Call& call) {
  return kept(call, *call[0].quantity + Quantity::of(call[1].integer));
}

Datum subtract(const Call& call) {
  return kept(call, *call[0].quantity - *call[1].quantity);
}

Datum subtract_int(const Call& call) {
  return kept(call, *call[0].quantity - Quantity::of(call[1].integer));
}

// Whole, and an int64.
bool is_whole(const Quantity& amount) {
  const auto value = amount.value();
  return value.has_value() && Quantity::of(*value) == amount;
}

Datum is_integer(const Call& call) {
  return Datum::of(is_whole(*call[0].quantity));
}

Datum as_integer(const Call& call) {
  if (!is_whole(*call[0].quantity)) return Datum::error("cannot convert value to integer");
  return Datum::of(call[0].quantity->saturated_value(QuantityScale::unit));
}

Datum as_real(const Call& call) {
  return Datum::of(call[0].quantity->to_double());
}

constexpr Function table[] = {
    {"quantity", false, false, quantity, 1, {Kind::text}, quantity_of_text},
    {"isQuantity", false, false, Kind::boolean, 1, {Kind::text}, is_quantity},
    {"compareTo", true, false, Kind::integer, 2, {quantity, quantity}, compare_to},
    {"isGreaterThan", true, false, Kind::boolean, 2, {quantity, quantity}, is_greater},
    {"isLessThan", true, false, Kind::boolean, 2, {quantity, quantity}, is_less},
    {"add", true, false, quantity, 2, {quantity, quantity}, add},
    {"add", true, false, quantity, 2, {quantity, Kind::integer}, add_int},
    {"sub", true, false, quantity, 2, {quantity, quantity}, subtract},
    {"sub", true, false, quantity, 2, {quantity, Kind::integer}, subtract_int},
    {"isInteger", true, false, Kind::boolean, 1, {quantity}, is_integer},
    {"asInteger", true, false, Kind::integer, 1, {quantity}, as_integer},
    {"asApproximateFloat", true, false, Kind::real, 1, {quantity}, as_real},
};

}  // namespace

std::span<const Function> quantity_functions() {
  return table;
}

}  // namespace muster::objects::cel
