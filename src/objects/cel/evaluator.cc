// SPDX-License-Identifier: Apache-2.0
#include "objects/cel/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/check.h"
#include "objects/cel/arithmetic.h"
#include "objects/cel/functions.h"
#include "objects/go_number.h"

namespace muster::objects::cel {

namespace {

constexpr std::string_view no_such_overload = "no such overload";

class Evaluator {
 public:
  Evaluator(const Program& program, std::span<const View> variables, Scratch& scratch)
      : program_(program), scratch_(scratch), slots_(first_slots_) {
    CHECK(variables.size() == program.variables.size());
    if (program.slot_count > slots_.size()) slots_ = scratch.room(program.slot_count);
    for (std::size_t i = 0; i < variables.size(); ++i) slots_[i] = Datum::read(variables[i]);
  }

  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  Datum evaluate(const Expression& expression);

 private:
  // Most operands are literals and variables, which need no evaluate().
  Datum operand(const Expression& of, std::size_t index) {
    const Expression& child = program_.child(of, index);
    if (child.operation == Operation::literal) return child.datum;
    if (child.operation != Operation::identifier) return evaluate(child);
    return scratch_.spend(1) ? variable(child) : Datum();
  }
  Datum variable(const Expression& expression) {
    const Datum& value = slots_[expression.slot];
    return value.is_error() ? no_such_attribute(expression) : value;
  }
  [[gnu::noinline]] Datum no_such_attribute(const Expression& expression);
  Datum select(const Expression& expression);
  Datum field(const Expression& expression, const Datum& of) const;
  Datum presence(const Expression& expression);
  // What needs room of its own stays out of evaluate(), which is entered for every operation.
  [[gnu::noinline]] Datum index(const Expression& expression);
  Datum list_index(const Datum& list, const Datum& key);
  [[gnu::noinline]] Datum call(const Expression& expression);
  [[gnu::noinline]] Datum list(const Expression& expression);
  [[gnu::noinline]] Datum map(const Expression& expression);
  Datum conditional(const Expression& expression);
  Datum logical(const Expression& expression, bool deciding);
  Datum logical_not(const Expression& expression);
  [[gnu::noinline]] Datum negate(const Expression& expression);
  [[gnu::noinline]] Datum binary(const Expression& expression);
  Datum equality(const Datum& a, const Datum& b, bool wanted);
  Datum relation(Operation operation, const Datum& a, const Datum& b);
  Datum contained(const Datum& needle, const Datum& haystack);
  [[gnu::noinline]] Datum no_such_key(const Datum& key);
  // Macros.
  Datum range(const Expression& expression, Datum& failure);
  Datum bind(const Expression& expression, const Datum& over, std::size_t index);
  [[gnu::noinline]] Datum quantified(const Expression& expression, bool deciding);
  [[gnu::noinline]] Datum exists_one(const Expression& expression);
  [[gnu::noinline]] Datum filter(const Expression& expression);
  [[gnu::noinline]] Datum transform(const Expression& expression);

