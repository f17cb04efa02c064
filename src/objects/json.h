// JSON text in and out. Reading refuses what is not JSON, what is nested deeper or longer than
// the limits, and invalid UTF-8; a key that occurs twice is refused, or the last one wins and the
// path is reported, as the caller asks (Kubernetes: strict or not). Writing is compact, in member
// order, and round-trips every value.
//
//   auto pod = TRY(parse_json(body));
//   std::string text = to_json(pod);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/limits.h"
#include "objects/value.h"

namespace muster::objects {

enum class DuplicateKeys : std::uint8_t {
  refuse,     // an error that names the first one
  last_wins,  // kept once, with the last value; reported in duplicate_fields
};

struct ParseOptions {
  DuplicateKeys duplicate_keys = DuplicateKeys::refuse;
  std::size_t bytes_max = document_bytes_max;
  std::size_t depth_max = objects::depth_max;
  std::vector<std::string>* duplicate_fields = nullptr;  // paths such as `data.a`, where wanted
};

Result<Value> parse_json(std::string_view text, const ParseOptions& options = {});

std::string to_json(View view);
void append_json(View view, std::string& out);

// Indented by two spaces, as kube-apiserver prints for curl and browsers.
std::string to_pretty_json(View view);

}  // namespace muster::objects
