// JSON text in and out. Reading refuses what is not JSON (with line and column), what is nested
// deeper or longer than the limits, numbers that no double holds, and invalid UTF-8; a key that
// occurs twice is refused, or the last one wins and the path is reported, as the caller asks
// (Kubernetes: strict or not). As in Go, half a surrogate pair in an escape becomes U+FFFD, and an
// integer beyond int64 becomes a real. Writing is compact, in member order, and round-trips every
// value. The bytes are those of kube-apiserver (<, > and & are escaped), but for a real without a
// fraction: it writes 1.0 as 1 and forgets that it was one, here it stays 1.0.
//
//   auto pod = TRY(parse_json(body));
//   std::string text = to_json(pod);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/limits.h"
#include "objects/value.h"

namespace muster::objects {

enum class DuplicateKeys : std::uint8_t {
  refuse,     // an error that names the first one
  last_wins,  // the last one is kept, at its place; all are reported in duplicate_fields
};

struct ParseOptions {
  DuplicateKeys duplicate_keys = DuplicateKeys::refuse;
  std::size_t bytes_max = document_bytes_max;
  std::size_t depth_max = objects::depth_max;
  std::vector<std::string>* duplicate_fields = nullptr;  // paths such as `data.a`, where wanted
};

// Reads with the working memory of this thread (objects/json_read.cc says how much is kept).
Result<Value> parse_json(std::string_view text, const ParseOptions& options = {});

// The same with working memory of one's own: for a component that reads many texts.
class JsonReader {
 public:
  JsonReader();
  ~JsonReader();
  JsonReader(JsonReader&&) noexcept;
  JsonReader& operator=(JsonReader&&) noexcept;

  Result<Value> read(std::string_view text, const ParseOptions& options = {});

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

std::string to_json(View view);
void append_json(View view, std::string& out);

// Indented by two spaces, as kube-apiserver prints for curl and browsers.
std::string to_pretty_json(View view);

}  // namespace muster::objects