  const Program& program_;
  Scratch& scratch_;
  std::array<Datum, 4> first_slots_;  // enough for most programs
  std::span<Datum> slots_;            // variables and what macros bind
};

// How a datum looks in `no such key: …`.
std::string shown(const Datum& datum) {
  std::string text;
  if (datum.is_text()) {
    text = datum.string();
  } else if (datum.kind == Kind::integer) {
    text = std::to_string(datum.integer);
  } else if (datum.kind == Kind::real) {
    append_go_real(datum.real, text);
  } else if (datum.kind == Kind::boolean) {
    text = datum.boolean ? "true" : "false";
  } else {
    text = type_value_name(datum.kind);
  }
  return text;
}

Datum Evaluator::evaluate(const Expression& expression) {
  if (expression.operation == Operation::literal) return expression.datum;
  if (!scratch_.spend(1)) return Datum();
  switch (expression.operation) {
    case Operation::literal:
      return expression.datum;
    case Operation::identifier:
      return variable(expression);
    case Operation::select:
      return select(expression);
    case Operation::presence:
      return presence(expression);
    case Operation::index:
      return index(expression);
    case Operation::call:
      return call(expression);
    case Operation::list:
      return list(expression);
    case Operation::map:
      return map(expression);
    case Operation::conditional:
      return conditional(expression);
    case Operation::logical_and:
      return logical(expression, false);
    case Operation::logical_or:
      return logical(expression, true);
    case Operation::logical_not:
      return logical_not(expression);
    case Operation::negate:
      return negate(expression);
    case Operation::all:
      return quantified(expression, false);
    case Operation::exists:
      return quantified(expression, true);
    case Operation::exists_one:
      return exists_one(expression);
    case Operation::filter:
      return filter(expression);
    case Operation::transform:
      return transform(expression);
    default:
      return binary(expression);
  }
}

// Only a variable of the program can be without a value: a macro binds none that failed.
Datum Evaluator::no_such_attribute(const Expression& expression) {
  return scratch_.error(fmt::format("no such attribute(s): {}", expression.name));
}

Datum Evaluator::no_such_key(const Datum& key) {
  return scratch_.error(fmt::format("no such key: {}", shown(key)));
}

// The field by its name as written, else by the name that its escapes stand for.
Datum Evaluator::field(const Expression& expression, const Datum& of) const {
  if (!of.is_map()) return Datum();
  const Datum found = of.find(Datum::of(expression.name));
  if (!found.is_error() || expression.unescaped.empty()) return found;
  return of.find(Datum::of(expression.unescaped));
}

Datum Evaluator::select(const Expression& expression) {
  const Datum of = operand(expression, 0);
  if (of.is_error()) return of;
  if (of.is_list()) return Datum::error("unsupported index type 'string' in list");
  const Datum found = field(expression, of);
  return found.is_error() ? no_such_key(Datum::of(expression.name)) : found;
}

Datum Evaluator::presence(const Expression& expression) {
  const Datum of = operand(expression, 0);
  if (of.is_error()) return of;
  if (of.is_list()) return Datum::error("unsupported index type 'string' in list");
  return Datum::of(!field(expression, of).is_error());
}

Datum Evaluator::index(const Expression& expression) {
  const Datum of = operand(expression, 0);
  if (of.is_error()) return of;
  const Datum key = operand(expression, 1);
  if (key.is_error()) return key;
  if (of.is_list()) return list_index(of, key);
  const Datum found = of.is_map() ? of.find(key) : Datum();
  return found.is_error() ? no_such_key(key) : found;
}

Datum Evaluator::list_index(const Datum& list, const Datum& key) {
  std::int64_t at = key.integer;
  if (key.kind == Kind::real) {
    // Any whole double within range; the comparison is false for NaN.
    const bool whole = std::abs(key.real) < 1e15 && std::trunc(key.real) == key.real;
    if (!whole) {
      return scratch_.error(fmt::format("unsupported index value {} in list", shown(key)));
    }
    at = static_cast<std::int64_t>(key.real);
  } else if (key.kind != Kind::integer) {
    return scratch_.error(
        fmt::format("unsupported index type '{}' in list", type_value_name(key.kind)));
  }
  if (at < 0 || at >= static_cast<std::int64_t>(list.size)) {
    return scratch_.error(fmt::format("index out of bounds: {}", at));
  }
  return list.element(static_cast<std::size_t>(at));
}

Datum Evaluator::call(const Expression& expression) {
  std::array<Datum, call_arguments_max> arguments;
  std::array<Kind, call_arguments_max> kinds{};
  const std::size_t count = expression.child_count;
  CHECK(count <= call_arguments_max);
  for (std::size_t i = 0; i < count; ++i) {
    arguments[i] = operand(expression, i);
    if (arguments[i].is_error()) return arguments[i];
    kinds[i] = arguments[i].kind;
  }
  for (const Function& overload : std::span(expression.overloads, expression.overload_count)) {
    if (overload.takes({kinds.data(), count})) {
      return overload.apply({scratch_, {arguments.data(), count}, expression.pattern});
    }
  }
  if (expression.name == "size") return Datum::error("no such overload: size");
  if (count == 1 && !expression.member) {
    return scratch_.error(fmt::format("no such overload: {}({})", expression.name,
                                      type_value_name(arguments[0].kind)));
  }
  return Datum::error(no_such_overload);
}

Datum Evaluator::list(const Expression& expression) {
  std::array<Datum, 8> few;
  std::vector<Datum> many;
  if (expression.child_count > few.size()) many.resize(expression.child_count);
  const std::span<Datum> items =
      many.empty() ? std::span(few).first(expression.child_count) : std::span(many);
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = operand(expression, i);
    if (items[i].is_error()) return items[i];
  }
  return scratch_.list(items);
}

Datum Evaluator::map(const Expression& expression) {
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < expression.child_count; i += 2) {
    const Datum key = operand(expression, i);
    if (key.is_error()) return key;
    const Datum value = operand(expression, i + 1);
    if (value.is_error()) return value;
    if (!key.is_number() && !key.is_text() && key.kind != Kind::boolean) {
      return scratch_.error(fmt::format("unsupported key type: {}", type_value_name(key.kind)));
    }
    // A key that was there already takes the later value.
    const auto same = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
      return scratch_.equal(entry.key, key);
    });
    if (same != entries.end()) {
      same->value = value;
    } else {
      entries.push_back({key, value});
    }
  }
  return scratch_.map(entries);
}

