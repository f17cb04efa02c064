// SPDX-License-Identifier: Apache-2.0
#include "server/spdy_frames.h"

#include <zlib.h>

#include <array>
#include <utility>

#include "base/check.h"
#include "server/limits.h"

namespace muster::server {

namespace {

constexpr std::size_t frame_head_bytes = 8;
constexpr std::uint32_t stream_mask = 0x7fffffff;
constexpr unsigned char last_flag = 0x01;
constexpr unsigned char control_bit = 0x80;
constexpr unsigned char version = 3;

enum ControlType : unsigned {
  syn_stream = 1,
  syn_reply = 2,
  rst_stream = 3,
  ping_type = 6,
  goaway = 7,
};

// The dictionary of the protocol: these words, each after its length, and then the text below.
constexpr std::string_view dictionary_words[] = {"options",
                                                 "head",
                                                 "post",
                                                 "put",
                                                 "delete",
                                                 "trace",
                                                 "accept",
                                                 "accept-charset",
                                                 "accept-encoding",
                                                 "accept-language",
                                                 "accept-ranges",
                                                 "age",
                                                 "allow",
                                                 "authorization",
                                                 "cache-control",
                                                 "connection",
                                                 "content-base",
                                                 "content-encoding",
                                                 "content-language",
                                                 "content-length",
                                                 "content-location",
                                                 "content-md5",
                                                 "content-range",
                                                 "content-type",
                                                 "date",
                                                 "etag",
                                                 "expect",
                                                 "expires",
                                                 "from",
                                                 "host",
                                                 "if-match",
                                                 "if-modified-since",
                                                 "if-none-match",
                                                 "if-range",
                                                 "if-unmodified-since",
                                                 "last-modified",
                                                 "location",
                                                 "max-forwards",
                                                 "pragma",
                                                 "proxy-authenticate",
                                                 "proxy-authorization",
                                                 "range",
                                                 "referer",
                                                 "retry-after",
                                                 "server",
                                                 "te",
                                                 "trailer",
                                                 "transfer-encoding",
                                                 "upgrade",
                                                 "user-agent",
                                                 "vary",
                                                 "via",
                                                 "warning",
                                                 "www-authenticate",
                                                 "method",
                                                 "get",
                                                 "status",
                                                 "200 OK",
                                                 "version",
                                                 "HTTP/1.1",
                                                 "url",
                                                 "public",
                                                 "set-cookie",
                                                 "keep-alive",
                                                 "origin"};
constexpr std::string_view dictionary_text =
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request"
    "401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented"
    "503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, "
    "Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,"
    "application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdch"
    "charset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

void append_number(std::string& out, std::uint32_t number) {
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>((number >> shift) & 0xff);
}

std::string make_dictionary() {
  std::string dictionary;
  for (const std::string_view word : dictionary_words) {
    append_number(dictionary, static_cast<std::uint32_t>(word.size()));
    dictionary += word;
  }
  dictionary += dictionary_text;
  return dictionary;
}

const std::string& dictionary() {
  static const std::string text = make_dictionary();
  return text;
}

Bytef* bytes_of(std::string_view text) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
}

std::uint32_t number_at(std::string_view text, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    number = (number << 8) | static_cast<unsigned char>(text[i]);
  }
  return number;
}

Error malformed(std::string_view what) {
  return Error::bad_request("the connection does not speak SPDY/3.1: " + std::string(what));
}

std::string control_head(unsigned type, std::size_t size) {
  std::string out{static_cast<char>(control_bit), static_cast<char>(version), 0,
                  static_cast<char>(type)};
  append_number(out, static_cast<std::uint32_t>(size));
  return out;
}

}  // namespace

struct SpdyReader::Inflater {
  Inflater() { CHECK(::inflateInit(&stream) == Z_OK); }
  ~Inflater() { ::inflateEnd(&stream); }

  Result<std::string> inflate(std::string_view block) {
    std::string text;
    std::array<char, 4'096> room;
    stream.next_in = bytes_of(block);
    stream.avail_in = static_cast<uInt>(block.size());
    while (true) {
      stream.next_out = reinterpret_cast<Bytef*>(room.data());
      stream.avail_out = static_cast<uInt>(room.size());
      const int outcome = ::inflate(&stream, Z_SYNC_FLUSH);
      if (outcome == Z_NEED_DICT) {
        const int set = ::inflateSetDictionary(&stream, bytes_of(dictionary()),
                                               static_cast<uInt>(dictionary().size()));
        if (set != Z_OK) return malformed("another dictionary");
        continue;
      }
      if (outcome != Z_OK && outcome != Z_BUF_ERROR) return malformed("headers that do not unpack");
      text.append(room.data(), room.size() - stream.avail_out);
      if (text.size() > spdy_headers_bytes_max) return malformed("too many headers");
      if (stream.avail_out > 0) return text;
    }
  }

  z_stream stream = {};
};

SpdyReader::SpdyReader() : inflater_(std::make_unique<Inflater>()) {}

SpdyReader::~SpdyReader() = default;

