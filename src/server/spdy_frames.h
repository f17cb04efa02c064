// SPDY/3.1 as far as port-forward speaks it: frames out of a stream of bytes, and frames as bytes.
// Blocks of headers are compressed with zlib, one history for each direction, begun with the
// dictionary of the protocol.
//
//   SpdyReader reader;
//   const std::vector<SpdyFrame> frames = TRY(reader.take(bytes));
//   SpdyWriter writer;
//   out += writer.reply(frame.stream) + writer.data(frame.stream, "hello", SpdyWriter::Last::no);
//
// Assumes: whoever sends may send anything; what is not SPDY/3 is an error, and nothing grows
// beyond spdy_frame_bytes_max and spdy_headers_bytes_max.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::server {

struct SpdyFrame {
  enum class Type : std::uint8_t { open, data, reset, ping, go_away, other };
  Type type = Type::other;
  std::uint32_t stream = 0;                         // ping: its number
  bool is_last = false;                             // nothing more comes on this stream
  std::map<std::string, std::string> headers = {};  // open
  std::string bytes = {};                           // data
};

class SpdyReader {
 public:
  SpdyReader();
  ~SpdyReader();
  SpdyReader(const SpdyReader&) = delete;
  SpdyReader& operator=(const SpdyReader&) = delete;

  // The frames that are whole now.
  Result<std::vector<SpdyFrame>> take(std::string_view bytes);

 private:
  struct Inflater;
  Result<SpdyFrame> read_control(std::string_view frame);
  Result<std::map<std::string, std::string>> read_headers(std::string_view block);

  std::unique_ptr<Inflater> inflater_;
  std::string pending_;
};

class SpdyWriter {
 public:
  enum class Last : bool { no, yes };

  SpdyWriter();
  ~SpdyWriter();
  SpdyWriter(const SpdyWriter&) = delete;
  SpdyWriter& operator=(const SpdyWriter&) = delete;

  std::string reply(std::uint32_t stream);  // it is accepted, with no headers
  std::string ping(std::uint32_t number) const;
  std::string data(std::uint32_t stream, std::string_view bytes, Last last) const;
  std::string reset(std::uint32_t stream) const;

 private:
  struct Deflater;
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace muster::server
