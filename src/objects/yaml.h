// YAML text in and out, the way kubectl treats it: YAML 1.1 scalars (y, yes and on are true, 0644
// is octal, 1e3 is the integer 1000), the result is JSON, mappings have string keys. Aliases and
// merge keys count as if they were written out, towards the limit of bytes as well; tags other than
// YAML's own are refused with a sentence. Errors begin with the line; so can yours, by line_of.
//
//   for (const YamlDocument& document : TRY(parse_yaml(text))) {
//     if (auto ok = apply(document.value); !ok) print(document.line_of(path), ok.error());
//   }
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/edit.h"
#include "objects/json.h"
#include "objects/value.h"

namespace muster::objects {

struct YamlDocument {
  Value value;
  std::size_t line = 1;  // where its content begins, counted from 1

  // The line of every value, in the order of the text: a member's is that of its key. Empty where
  // the text was JSON.
  std::vector<std::uint32_t> lines = {};

  // The line of the place, or of the nearest place around it that exists. Walks the value.
  std::size_t line_of(Path path) const;
};

// All documents of the text that are not empty. options.bytes_max bounds the whole text. A text
// that is one JSON object is read as JSON, as kubectl does.
Result<std::vector<YamlDocument>> parse_yaml(std::string_view text,
                                             const ParseOptions& options = {});

// Exactly one document.
Result<Value> parse_yaml_document(std::string_view text, const ParseOptions& options = {});

// What Go's reader says about a text that is no YAML: clients match on it. Nothing comes back for a
// text that it would read.
std::optional<std::string> go_yaml_error(std::string_view text);

// What its strict reader says of each key that stands twice in a mapping of the first document:
// `line 3: key "a" already set in map`.
std::vector<std::string> go_yaml_duplicates(std::string_view text);

// Block style, keys sorted, as kubectl prints with -o yaml. Read back it is the same value, but
// for reals without a fraction (1.0), which every reader of YAML in Kubernetes makes integers.
std::string to_yaml(View view);

}  // namespace muster::objects
