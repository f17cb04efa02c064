// YAML text in and out, the way kubectl treats it: YAML 1.1 scalars (yes/no/on/off are booleans,
// 0644 is octal), the result is JSON, mappings have string keys. Anchors, aliases and tags are
// refused with a sentence: they are how small files become large. Errors carry the line.
//
//   for (const YamlDocument& document : TRY(parse_yaml(text))) apply(document.value);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/json.h"
#include "objects/value.h"

namespace muster::objects {

struct YamlDocument {
  Value value;
  std::size_t line = 1;  // where the document begins, counted from 1
};

// All documents of the text that are not empty.
Result<std::vector<YamlDocument>> parse_yaml(std::string_view text,
                                             const ParseOptions& options = {});

// Exactly one document.
Result<Value> parse_yaml_document(std::string_view text, const ParseOptions& options = {});

// Block style, keys sorted, as kubectl prints with -o yaml.
std::string to_yaml(View view);

}  // namespace muster::objects
