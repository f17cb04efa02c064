// SPDX-License-Identifier: Apache-2.0
#include "objects/cel/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "objects/cel/lexer.h"
#include "objects/limits.h"

namespace muster::objects::cel {

namespace {

struct Operator {
  std::string_view text;
  Operation operation;
};

constexpr std::array<Operator, 7> relations = {{{"==", Operation::equal},
                                                {"!=", Operation::not_equal},
                                                {"<", Operation::less},
                                                {"<=", Operation::less_equal},
                                                {">", Operation::greater},
                                                {">=", Operation::greater_equal},
                                                {"in", Operation::contained}}};
constexpr std::array<Operator, 2> sums = {{{"+", Operation::add}, {"-", Operation::subtract}}};
constexpr std::array<Operator, 3> products = {
    {{"*", Operation::multiply}, {"/", Operation::divide}, {"%", Operation::modulo}}};
constexpr std::array<Operator, 5> macros = {{{"all", Operation::all},
                                             {"exists", Operation::exists},
                                             {"exists_one", Operation::exists_one},
                                             {"filter", Operation::filter},
                                             {"map", Operation::transform}}};

const Operator* find(std::span<const Operator> operators, std::string_view text) {
  const auto found = std::find_if(operators.begin(), operators.end(),
                                  [text](const Operator& each) { return each.text == text; });
  return found == operators.end() ? nullptr : &*found;
}

class Parser {
 public:
  explicit Parser(Program& program) : program_(program), lexer_(program.source) { advance(); }

  Result<> run() {
    program_.root = TRY(conditional());
    if (token_.kind != TokenKind::end) {
      return unexpected("extraneous input", "expecting <EOF>");
    }
    return {};
  }

 private:
  // Counts the recursion of one parsing function.
  class Nesting {
   public:
    explicit Nesting(std::size_t& depth) : depth_(depth) { ++depth_; }
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    std::size_t& depth_;
  };

  Result<NodeId> conditional();
  Result<NodeId> chain(std::string_view text, Operation operation);
  Result<NodeId> conjunction() { return chain("&&", Operation::logical_and); }
  Result<NodeId> disjunction() { return chain("||", Operation::logical_or); }
  Result<NodeId> relation() { return binary(relations, &Parser::sum); }
  Result<NodeId> sum() { return binary(sums, &Parser::product); }
  Result<NodeId> product() { return binary(products, &Parser::unary); }
  Result<NodeId> binary(std::span<const Operator> operators, Result<NodeId> (Parser::*operand)());
  Result<NodeId> unary();
  Result<NodeId> postfix(NodeId operand);
  Result<NodeId> selection(NodeId operand);
  Result<NodeId> index(NodeId operand);
  Result<NodeId> primary();
  Result<NodeId> name();
  Result<NodeId> list_literal();
  Result<NodeId> map_literal();
  Result<NodeId> number(bool negative);
  Result<std::vector<NodeId>> arguments(std::string_view closing);
  Result<NodeId> call(std::string_view function, std::uint32_t offset, bool is_member,
                      std::vector<NodeId> operands);
  Result<NodeId> macro(Operation operation, std::uint32_t offset, std::vector<NodeId> operands);
  Result<NodeId> presence(const std::vector<NodeId>& operands, std::uint32_t offset);

  Result<NodeId> make(Expression expression, std::span<const NodeId> operands);
  Result<NodeId> literal(Datum datum, std::uint32_t offset) {
    Expression expression;
    expression.datum = datum;
    expression.kind = datum.kind;
    expression.offset = offset;
    return make(expression, {});
  }

  void advance() { token_ = lexer_.next(); }
  bool at(std::string_view text) const {
    return token_.kind == TokenKind::punctuation && token_.text == text;
  }
  bool accept(std::string_view text) {
    if (!at(text)) return false;
    advance();
    return true;
  }
  Result<> expect(std::string_view text) {
    if (accept(text)) return {};
    return unexpected("missing", fmt::format("'{}'", text));
  }
  std::string_view keep(std::string text) { return program_.texts.emplace_back(std::move(text)); }
  Error complaint(std::size_t offset, std::string_view sentence) const {
    return Error::invalid(located(program_.source, offset, sentence));
  }
  Error unexpected(std::string_view what, std::string_view wanted) const;
  Error too_deep() const {
    return Error::too_large(
        fmt::format("the expression is nested more than {} levels deep", cel_depth_max));
  }

