// SPDX-License-Identifier: Apache-2.0
#include "server/http/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "base/check.h"

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

}  // namespace

struct Gzip::State {
  z_stream stream = {};
};

Gzip::Gzip() : state_(std::make_unique<State>()) {
  const int done = deflateInit2(&state_->stream, fastest, Z_DEFLATED, window_bits_of_gzip,
                                memory_level, Z_DEFAULT_STRATEGY);
  CHECK(done == Z_OK);
}

Gzip::~Gzip() {
  deflateEnd(&state_->stream);
}

void Gzip::add(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const std::size_t part = std::min<std::size_t>(text.size(), std::numeric_limits<uInt>::max());
    state_->stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    state_->stream.avail_in = static_cast<uInt>(part);
    deflate_into(out, Z_NO_FLUSH);
    text.remove_prefix(part);
  }
}

void Gzip::finish(std::string& out) {
  deflate_into(out, Z_FINISH);
}

// Takes in what there is, or at the end gives out all that is left.
void Gzip::deflate_into(std::string& out, int flush) {
  z_stream& stream = state_->stream;
  while (true) {
    const std::size_t size = out.size();
    out.resize(size + room_bytes);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = static_cast<uInt>(room_bytes);
    const int done = deflate(&stream, flush);
    out.resize(out.size() - stream.avail_out);
    if (done == Z_STREAM_END) return;
    CHECK(done == Z_OK || done == Z_BUF_ERROR);
    if (flush != Z_FINISH && stream.avail_in == 0 && stream.avail_out > 0) return;
  }
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