Result<std::vector<SpdyFrame>> SpdyReader::take(std::string_view bytes) {
  pending_ += bytes;
  std::vector<SpdyFrame> frames;
  std::size_t at = 0;
  while (pending_.size() - at >= frame_head_bytes) {
    const std::string_view rest = std::string_view(pending_).substr(at);
    const std::uint32_t second = number_at(rest, 4);
    const std::size_t size = second & 0xffffff;
    if (size > spdy_frame_bytes_max) return malformed("a frame that is too long");
    if (rest.size() < frame_head_bytes + size) break;
    const std::string_view frame = rest.substr(0, frame_head_bytes + size);
    at += frame.size();
    const bool is_last = (static_cast<unsigned char>(frame[4]) & last_flag) != 0;
    if ((static_cast<unsigned char>(frame[0]) & control_bit) != 0) {
      frames.push_back(TRY(read_control(frame)));
      frames.back().is_last = is_last;
    } else {
      frames.push_back({.type = SpdyFrame::Type::data,
                        .stream = number_at(frame, 0) & stream_mask,
                        .is_last = is_last,
                        .bytes = std::string(frame.substr(frame_head_bytes))});
    }
  }
  pending_.erase(0, at);
  return frames;
}

Result<SpdyFrame> SpdyReader::read_control(std::string_view frame) {
  if (static_cast<unsigned char>(frame[1]) != version) return malformed("another version");
  const unsigned type = (static_cast<unsigned>(static_cast<unsigned char>(frame[2])) << 8) |
                        static_cast<unsigned char>(frame[3]);
  const std::string_view body = frame.substr(frame_head_bytes);
  SpdyFrame read;
  const auto needs = [&](std::size_t size) { return body.size() >= size; };
  constexpr std::size_t open_fixed_bytes = 10;
  switch (type) {
    case syn_stream:
      if (!needs(open_fixed_bytes)) return malformed("a short frame");
      read.type = SpdyFrame::Type::open;
      read.stream = number_at(body, 0) & stream_mask;
      read.headers = TRY(read_headers(body.substr(open_fixed_bytes)));
      return read;
    case rst_stream:
    case ping_type:
      if (!needs(4)) return malformed("a short frame");
      read.type = type == ping_type ? SpdyFrame::Type::ping : SpdyFrame::Type::reset;
      read.stream = number_at(body, 0);
      return read;
    case goaway:
      read.type = SpdyFrame::Type::go_away;
      return read;
    case syn_reply:
    default:
      return read;
  }
}

Result<std::map<std::string, std::string>> SpdyReader::read_headers(std::string_view block) {
  const std::string text = TRY(inflater_->inflate(block));
  std::map<std::string, std::string> headers;
  std::size_t at = 0;
  const auto number = [&]() -> Result<std::uint32_t> {
    if (text.size() - at < 4) return malformed("headers that end early");
    at += 4;
    return number_at(text, at - 4);
  };
  const auto word = [&]() -> Result<std::string> {
    const std::size_t size = TRY(number());
    if (text.size() - at < size) return malformed("headers that end early");
    at += size;
    return text.substr(at - size, size);
  };
  const std::uint32_t count = TRY(number());
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string name = TRY(word());
    headers[std::move(name)] = TRY(word());
  }
  return headers;
}

struct SpdyWriter::Deflater {
  Deflater() {
    CHECK(::deflateInit(&stream, Z_DEFAULT_COMPRESSION) == Z_OK);
    CHECK(::deflateSetDictionary(&stream, bytes_of(dictionary()),
                                 static_cast<uInt>(dictionary().size())) == Z_OK);
  }
  ~Deflater() { ::deflateEnd(&stream); }

  std::string deflate(std::string_view text) {
    std::string out(text.size() + 256, '\0');
    stream.next_in = bytes_of(text);
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = bytes_of(out);
    stream.avail_out = static_cast<uInt>(out.size());
    CHECK(::deflate(&stream, Z_SYNC_FLUSH) == Z_OK);
    out.resize(out.size() - stream.avail_out);
    return out;
  }

  z_stream stream = {};
};

SpdyWriter::SpdyWriter() : deflater_(std::make_unique<Deflater>()) {}

SpdyWriter::~SpdyWriter() = default;

std::string SpdyWriter::reply(std::uint32_t stream) {
  std::string no_headers;
  append_number(no_headers, 0);
  const std::string block = deflater_->deflate(no_headers);
  std::string out = control_head(syn_reply, 4 + block.size());
  append_number(out, stream);
  return out + block;
}

std::string SpdyWriter::ping(std::uint32_t number) const {
  std::string out = control_head(ping_type, 4);
  append_number(out, number);
  return out;
}

std::string SpdyWriter::reset(std::uint32_t stream) const {
  constexpr std::uint32_t cancel = 5;
  std::string out = control_head(rst_stream, 8);
  append_number(out, stream);
  append_number(out, cancel);
  return out;
}

std::string SpdyWriter::data(std::uint32_t stream, std::string_view bytes, Last last) const {
  std::string out;
  append_number(out, stream & stream_mask);
  append_number(out, static_cast<std::uint32_t>(bytes.size()) |
                         (last == Last::yes ? std::uint32_t{last_flag} << 24 : 0));
  out += bytes;
  return out;
}

}  // namespace muster::server
