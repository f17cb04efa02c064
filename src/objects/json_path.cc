// SPDX-License-Identifier: Apache-2.0
#include "objects/json_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>

#include "objects/field_error.h"
#include "objects/go_number.h"
#include "objects/json_path_syntax.h"
#include "objects/limits.h"

namespace muster::objects {

namespace {

using json_path::Bound;
using json_path::Part;
using json_path::Steps;
using json_path::Template;

using Views = std::vector<View>;

bool is_nil(View view) {
  return view.is_absent() || view.is_null();
}

bool is_basic(View view) {
  return !is_nil(view) && !view.is_array() && !view.is_object();
}

// The type as Go prints it.
std::string_view go_type(View view) {
  switch (view.type()) {
    case Type::boolean:
      return "bool";
    case Type::integer:
      return "int64";
    case Type::real:
      return "float64";
    case Type::string:
      return "string";
    case Type::array:
      return "[]interface {}";
    case Type::object:
      return "map[string]interface {}";
    case Type::absent:
    case Type::null:
      break;
  }
  return "nil";
}

Error complaint(std::string sentence) {
  return Error::bad_request(std::move(sentence));
}

Result<std::partial_ordering> order_of(View a, View b, bool only_equality) {
  if (!is_basic(a) || !is_basic(b)) return complaint("invalid type for comparison");
  if (a.type() != b.type()) return complaint("incompatible types for comparison");
  if (a.is_boolean()) {
    if (!only_equality) return complaint("invalid type for comparison");
    return std::partial_ordering(*a.boolean() <=> *b.boolean());
  }
  if (a.is_string()) return std::partial_ordering(*a.string() <=> *b.string());
  if (a.is_integer()) return std::partial_ordering(*a.integer() <=> *b.integer());
  return *a.real() <=> *b.real();
}

Result<bool> compare(View a, std::string_view operation, View b) {
  constexpr std::string_view known[] = {"==", "!=", "<", "<=", ">", ">="};
  if (std::find(std::begin(known), std::end(known), operation) == std::end(known)) {
    return complaint(fmt::format("unrecognized filter operator {}", operation));
  }
  const bool only_equality = operation == "==" || operation == "!=";
  const std::partial_ordering order = TRY(order_of(a, b, only_equality));
  if (operation == "==") return order == 0;
  if (operation == "!=") return order != 0;
  if (operation == "<") return order < 0;
  if (operation == "<=") return order <= 0;
  if (operation == ">") return order > 0;
  return order >= 0;
}

void append_printed(View view, std::string& out) {
  if (view.is_string()) {
    out += view.string_or("");
  } else if (view.is_real()) {
    append_go_real(*view.real(), out);
  } else {
    out += is_nil(view) ? "null" : go_printed(view);
  }
}

// In a complaint: a scalar itself, of the rest its type.
std::string shown(View view) {
  if (!is_basic(view)) return std::string(go_type(view));
  std::string out;
  append_printed(view, out);
  return out;
}

// One evaluation. `groups` receives the results of each action or text.
class Walk {
 public:
  Walk(const Template& compiled, std::vector<Views>& groups)
      : compiled_(compiled), groups_(groups) {}

  Result<> parts(const std::vector<Part>& parts, View current, bool discard);

 private:
  Result<> range(const Part& part, View current, bool discard);
  Result<Views> steps(const Steps& steps, Views current);
  Result<Views> step(const json_path::Step& step, const Views& current);
  Result<Views> field(const json_path::Step& step, const Views& current);
  Result<Views> wildcard(const Views& current);
  Result<Views> slice(const json_path::Step& step, const Views& current);
  Result<Views> choice(const json_path::Step& step, const Views& current);
  Result<Views> filter(const json_path::Step& step, const Views& current);
  Result<bool> passes(const json_path::Step& step, View element);
  Result<> descend(View current, Views& found);
  Result<> slice_one(std::array<Bound, 3> bounds, View array, Views& found);