  Program& program_;
  Lexer lexer_;
  Token token_;
  std::size_t depth_ = 0;
};

Error Parser::unexpected(std::string_view what, std::string_view wanted) const {
  if (token_.kind == TokenKind::invalid) return complaint(token_.offset, token_.value);
  const std::string_view shown = token_.kind == TokenKind::end ? "<EOF>" : token_.text;
  const std::string sentence = what == "missing"
                                   ? fmt::format("Syntax error: missing {} at '{}'", wanted, shown)
                                   : fmt::format("Syntax error: {} '{}' {}", what, shown, wanted);
  return complaint(token_.offset, sentence);
}

Result<NodeId> Parser::make(Expression expression, std::span<const NodeId> operands) {
  for (const NodeId operand : operands) {
    const auto above = static_cast<std::uint16_t>(program_.expressions[operand].height + 1);
    expression.height = std::max(expression.height, above);
  }
  if (expression.height > cel_depth_max) return too_deep();
  expression.first_child = static_cast<std::uint32_t>(program_.children.size());
  expression.child_count = static_cast<std::uint32_t>(operands.size());
  program_.children.insert(program_.children.end(), operands.begin(), operands.end());
  program_.expressions.push_back(expression);
  return static_cast<NodeId>(program_.expressions.size() - 1);
}

Result<NodeId> Parser::conditional() {
  const Nesting nesting(depth_);
  if (depth_ > cel_depth_max) return too_deep();
  const NodeId condition = TRY(disjunction());
  if (!at("?")) return condition;
  Expression expression;
  expression.operation = Operation::conditional;
  expression.offset = token_.offset;
  advance();
  const NodeId then = TRY(disjunction());
  TRY(expect(":"));
  const NodeId otherwise = TRY(conditional());
  return make(expression, std::array{condition, then, otherwise});
}

// One node for a whole chain of && or ||, so that long chains are not deep.
Result<NodeId> Parser::chain(std::string_view text, Operation operation) {
  const bool is_or = operation == Operation::logical_or;
  std::vector<NodeId> operands;
  operands.push_back(is_or ? TRY(conjunction()) : TRY(relation()));
  Expression expression;
  expression.operation = operation;
  expression.offset = token_.offset;
  while (accept(text)) operands.push_back(is_or ? TRY(conjunction()) : TRY(relation()));
  if (operands.size() == 1) return operands.front();
  return make(expression, operands);
}

Result<NodeId> Parser::binary(std::span<const Operator> operators,
                              Result<NodeId> (Parser::*operand)()) {
  NodeId left = TRY((this->*operand)());
  while (token_.kind == TokenKind::punctuation) {
    const Operator* found = find(operators, token_.text);
    if (found == nullptr) break;
    Expression expression;
    expression.operation = found->operation;
    expression.offset = token_.offset;
    advance();
    const NodeId right = TRY((this->*operand)());
    left = TRY(make(expression, std::array{left, right}));
  }
  return left;
}

Result<NodeId> Parser::unary() {
  const Nesting nesting(depth_);
  if (depth_ > cel_depth_max) return too_deep();
  if (!at("!") && !at("-")) return postfix(TRY(primary()));
  Expression expression;
  expression.operation = at("!") ? Operation::logical_not : Operation::negate;
  expression.offset = token_.offset;
  advance();
  const bool is_number = token_.kind == TokenKind::integer || token_.kind == TokenKind::real;
  if (expression.operation == Operation::negate && is_number) {
    return postfix(TRY(number(true)));
  }
  const NodeId operand = TRY(unary());
  return make(expression, std::array{operand});
}

Result<NodeId> Parser::postfix(NodeId operand) {
  while (true) {
    if (at(".")) {
      operand = TRY(selection(operand));
    } else if (at("[")) {
      operand = TRY(index(operand));
    } else {
      return operand;
    }
  }
}

Result<NodeId> Parser::index(NodeId operand) {
  Expression expression;
  expression.operation = Operation::index;
  expression.offset = token_.offset;
  advance();
  const NodeId key = TRY(conditional());
  TRY(expect("]"));
  return make(expression, std::array{operand, key});
}

Result<NodeId> Parser::selection(NodeId operand) {
  Expression expression;
  expression.operation = Operation::select;
  expression.offset = token_.offset;
  advance();
  if (token_.kind != TokenKind::identifier) {
    if (token_.kind == TokenKind::invalid) return complaint(token_.offset, token_.value);
    const std::string_view next = token_.kind == TokenKind::end ? std::string_view() : token_.text;
    return complaint(token_.offset, fmt::format("Syntax error: no viable alternative at input "
                                                "'.{}'",
                                                next));
  }
  expression.name = keep(token_.value);
  advance();
  if (at("(")) {
    const std::uint32_t offset = token_.offset;
    advance();
    std::vector<NodeId> operands = TRY(arguments(")"));
    operands.insert(operands.begin(), operand);
    return call(expression.name, offset, true, std::move(operands));
  }
  std::string plain = unescape_field(expression.name);
  if (plain != expression.name) expression.unescaped = keep(std::move(plain));
  return make(expression, std::array{operand});
}

Result<NodeId> Parser::primary() {
  const std::uint32_t offset = token_.offset;
  switch (token_.kind) {
    case TokenKind::integer:
    case TokenKind::real:
      return number(false);
    case TokenKind::text: {
      const std::string_view text = keep(std::move(token_.value));
      advance();
      return literal(Datum::of(text), offset);
    }
    case TokenKind::identifier:
      return name();
    case TokenKind::punctuation:
      if (at("[")) return list_literal();
      if (at("{")) return map_literal();
      if (accept("(")) {
        const NodeId inside = TRY(conditional());
        TRY(expect(")"));
        return inside;
      }
      if (accept(".") && token_.kind == TokenKind::identifier) return name();
      [[fallthrough]];
    case TokenKind::end:
    case TokenKind::invalid:
      break;
  }
  return unexpected("mismatched input",
                    "expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, "
                    "NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}");
}

Result<NodeId> Parser::name() {
  const std::uint32_t offset = token_.offset;
  const std::string_view text = keep(token_.value);
  advance();
  if (text == "true" || text == "false") return literal(Datum::of(text == "true"), offset);
  if (text == "null") return literal(Datum::null(), offset);
  if (is_reserved(text)) {
    return complaint(offset, fmt::format("reserved identifier: {}", text));
  }
  if (at("{")) return complaint(token_.offset, "message literals are not supported");
  if (at("(")) {
    const std::uint32_t open = token_.offset;
    advance();
    return call(text, open, false, TRY(arguments(")")));
  }
  Expression expression;
  expression.operation = Operation::identifier;
  expression.offset = offset;
  expression.name = text;
  return make(expression, {});
}

Result<NodeId> Parser::number(bool negative) {
  const std::uint32_t offset = token_.offset;
  const std::string_view digits = token_.text;
  if (token_.kind == TokenKind::real) {
    double value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (parsed.ec != std::errc()) return complaint(offset, "invalid double literal");
    advance();
    return literal(Datum::of(negative ? -value : value), offset);
  }
  const bool is_hexadecimal = digits.size() > 1 && (digits[1] == 'x' || digits[1] == 'X');
  std::string text(negative ? "-" : "");
  text += is_hexadecimal ? digits.substr(2) : digits;
  std::int64_t value = 0;
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), value, is_hexadecimal ? 16 : 10);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return complaint(offset, "invalid int literal");
  }
  advance();
  return literal(Datum::of(value), offset);
}

