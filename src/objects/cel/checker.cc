// SPDX-License-Identifier: Apache-2.0
#include "objects/cel/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "base/timestamp.h"
#include "objects/cel/functions.h"
#include "objects/cel/lexer.h"
#include "objects/cel/operand_kinds.h"
#include "objects/cel/schema_type.h"
#include "objects/limits.h"

namespace muster::objects::cel {

namespace {

std::string type_name(const Expression& expression) {
  const std::string_view element = kind_name(expression.element);
  if (expression.kind == Kind::list) return fmt::format("list({})", element);
  if (expression.kind == Kind::map) {
    return fmt::format("map({}, {})", kind_name(expression.key), element);
  }
  return std::string(kind_name(expression.kind));
}

struct Mistake {
  std::size_t offset;
  std::string sentence;
};

struct Variable {
  std::string_view name;
  TypeOfSchema type = {};
};

class Checker {
 public:
  Checker(Program& program, std::span<const View> schemas)
      : program_(program), schemas_(program.expressions.size()) {
    for (std::size_t i = 0; i < program.variables.size(); ++i) {
      scope_.push_back(
          {program.variables[i], type_of_schema(i < schemas.size() ? schemas[i] : View())});
    }
  }

  Result<> run() {
    program_.mentioned.assign(scope_.size(), false);
    program_.slot_count = static_cast<std::uint16_t>(scope_.size());
    visit(program_.root);
    // What literals say is looked at when all types are right.
    std::vector<Mistake>& told = mistakes_.empty() ? mistaken_literals_ : mistakes_;
    if (told.empty()) return {};
    return Error::invalid(text_of(told));
  }

 private:
  void visit(NodeId id);
  void visit_children(const Expression& expression);
  void identifier(Expression& expression);
  void select(Expression& expression);
  void index(Expression& expression);
  void call(Expression& expression);
  void pattern(Expression& expression);
  void literal_time(const Expression& expression);
  void macro(Expression& expression);
  void logical(Expression& expression);
  void binary(Expression& expression);
  void unary(Expression& expression);
  void conditional(Expression& expression);
  Kind common_kind(const Expression& expression, std::size_t first, std::size_t step);
  void fold_list(Expression& expression);

  bool elements_differ(const Expression& expression) const;
  std::vector<Kind> kinds(const Expression& expression) const;
  void complain(std::size_t offset, std::string sentence) {
    mistakes_.push_back({offset, std::move(sentence)});
  }
  void complain_of_literal(std::size_t offset, std::string sentence) {
    mistaken_literals_.push_back({offset, std::move(sentence)});
  }
  void undeclared(const Expression& expression) {
    complain(expression.offset,
             fmt::format("undeclared reference to '{}' (in container '')", expression.name));
  }
  void no_overload(const Expression& expression);
  std::string text_of(std::vector<Mistake>& mistakes) const;
  std::optional<std::uint16_t> slot_of(std::string_view name) const;

  // Of expressions whose schema is known.
  View& schema_of(const Expression& expression) {
    return schemas_[static_cast<std::size_t>(&expression - program_.expressions.data())];
  }
  void adopt(Expression& expression, const TypeOfSchema& type) {
    expression.kind = type.kind;
    expression.key = type.key;
    expression.element = type.element;
    schema_of(expression) = type.schema;
  }
  void select_field(Expression& expression, View schema);

