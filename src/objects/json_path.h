// JsonPath: kubectl's templates (`-o jsonpath=…`), its relaxed paths (custom columns, sort-by)
// and the printer columns of CRDs. Compiled once, evaluated many times, from any thread.
//
//   auto path = TRY(JsonPath::parse("{range .items[*]}{.metadata.name}{'\n'}{end}"));
//   std::string text = TRY(path.print(list));
//   auto ready = TRY(JsonPath::parse_column(".status.conditions[?(@.type=='Ready')].status"));
//   std::vector<View> found = TRY(ready.find(pod));
//
// Assumes: client-go's reading of JSONPath: `$` and `@` are the current value, members of a
// wildcard come in the object's order. Errors have code bad_request and client-go's sentences;
// beyond the limits of objects/limits.h it is too_large. Views that are found point into the
// object or into this path.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/value.h"

namespace muster::objects {

enum class MissingKeys : std::uint8_t {
  refuse,  // `name is not found`
  allow,   // nothing is found there; kubectl get and printer columns do so
};

namespace json_path {
struct Template;
}

class JsonPath {
 public:
  // A template: text with actions in braces.
  static Result<JsonPath> parse(std::string_view text, MissingKeys missing = MissingKeys::refuse);

  // One path, with or without its braces and its leading dot: `.a.b`, `a.b`, `{.a.b}`.
  static Result<JsonPath> parse_relaxed(std::string_view text,
                                        MissingKeys missing = MissingKeys::refuse);

  // The jsonPath of a printer column: the inside of one action. Missing keys are allowed.
  static Result<JsonPath> parse_column(std::string_view text);

  // What all actions and texts yield, in order.
  Result<std::vector<View>> find(View root) const;

  // As kubectl prints: the results of one action with blanks between them, objects and arrays as
  // JSON.
  Result<std::string> print(View root) const;

 private:
  explicit JsonPath(std::shared_ptr<const json_path::Template> compiled)
      : compiled_(std::move(compiled)) {}

  std::shared_ptr<const json_path::Template> compiled_;
};

}  // namespace muster::objects