Result<NodeId> Parser::list_literal() {
  Expression expression;
  expression.operation = Operation::list;
  expression.offset = token_.offset;
  advance();
  return make(expression, TRY(arguments("]")));
}

Result<NodeId> Parser::map_literal() {
  Expression expression;
  expression.operation = Operation::map;
  expression.offset = token_.offset;
  advance();
  std::vector<NodeId> operands;
  while (!accept("}")) {
    operands.push_back(TRY(conditional()));
    TRY(expect(":"));
    operands.push_back(TRY(conditional()));
    if (!accept(",")) {
      TRY(expect("}"));
      break;
    }
  }
  return make(expression, operands);
}

// Expressions with commas between them, up to and including the closing bracket. As in cel-go a
// list may end with a comma, the arguments of a call may not.
Result<std::vector<NodeId>> Parser::arguments(std::string_view closing) {
  std::vector<NodeId> operands;
  if (accept(closing)) return operands;
  if (token_.kind == TokenKind::end && closing == ")") {
    return unexpected("mismatched input",
                      "expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', "
                      "NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}");
  }
  while (true) {
    operands.push_back(TRY(conditional()));
    if (accept(closing)) return operands;
    if (!accept(",")) return unexpected("missing", fmt::format("'{}'", closing));
    if (closing == "]" && accept(closing)) return operands;
  }
}

Result<NodeId> Parser::call(std::string_view function, std::uint32_t offset, bool is_member,
                            std::vector<NodeId> operands) {
  if (!is_member && function == "has" && operands.size() == 1) return presence(operands, offset);
  if (is_member && (operands.size() == 3 || (operands.size() == 4 && function == "map"))) {
    if (const Operator* found = find(macros, function); found != nullptr) {
      return macro(found->operation, offset, std::move(operands));
    }
  }
  Expression expression;
  expression.operation = Operation::call;
  expression.offset = offset;
  expression.name = function;
  expression.member = is_member;
  return make(expression, operands);
}

Result<NodeId> Parser::macro(Operation operation, std::uint32_t offset,
                             std::vector<NodeId> operands) {
  const Expression& variable = program_.expressions[operands[1]];
  if (variable.operation != Operation::identifier) {
    return complaint(variable.offset, "argument must be a simple name");
  }
  Expression expression;
  expression.operation = operation;
  expression.offset = offset;
  expression.name = variable.name;
  operands.erase(operands.begin() + 1);
  return make(expression, operands);
}

Result<NodeId> Parser::presence(const std::vector<NodeId>& operands, std::uint32_t offset) {
  const Expression& field = program_.expressions[operands[0]];
  if (field.operation != Operation::select) {
    return complaint(field.offset, "invalid argument to has() macro");
  }
  Expression expression;
  expression.operation = Operation::presence;
  expression.offset = offset;
  expression.name = field.name;
  expression.unescaped = field.unescaped;
  return make(expression, std::array{program_.children[field.first_child]});
}

}  // namespace

Result<> parse(Program& program) {
  return Parser(program).run();
}

}  // namespace muster::objects::cel