  Result<> add(Views& found, View view) {
    TRY(visit());
    if (found.size() == json_path_results_max) {
      return Error::too_large(fmt::format("a path finds at most {} values", json_path_results_max));
    }
    found.push_back(view);
    return {};
  }
  Result<> visit() {
    if (++visits_ <= json_path_visits_max) return {};
    return Error::too_large(fmt::format("a path looks at most at {} values", json_path_visits_max));
  }

  const Template& compiled_;
  std::vector<Views>& groups_;
  std::size_t visits_ = 0;
};

Result<> Walk::parts(const std::vector<Part>& parts, View current, bool discard) {
  for (const Part& part : parts) {
    TRY(visit());
    Views found;
    switch (part.kind) {
      case Part::Kind::text:
        found.push_back(View(&part.text));
        break;
      case Part::Kind::action:
        found = TRY(steps(part.steps, {current}));
        break;
      case Part::Kind::range:
        TRY(range(part, current, discard));
        continue;
    }
    if (!discard) groups_.push_back(std::move(found));
  }
  return {};
}

// The body once for each value. Over nothing it still runs once, for the errors in it, as in
// client-go.
Result<> Walk::range(const Part& part, View current, bool discard) {
  const Views values = TRY(steps(part.steps, {current}));
  if (values.empty()) return parts(part.body, View(), true);
  for (const View value : values) TRY(parts(part.body, value, discard));
  return {};
}

Result<Views> Walk::steps(const Steps& steps, Views current) {
  for (const json_path::Step& each : steps) current = TRY(step(each, current));
  return current;
}

Result<Views> Walk::step(const json_path::Step& step, const Views& current) {
  switch (step.kind) {
    case json_path::Step::Kind::field:
      return field(step, current);
    case json_path::Step::Kind::wildcard:
      return wildcard(current);
    case json_path::Step::Kind::slice:
      return slice(step, current);
    case json_path::Step::Kind::choice:
      return choice(step, current);
    case json_path::Step::Kind::filter:
      return filter(step, current);
    case json_path::Step::Kind::identifier:
      return complaint(fmt::format("unrecognized identifier {}", step.name));
    case json_path::Step::Kind::descend: {
      Views found;
      for (const View view : current) TRY(descend(view, found));
      return found;
    }
    case json_path::Step::Kind::literal: {
      // A text stands for itself, a number or boolean once for each value.
      const bool is_text = step.literal.type == Type::string;
      return Views(is_text ? 1 : current.size(), View(&step.literal));
    }
  }
  return Views();
}

Result<Views> Walk::field(const json_path::Step& step, const Views& current) {
  Views found;
  for (const View view : current) {
    TRY(visit());
    const View value = view[step.name];
    if (value) TRY(add(found, value));
  }
  if (found.empty() && !current.empty() && compiled_.missing == MissingKeys::refuse) {
    return complaint(fmt::format("{} is not found", step.name));
  }
  return found;
}

Result<Views> Walk::wildcard(const Views& current) {
  Views found;
  for (const View view : current) {
    for (const MemberView member : view.members()) TRY(add(found, member.value));
    for (const View element : view.elements()) TRY(add(found, element));
  }
  return found;
}

// Everything below that is not empty, the value itself first. Numbers and booleans hold nothing.
Result<> Walk::descend(View current, Views& found) {
  if (current.is_string() && !current.string_or("").empty()) return add(found, current);
  if (current.empty()) return {};
  TRY(add(found, current));
  for (const MemberView member : current.members()) TRY(descend(member.value, found));
  for (const View element : current.elements()) TRY(descend(element, found));
  return {};
}

Result<Views> Walk::slice(const json_path::Step& step, const Views& current) {
  Views found;
  for (const View view : current) {
    TRY(visit());
    if (is_nil(view)) continue;
    if (!view.is_array()) {
      return complaint(fmt::format("{} is not array or slice", go_type(view)));
    }
    TRY(slice_one(step.bounds, view, found));
  }
  return found;
}

Result<> Walk::slice_one(std::array<Bound, 3> bounds, View array, Views& found) {
  const auto length = static_cast<std::int64_t>(array.size());
  std::int64_t from = bounds[0].value;
  std::int64_t to = bounds[1].known ? bounds[1].value : length;
  if (from < 0) from += length;
  if (to < 0 || (to == 0 && bounds[1].derived)) to += length;
  if (from == to) return {};
  const auto outside = [length](std::int64_t index) {
    return complaint(fmt::format("array index out of bounds: index {}, length {}", index, length));
  };
  if (from < 0 || from >= length) return outside(from);
  if (to < 0 || to > length) return outside(to - 1);
  if (from > to) {
    return complaint(fmt::format("starting index {} is greater than ending index {}", from, to));
  }
  const std::int64_t step = bounds[2].known ? bounds[2].value : 1;
  if (step <= 0) return complaint("step must be > 0");
  for (std::int64_t i = from; i < to; i += step) {
    TRY(add(found, array[static_cast<std::size_t>(i)]));
  }
  return {};
}

Result<Views> Walk::choice(const json_path::Step& step, const Views& current) {
  Views found;
  for (const Steps& branch : step.branches) {
    for (const View view : TRY(steps(branch, current))) TRY(add(found, view));
  }
  return found;
}

Result<Views> Walk::filter(const json_path::Step& step, const Views& current) {
  Views found;
  for (const View view : current) {
    if (!view.is_array()) {
      return complaint(fmt::format("{} is not array or slice and cannot be filtered", shown(view)));
    }
    for (const View element : view.elements()) {
      TRY(visit());
      if (TRY(passes(step, element))) TRY(add(found, element));
    }
  }
  return found;
}

Result<bool> Walk::passes(const json_path::Step& step, View element) {
  auto left = steps(step.branches[0], {element});
  if (step.branches.size() == 1) {
    // Whether there is anything. An error is a no, unless the evaluation itself must end.
    if (!left.has_value() && left.error().code == ErrorCode::too_large) {
      return std::move(left).error();
    }
    return left.has_value() && !left->empty();
  }
  if (!left.has_value()) return std::move(left).error();
  if (left->empty()) return false;
  if (left->size() > 1) return complaint("can only compare one element at a time");
  const Views right = TRY(steps(step.branches[1], {element}));
  if (right.empty()) return false;
  if (right.size() > 1) return complaint("can only compare one element at a time");
  return compare(left->front(), step.name, right.front());
}

Result<std::shared_ptr<const Template>> compile(std::string_view text, MissingKeys missing) {
  auto compiled = std::make_shared<Template>();
  compiled->missing = missing;
  TRY(json_path::parse(text, *compiled));
  return std::shared_ptr<const Template>(std::move(compiled));
}

}  // namespace

Result<JsonPath> JsonPath::parse(std::string_view text, MissingKeys missing) {
  return JsonPath(TRY(compile(text, missing)));
}

Result<JsonPath> JsonPath::parse_relaxed(std::string_view text, MissingKeys missing) {
  std::string_view inside = text;
  if (inside.size() > 2 && inside.starts_with('{') && inside.ends_with('}')) {
    inside = inside.substr(1, inside.size() - 2);
  }
  if (inside.size() > 1 && inside.starts_with('.')) inside.remove_prefix(1);
  if (inside.empty() || inside.find_first_of("{}") != std::string_view::npos) {
    return complaint(
        "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or "
        "'{.name1.name2}'");
  }
  return parse(fmt::format("{{.{}}}", inside), missing);
}

Result<JsonPath> JsonPath::parse_column(std::string_view text) {
  return parse(fmt::format("{{{}}}", text), MissingKeys::allow);
}

Result<std::vector<View>> JsonPath::find(View root) const {
  std::vector<Views> groups;
  TRY(Walk(*compiled_, groups).parts(compiled_->parts, root, false));
  Views found;
  for (const Views& group : groups) found.insert(found.end(), group.begin(), group.end());
  return found;
}

Result<std::string> JsonPath::print(View root) const {
  std::vector<Views> groups;
  TRY(Walk(*compiled_, groups).parts(compiled_->parts, root, false));
  std::string out;
  for (const Views& group : groups) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (i > 0) out.push_back(' ');
      append_printed(group[i], out);
    }
  }
  return out;
}

}  // namespace muster::objects
