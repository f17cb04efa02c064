// SPDX-License-Identifier: Apache-2.0
#include "objects/cel/functions.h"

namespace muster::objects::cel {

namespace {

bool holds(const Call& call, const Datum& list, const Datum& wanted) {
  for (std::size_t i = 0; i < list.size && !call.scratch.exhausted(); ++i) {
    if (call.scratch.equal(list.element(i), wanted)) return true;
  }
  return false;
}

bool holds_all(const Call& call, const Datum& list, const Datum& wanted) {
  for (std::size_t i = 0; i < wanted.size && !call.scratch.exhausted(); ++i) {
    if (!holds(call, list, wanted.element(i))) return false;
  }
  return true;
}

Datum sets_contains(const Call& call) {
  return Datum::of(holds_all(call, call[0], call[1]));
}

Datum sets_equivalent(const Call& call) {
  return Datum::of(holds_all(call, call[0], call[1]) && holds_all(call, call[1], call[0]));
}

Datum sets_intersects(const Call& call) {
  for (std::size_t i = 0; i < call[1].size && !call.scratch.exhausted(); ++i) {
    if (holds(call, call[0], call[1].element(i))) return Datum::of(true);
  }
  return Datum::of(false);
}

Datum sum(const Call& call) {
  call.scratch.spend(call[0].size);
  Datum total = Datum::of(std::int64_t{0});
  for (std::size_t i = 0; i < call[0].size; ++i) {
    const Datum next = call[0].element(i);
    if (!next.is_number()) return Datum::error("no such overload");
    if (i == 0) {
      total = next;
    } else if (total.kind == Kind::integer && next.kind == Kind::integer) {
      if (__builtin_add_overflow(total.integer, next.integer, &total.integer)) {
        return Datum::error("integer overflow");
      }
    } else {
      total = Datum::of(total.as_real() + next.as_real());
    }
  }
  return total;
}

Datum extreme(const Call& call, Order wanted, std::string_view empty) {
  call.scratch.spend(call[0].size);
  if (call[0].size == 0) return Datum::error(empty);
  Datum best = call[0].element(0);
  for (std::size_t i = 1; i < call[0].size; ++i) {
    const Datum next = call[0].element(i);
    if (!ordered(next, best)) return Datum::error("no such overload");
    if (compare(next, best) == wanted) best = next;
  }
  return best;
}

Datum smallest(const Call& call) {
  return extreme(call, Order::less, "min called on empty list");
}

Datum largest(const Call& call) {
  return extreme(call, Order::greater, "max called on empty list");
}

Datum is_sorted(const Call& call) {
  call.scratch.spend(call[0].size);
  for (std::size_t i = 1; i < call[0].size; ++i) {
    const Datum before = call[0].element(i - 1);
    const Datum next = call[0].element(i);
    if (!ordered(before, next)) return Datum::error("no such overload");
    if (compare(before, next) == Order::greater) return Datum::of(false);
  }
  return Datum::of(true);
}

constexpr Kind any = Kind::dynamic;
constexpr Kind list = Kind::list;

constexpr Function table[] = {
    {"sets.contains", false, false, Kind::boolean, 2, {list, list}, sets_contains},
    {"sets.equivalent", false, false, Kind::boolean, 2, {list, list}, sets_equivalent},
    {"sets.intersects", false, false, Kind::boolean, 2, {list, list}, sets_intersects},
    {"sum", true, false, any, 1, {list}, sum},
    {"min", true, false, any, 1, {list}, smallest},
    {"max", true, false, any, 1, {list}, largest},
    {"isSorted", true, false, Kind::boolean, 1, {list}, is_sorted},
};

}  // namespace

Datum list_index_of(const Call& call) {
  for (std::size_t i = 0; i < call[0].size && !call.scratch.exhausted(); ++i) {
    if (call.scratch.equal(call[0].element(i), call[1]))
      return Datum::of(static_cast<std::int64_t>(i));
  }
  return Datum::of(std::int64_t{-1});
}

Datum list_last_index_of(const Call& call) {
  for (std::size_t i = call[0].size; i > 0 && !call.scratch.exhausted(); --i) {
    if (call.scratch.equal(call[0].element(i - 1), call[1])) {
      return Datum::of(static_cast<std::int64_t>(i - 1));
    }
  }
  return Datum::of(std::int64_t{-1});
}

std::span<const Function> list_functions() {
  return table;
}

}  // namespace muster::objects::cel
