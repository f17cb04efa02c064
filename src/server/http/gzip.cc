// SPDX-License-Identifier: Apache-2.0
#include "server/http/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace muster::server {

namespace {

constexpr int fastest = 1;
constexpr int window_bits_of_gzip = 15 + 16;
constexpr int memory_level = 8;
constexpr std::size_t room_bytes = std::size_t{64} * 1024;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Takes in one piece, or at the end all that is left.
bool deflate_into(std::string& out, z_stream& stream, int flush) {
  while (true) {
    const std::size_t size = out.size();
    out.resize(size + room_bytes);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = static_cast<uInt>(room_bytes);
    const int done = deflate(&stream, flush);
    out.resize(out.size() - stream.avail_out);
    if (done == Z_STREAM_END) return true;
    if (done != Z_OK && done != Z_BUF_ERROR) return false;
    if (flush != Z_FINISH && stream.avail_in == 0 && stream.avail_out > 0) return true;
  }
}

}  // namespace

std::string gzipped(const std::vector<Piece>& pieces) {
  z_stream stream = {};
  if (deflateInit2(&stream, fastest, Z_DEFLATED, window_bits_of_gzip, memory_level,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return {};
  }
  std::string out;
  bool is_good = true;
  for (const Piece& piece : pieces) {
    const std::string_view text = piece.view();
    is_good = is_good && text.size() <= std::numeric_limits<uInt>::max();
    if (!is_good) break;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    is_good = deflate_into(out, stream, Z_NO_FLUSH);
  }
  is_good = is_good && deflate_into(out, stream, Z_FINISH);
  deflateEnd(&stream);
  if (!is_good) out.clear();
  return out;
}

bool accepts_gzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    const std::size_t comma = std::min(accept_encoding.find(','), accept_encoding.size());
    const std::string_view clause = accept_encoding.substr(0, comma);
    accept_encoding.remove_prefix(std::min(comma + 1, accept_encoding.size()));
    const std::size_t semicolon = std::min(clause.find(';'), clause.size());
    if (trimmed(clause.substr(0, semicolon)) != "gzip") continue;
    const std::string_view weight = trimmed(clause.substr(std::min(semicolon + 1, clause.size())));
    return weight != "q=0" && weight != "q=0.0";
  }
  return false;
}

}  // namespace muster::server