Datum Evaluator::conditional(const Expression& expression) {
  const Datum condition = operand(expression, 0);
  if (condition.is_error()) return condition;
  if (condition.kind != Kind::boolean) return Datum::error(no_such_overload);
  return operand(expression, condition.boolean ? 1 : 2);
}

// && and ||: one operand that decides makes errors in the others not matter.
Datum Evaluator::logical(const Expression& expression, bool deciding) {
  Datum failure;
  bool failed = false;
  for (std::size_t i = 0; i < expression.child_count; ++i) {
    Datum value = operand(expression, i);
    if (scratch_.exhausted()) return Datum();
    if (value.kind == Kind::boolean) {
      if (value.boolean == deciding) return value;
      continue;
    }
    if (!failed) failure = value.is_error() ? value : Datum::error(no_such_overload);
    failed = true;
  }
  return failed ? failure : Datum::of(!deciding);
}

Datum Evaluator::logical_not(const Expression& expression) {
  const Datum value = operand(expression, 0);
  if (value.is_error()) return value;
  return value.kind == Kind::boolean ? Datum::of(!value.boolean) : Datum::error(no_such_overload);
}

Datum Evaluator::negate(const Expression& expression) {
  const Datum value = operand(expression, 0);
  if (value.is_error()) return value;
  if (value.kind == Kind::real) return Datum::of(-value.real);
  if (value.kind == Kind::integer) return integer_arithmetic(Operation::subtract, 0, value.integer);
  return Datum::error(no_such_overload);
}

Datum Evaluator::binary(const Expression& expression) {
  const Datum a = operand(expression, 0);
  if (a.is_error()) return a;
  const Datum b = operand(expression, 1);
  if (b.is_error()) return b;
  switch (expression.operation) {
    case Operation::equal:
      return equality(a, b, true);
    case Operation::not_equal:
      return equality(a, b, false);
    case Operation::contained:
      return contained(a, b);
    case Operation::less:
    case Operation::less_equal:
    case Operation::greater:
    case Operation::greater_equal:
      return relation(expression.operation, a, b);
    default:
      return arithmetic(scratch_, expression.operation, a, b);
  }
}

Datum Evaluator::equality(const Datum& a, const Datum& b, bool wanted) {
  const bool same = scratch_.equal(a, b);
  return scratch_.exhausted() ? Datum() : Datum::of(same == wanted);
}

Datum Evaluator::relation(Operation operation, const Datum& a, const Datum& b) {
  if (!ordered(a, b)) return Datum::error(no_such_overload);
  if (a.is_text() && !scratch_.spend_text(a.size)) return Datum();
  const Order order = compare(a, b);
  if (order == Order::none) return Datum::error("NaN values cannot be ordered");
  switch (operation) {
    case Operation::less:
      return Datum::of(order == Order::less);
    case Operation::less_equal:
      return Datum::of(order == Order::less || order == Order::equal);
    case Operation::greater:
      return Datum::of(order == Order::greater);
    default:
      return Datum::of(order == Order::greater || order == Order::equal);
  }
}

