// SPDX-License-Identifier: Apache-2.0
#include "cli/wait.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/os/detached_process.h"
#include "objects/json.h"
#include "objects/json_path.h"
#include "objects/metadata.h"

namespace muster::cli {

using objects::JsonPath;
using objects::Value;
using objects::View;

namespace {

constexpr Span look_every = Span::of_milliseconds(100);

Error wrong(std::string sentence) {
  return Error::bad_request("error: " + std::move(sentence));
}

// What is waited for, taken apart.
struct Wish {
  enum class Kind : std::uint8_t { condition, value, gone, there };
  Kind kind = Kind::there;
  std::string condition = {};
  std::optional<JsonPath> path = {};
  std::optional<std::string> value = {};  // none: any
};

bool same_word(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t at = 0; at < a.size(); ++at) {
    const auto low = [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    if (low(a[at]) != low(b[at])) return false;
  }
  return true;
}

Result<Wish> parse_wish(const std::string& text) {
  if (text == "delete") return Wish{.kind = Wish::Kind::gone};
  if (text == "create") return Wish{.kind = Wish::Kind::there};
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const std::string rest = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (name == "condition" && !rest.empty()) {
    const std::size_t value = rest.find('=');
    return Wish{.kind = Wish::Kind::condition,
                .condition = rest.substr(0, value),
                .value = value == std::string::npos ? "true" : rest.substr(value + 1)};
  }
  if (name == "jsonpath" && !rest.empty()) {
    const std::size_t end = rest.rfind('}');
    const std::string expression = end == std::string::npos ? rest : rest.substr(0, end + 1);
    auto path = JsonPath::parse_relaxed(expression, objects::MissingKeys::allow);
    if (!path) return wrong(path.error().message);
    Wish wish{.kind = Wish::Kind::value};
    wish.path = std::move(*path);
    if (end != std::string::npos && end + 1 < rest.size()) wish.value = rest.substr(end + 2);
    return wish;
  }
  return wrong(fmt::format("unrecognized condition: \"{}\"", text));
}

Result<bool> holds(const Wish& wish, View object) {
  if (wish.kind == Wish::Kind::there) return true;
  if (wish.kind == Wish::Kind::condition) {
    for (View each : object["status"]["conditions"].elements()) {
      if (!same_word(each["type"].string_or(""), wish.condition)) continue;
      return same_word(each["status"].string_or(""), *wish.value);
    }
    return false;
  }
  const auto found = TRY(wish.path->find(object));
  if (found.empty()) return false;
  if (!wish.value) return true;
  const View first = found.front();
  return (first.is_string() ? std::string(first.string_or("")) : objects::to_json(first)) ==
         *wish.value;
}

Result<bool> is_granted(ObjectSession& session, const Wish& wish, const Target& target) {
  const auto object = session.ask_value({.target = session.object_path(target)});
  const bool is_absent = !object && object.error().code == ErrorCode::not_found;
  if (wish.kind == Wish::Kind::gone && is_absent) return true;
  if (wish.kind == Wish::Kind::there && is_absent) return false;
  if (!object) return object.error();
  if (wish.kind == Wish::Kind::gone) return false;
  return holds(wish, *object);
}

}  // namespace

Result<> wait(ObjectSession& session, const WaitOptions& options) {
  const Wish wish = TRY(parse_wish(options.what));
  const std::vector<Target> meant = TRY(session.targets(session.options().words));
  const std::vector<Target> targets = TRY(session.resolved(meant));
  if (targets.empty()) return wrong("no matching resources found");
  Span waited;
  for (const Target& target : targets) {
    while (!TRY(is_granted(session, wish, target))) {
      if (waited >= options.patience) {
        return wrong(fmt::format("timed out waiting for the condition on {}/{}",
                                 target.kind.qualified_plural(), target.name));
      }
      pause_thread(look_every);
      waited = waited + look_every;
    }
    session.out(fmt::format("{}/{} condition met\n", target.kind.qualified(), target.name));
  }
  return {};
}

}  // namespace muster::cli
