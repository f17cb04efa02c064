// The text of HTTP answers: heads, chunk frames and the refusals that the transport itself makes.
//
//   append_head({.status = 200}, {.content_length = body.size()}, out);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/request.h"
#include "server/status.h"

namespace muster::server {

struct AnswerHead {
  int status = 200;
  std::string content_type = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

struct Framing {
  std::optional<std::size_t> content_length = {};  // none: it ends by chunks or with the connection
  bool is_chunked = false;
  bool keep_alive = true;
};

void append_head(const AnswerHead& head, const Framing& framing, std::string& out);

inline constexpr std::string_view continue_text = "HTTP/1.1 100 Continue\r\n\r\n";
inline constexpr std::string_view last_chunk_text = "0\r\n\r\n";

// The line before the bytes of a chunk; behind them stands "\r\n".
void append_chunk_line(std::size_t size, std::string& out);

// "Not Found"; empty for a number that has no name.
std::string_view status_phrase(int status);

// The failure as a whole answer.
Response refusal(const Failure& failure);

}  // namespace muster::server