Datum Evaluator::contained(const Datum& needle, const Datum& haystack) {
  if (haystack.is_map()) return Datum::of(!haystack.find(needle).is_error());
  if (!haystack.is_list()) return Datum::error(no_such_overload);
  for (std::size_t i = 0; i < haystack.size; ++i) {
    if (scratch_.equal(haystack.element(i), needle)) return Datum::of(true);
    if (scratch_.exhausted()) return Datum();
  }
  return Datum::of(false);
}

// What a macro runs over: a list, or the keys of a map.
Datum Evaluator::range(const Expression& expression, Datum& failure) {
  const Datum over = operand(expression, 0);
  if (over.is_list() || over.is_map()) return over;
  failure = over.is_error() ? over
                            : scratch_.error(fmt::format("got '{}', expected iterable type",
                                                         type_value_name(over.kind)));
  return Datum();
}

// Binds the variable to the element and evaluates the body; costs what cel-go's loop costs.
Datum Evaluator::bind(const Expression& expression, const Datum& over, std::size_t at) {
  if (!scratch_.spend(2)) return Datum();
  slots_[expression.slot] = over.is_list() ? over.element(at) : over.key_at(at);
  return operand(expression, 1);
}

// all and exists: as && and || over the elements.
Datum Evaluator::quantified(const Expression& expression, bool deciding) {
  Datum failure;
  const Datum over = range(expression, failure);
  if (over.is_error()) return failure;
  bool failed = false;
  for (std::size_t i = 0; i < over.size; ++i) {
    const Datum value = bind(expression, over, i);
    if (scratch_.exhausted()) return Datum();
    if (value.kind == Kind::boolean) {
      if (value.boolean == deciding) return value;
      continue;
    }
    if (!failed) failure = value.is_error() ? value : Datum::error(no_such_overload);
    failed = true;
  }
  return failed ? failure : Datum::of(!deciding);
}

Datum Evaluator::exists_one(const Expression& expression) {
  Datum failure;
  const Datum over = range(expression, failure);
  if (over.is_error()) return failure;
  std::size_t found = 0;
  for (std::size_t i = 0; i < over.size; ++i) {
    const Datum value = bind(expression, over, i);
    if (value.is_error()) return value;
    if (value.kind != Kind::boolean) return Datum::error(no_such_overload);
    found += value.boolean ? 1 : 0;
  }
  return Datum::of(found == 1);
}

Datum Evaluator::filter(const Expression& expression) {
  Datum failure;
  const Datum over = range(expression, failure);
  if (over.is_error()) return failure;
  std::vector<Datum> kept;
  for (std::size_t i = 0; i < over.size; ++i) {
    const Datum value = bind(expression, over, i);
    if (value.is_error()) return value;
    if (value.kind != Kind::boolean) return Datum::error(no_such_overload);
    if (value.boolean) kept.push_back(over.is_list() ? over.element(i) : over.key_at(i));
  }
  return scratch_.list(kept);
}

Datum Evaluator::transform(const Expression& expression) {
  Datum failure;
  const Datum over = range(expression, failure);
  if (over.is_error()) return failure;
  const bool has_condition = expression.child_count == 3;
  std::vector<Datum> made;
  for (std::size_t i = 0; i < over.size; ++i) {
    Datum value = bind(expression, over, i);
    if (value.is_error()) return value;
    if (has_condition) {
      if (value.kind != Kind::boolean) return Datum::error(no_such_overload);
      if (!value.boolean) continue;
      value = operand(expression, 2);
      if (value.is_error()) return value;
    }
    made.push_back(value);
  }
  return scratch_.list(made);
}

}  // namespace

Datum evaluate(const Program& program, std::span<const View> variables, Scratch& scratch) {
  Evaluator evaluator(program, variables, scratch);
  return evaluator.evaluate(program.expressions[program.root]);
}

}  // namespace muster::objects::cel