  Program& program_;
  std::vector<View> schemas_;  // by expression
  std::vector<Variable> scope_;
  std::vector<Mistake> mistakes_;
  std::vector<Mistake> mistaken_literals_;
};

std::string Checker::text_of(std::vector<Mistake>& mistakes) const {
  std::stable_sort(mistakes.begin(), mistakes.end(),
                   [](const Mistake& a, const Mistake& b) { return a.offset < b.offset; });
  std::string text;
  std::size_t told = 0;
  for (const Mistake& each : mistakes) {
    if (told == cel_mistakes_told_max || text.size() > cel_mistakes_bytes_max) {
      return fmt::format("{}\n{} more errors were truncated", text, mistakes.size() - told);
    }
    if (told++ > 0) text += '\n';
    text += located(program_.source, each.offset, each.sentence);
  }
  return text;
}

std::vector<Kind> Checker::kinds(const Expression& expression) const {
  std::vector<Kind> result;
  for (std::size_t i = 0; i < expression.child_count; ++i) {
    result.push_back(program_.child(expression, i).kind);
  }
  return result;
}

// Whether the operands are two lists or two maps of different things.
bool Checker::elements_differ(const Expression& expression) const {
  const Expression& a = program_.child(expression, 0);
  const Expression& b = program_.child(expression, 1);
  const auto differ = [](Kind x, Kind y) { return is_known(x) && is_known(y) && x != y; };
  return differ(a.key, b.key) || differ(a.element, b.element);
}

void Checker::no_overload(const Expression& expression) {
  const bool is_call = expression.operation == Operation::call;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < expression.child_count; ++i) {
    names.push_back(type_name(program_.child(expression, i)));
  }
  std::string receiver;
  if (is_call && expression.member) {
    receiver = fmt::format("{}.", names.front());
    names.erase(names.begin());
  }
  complain(expression.offset,
           fmt::format("found no matching overload for '{}' applied to '{}({})'",
                       is_call ? expression.name : operator_name(expression.operation), receiver,
                       fmt::join(names, ", ")));
}

std::optional<std::uint16_t> Checker::slot_of(std::string_view name) const {
  const auto found = std::find_if(scope_.rbegin(), scope_.rend(),
                                  [name](const Variable& each) { return each.name == name; });
  if (found == scope_.rend()) return std::nullopt;
  return static_cast<std::uint16_t>(scope_.rend() - found - 1);
}

void Checker::visit_children(const Expression& expression) {
  for (std::size_t i = 0; i < expression.child_count; ++i) {
    visit(program_.children[expression.first_child + i]);
  }
}

void Checker::visit(NodeId id) {
  Expression& expression = program_.expressions[id];
  switch (expression.operation) {
    case Operation::literal:
      return;
    case Operation::identifier:
      return identifier(expression);
    case Operation::call:
      return call(expression);
    case Operation::all:
    case Operation::exists:
    case Operation::exists_one:
    case Operation::filter:
    case Operation::transform:
      return macro(expression);
    default:
      break;
  }
  visit_children(expression);
  switch (expression.operation) {
    case Operation::select:
    case Operation::presence:
      return select(expression);
    case Operation::index:
      return index(expression);
    case Operation::list:
      expression.kind = Kind::list;
      expression.element = common_kind(expression, 0, 1);
      fold_list(expression);
      return;
    case Operation::map:
      expression.kind = Kind::map;
      expression.key = common_kind(expression, 0, 2);
      expression.element = common_kind(expression, 1, 2);
      return;
    case Operation::conditional:
      return conditional(expression);
    case Operation::logical_and:
    case Operation::logical_or:
      return logical(expression);
    case Operation::logical_not:
    case Operation::negate:
      return unary(expression);
    default:
      return binary(expression);
  }
}

void Checker::identifier(Expression& expression) {
  if (const auto slot = slot_of(expression.name); slot.has_value()) {
    expression.slot = *slot;
    adopt(expression, scope_[*slot].type);
    if (*slot < program_.mentioned.size()) program_.mentioned[*slot] = true;
    return;
  }
  const std::optional<Kind> type = named_type(expression.name);
  if (!type.has_value()) return undeclared(expression);
  expression.operation = Operation::literal;
  expression.kind = Kind::type;
  expression.datum = Datum::type_value(*type);
}

// Of an object with named fields there are no others.
void Checker::select_field(Expression& expression, View schema) {
  const std::string_view name =
      expression.unescaped.empty() ? expression.name : expression.unescaped;
  View field = schema["properties"][name];
  // A resource has these whether or not its schema says so.
  const bool is_resource = schema["x-kubernetes-embedded-resource"].boolean_or(false);
  if (is_resource && (name == "metadata" || name == "kind" || name == "apiVersion")) {
    field = resource_field(name);
  }
  if (!field) {
    return complain(expression.offset, fmt::format("undefined field '{}'", expression.name));
  }
  if (expression.operation == Operation::presence) {
    expression.kind = Kind::boolean;
  } else {
    adopt(expression, type_of_schema(field));
  }
}

void Checker::select(Expression& expression) {
  const Kind operand = program_.child(expression, 0).kind;
  const View schema = schema_of(program_.child(expression, 0));
  if (schema && operand == Kind::dynamic) return select_field(expression, schema);
  if (is_known(operand) && operand != Kind::map) {
    return complain(expression.offset,
                    fmt::format("type '{}' does not support field selection", kind_name(operand)));
  }
  if (expression.operation == Operation::presence) {
    expression.kind = Kind::boolean;
  } else if (const View below = schema["additionalProperties"]) {
    adopt(expression, type_of_schema(below));
  } else {
    expression.kind = program_.child(expression, 0).element;
  }
}

void Checker::index(Expression& expression) {
  const Kind operand = program_.child(expression, 0).kind;
  const Kind key = program_.child(expression, 1).kind;
  const Kind wanted = operand == Kind::list ? Kind::integer : program_.child(expression, 0).key;
  const bool is_collection = !is_known(operand) || operand == Kind::map || operand == Kind::list;
  if (!is_collection || (is_known(key) && is_known(wanted) && key != wanted)) {
    return no_overload(expression);
  }
  const View schema = schema_of(program_.child(expression, 0));
  const View below = schema[operand == Kind::list ? "items" : "additionalProperties"];
  if (below.is_object()) {
    adopt(expression, type_of_schema(below));
  } else {
    expression.kind = program_.child(expression, 0).element;
  }
}

void Checker::call(Expression& expression) {
  // `sets.contains(a, b)` reads like a method of a variable that does not exist.
  if (expression.member) {
    const Expression& receiver = program_.child(expression, 0);
    if (receiver.operation == Operation::identifier && !slot_of(receiver.name).has_value()) {
      std::string qualified = fmt::format("{}.{}", receiver.name, expression.name);
      if (!find_functions(qualified, false).empty()) {
        expression.name = program_.texts.emplace_back(std::move(qualified));
        expression.member = false;
        ++expression.first_child;
        --expression.child_count;
      }
    }
  }
  const auto overloads = find_functions(expression.name, expression.member);
  if (overloads.empty()) {
    visit_children(expression);
    return undeclared(expression);
  }
  visit_children(expression);
  const std::vector<Kind> given = kinds(expression);
  bool is_first = true;
  for (const Function& overload : overloads) {
    if (!overload.takes(given)) continue;
    // The result is known where all overloads that remain agree on it.
    const bool agrees = is_first || expression.kind == overload.result;
    expression.kind = agrees ? overload.result : Kind::dynamic;
    is_first = false;
  }
  if (is_first) return no_overload(expression);
  expression.overloads = overloads.data();
  expression.overload_count = static_cast<std::uint16_t>(overloads.size());
  literal_time(expression);
  if (overloads.front().takes_pattern) pattern(expression);
}

void Checker::pattern(Expression& expression) {
  const Expression& argument = program_.child(expression, 1);
  if (argument.operation != Operation::literal) return;
  auto compiled = compile_pattern(argument.datum.string());
  if (!compiled->ok()) {
    return complain_of_literal(argument.offset,
                               fmt::format("invalid {} argument", expression.name));
  }
  expression.pattern = program_.patterns.emplace_back(std::move(compiled)).get();
}

// duration('…') and timestamp('…') of a literal that is none can never be right.
void Checker::literal_time(const Expression& expression) {
  const bool is_duration = expression.name == "duration";
  if (!is_duration && expression.name != "timestamp") return;
  const Expression& argument = program_.child(expression, 0);
  if (argument.operation != Operation::literal || argument.kind != Kind::text) return;
  const std::string_view text = argument.datum.string();
  const bool fits = is_duration ? parse_duration(text).has_value() : parse_time(text).has_value();
  if (fits) return;
  complain_of_literal(argument.offset, fmt::format("invalid {} argument", expression.name));
}

void Checker::macro(Expression& expression) {
  visit(program_.children[expression.first_child]);
  const Kind range = program_.child(expression, 0).kind;
  if (is_known(range) && range != Kind::list && range != Kind::map) {
    complain(program_.child(expression, 0).offset,
             fmt::format("expression of type '{}' cannot be range of a comprehension "
                         "(must be list, map, or dynamic)",
                         kind_name(range)));
  }
  expression.slot = static_cast<std::uint16_t>(scope_.size());
  const Expression& over = program_.child(expression, 0);
  scope_.push_back({expression.name, {.kind = range == Kind::map ? over.key : over.element}});
  if (const View items = schema_of(over)["items"]; range == Kind::list && items) {
    scope_.back().type = type_of_schema(items);
  }
  program_.slot_count = std::max(program_.slot_count, static_cast<std::uint16_t>(scope_.size()));
  for (std::size_t i = 1; i < expression.child_count; ++i) {
    visit(program_.children[expression.first_child + i]);
  }
  scope_.pop_back();
  const bool is_transform = expression.operation == Operation::transform;
  const Expression& body = program_.child(expression, 1);
  const bool needs_boolean = !is_transform || expression.child_count == 3;
  if (needs_boolean && is_known(body.kind) && body.kind != Kind::boolean) {
    return complain(body.offset,
                    fmt::format("expected type 'bool' but found '{}'", kind_name(body.kind)));
  }
  const bool makes_list = is_transform || expression.operation == Operation::filter;
  expression.kind = makes_list ? Kind::list : Kind::boolean;
  if (expression.operation == Operation::filter && range == Kind::list) {
    const View list = schema_of(over);
    if (list) adopt(expression, type_of_schema(list));
  }
}

void Checker::logical(Expression& expression) {
  bool all_fit = true;
  for (std::size_t i = 0; i < expression.child_count; ++i) {
    const Expression& operand = program_.child(expression, i);
    if (is_known(operand.kind) && operand.kind != Kind::boolean) {
      complain(operand.offset,
               fmt::format("expected type 'bool' but found '{}'", kind_name(operand.kind)));
      all_fit = false;
    }
  }
  if (all_fit) expression.kind = Kind::boolean;
}

void Checker::unary(Expression& expression) {
  const Kind operand = program_.child(expression, 0).kind;
  const bool is_not = expression.operation == Operation::logical_not;
  const bool fits = !is_known(operand) || (is_not ? operand == Kind::boolean : is_number(operand));
  if (!fits) return no_overload(expression);
  expression.kind = is_not ? Kind::boolean : operand;
}

void Checker::binary(Expression& expression) {
  const Kind a = program_.child(expression, 0).kind;
  const Kind b = program_.child(expression, 1).kind;
  const bool both_known = is_known(a) && is_known(b);
  switch (expression.operation) {
    case Operation::equal:
    case Operation::not_equal:
      if (both_known && (a != b || elements_differ(expression))) return no_overload(expression);
      break;
    case Operation::less:
    case Operation::less_equal:
    case Operation::greater:
    case Operation::greater_equal:
      if (!may_be_ordered(a, b)) return no_overload(expression);
      break;
    case Operation::contained: {
      const Expression& haystack = program_.child(expression, 1);
      const Kind held = b == Kind::map ? haystack.key : haystack.element;
      if (is_known(b) && b != Kind::list && b != Kind::map) return no_overload(expression);
      if (is_known(a) && is_known(held) && a != held) return no_overload(expression);
      break;
    }
    default: {
      if (!is_known(a) && !is_known(b)) return;
      const std::optional<Kind> kind = arithmetic(expression.operation, a, b);
      if (!kind.has_value() || elements_differ(expression)) return no_overload(expression);
      expression.kind = *kind;
      return;
    }
  }
  expression.kind = Kind::boolean;
}

void Checker::conditional(Expression& expression) {
  const Kind condition = program_.child(expression, 0).kind;
  const Kind then = program_.child(expression, 1).kind;
  const Kind otherwise = program_.child(expression, 2).kind;
  const bool branches_differ = is_known(then) && is_known(otherwise) && then != otherwise;
  if ((is_known(condition) && condition != Kind::boolean) || branches_differ) {
    return no_overload(expression);
  }
  if (then == otherwise) expression.kind = then;
}

// Literal lists and maps hold one kind only; `dyn()` says that more is meant.
Kind Checker::common_kind(const Expression& expression, std::size_t first, std::size_t step) {
  Kind common = Kind::dynamic;
  for (std::size_t i = first; i < expression.child_count; i += step) {
    const Expression& item = program_.child(expression, i);
    if (!is_known(item.kind)) return Kind::dynamic;
    if (i != first && item.kind != common) {
      complain_of_literal(item.offset, fmt::format("expected type '{}' but found '{}'",
                                                   kind_name(common), type_name(item)));
      return Kind::dynamic;
    }
    common = item.kind;
  }
  return common;
}

// A list of literals is one literal: `in ['a', 'b']` builds nothing when it is evaluated.
void Checker::fold_list(Expression& expression) {
  std::vector<Datum> items;
  for (std::size_t i = 0; i < expression.child_count; ++i) {
    const Expression& item = program_.child(expression, i);
    if (item.operation != Operation::literal) return;
    items.push_back(item.datum);
  }
  const std::vector<Datum>& kept = program_.literal_lists.emplace_back(std::move(items));
  expression.operation = Operation::literal;
  expression.datum = Datum::list(kept.data(), kept.size());
}

}  // namespace

Result<> check(Program& program, std::span<const View> schemas) {
  return Checker(program, schemas).run();
}

}  // namespace muster::objects::cel
