// SPDX-License-Identifier: Apache-2.0
#include "server/spdy_frames.h"

#include <gtest/gtest.h>

#include "server/limits.h"

namespace muster::server {
namespace {

using namespace std::string_literals;

// A SYN_STREAM with this block of headers.
std::string open_frame(std::string_view block, std::uint32_t stream) {
  std::string frame = "\x80\x03\x00\x01"s;
  const std::size_t size = 10 + block.size();
  frame += "\x00\x00"s + static_cast<char>(size >> 8) + static_cast<char>(size & 0xff);
  frame += "\x00\x00\x00"s + static_cast<char>(stream) + "\x00\x00\x00\x00\x00\x00"s;
  return frame + std::string(block);
}

TEST(SpdyFrames, data_and_pings_come_out_of_any_slices) {
  const SpdyWriter writer;
  const std::string bytes = writer.data(3, "hello", SpdyWriter::Last::no) + writer.ping(7) +
                            writer.data(3, "", SpdyWriter::Last::yes) + writer.reset(5);
  for (std::size_t slice = 1; slice <= bytes.size(); ++slice) {
    SpdyReader reader;
    std::vector<SpdyFrame> frames;
    for (std::size_t at = 0; at < bytes.size(); at += slice) {
      for (SpdyFrame& frame : reader.take(std::string_view(bytes).substr(at, slice)).must()) {
        frames.push_back(std::move(frame));
      }
    }
    ASSERT_EQ(frames.size(), 4U);
    EXPECT_EQ(frames[0].bytes, "hello");
    EXPECT_FALSE(frames[0].is_last);
    EXPECT_EQ(frames[1].type, SpdyFrame::Type::ping);
    EXPECT_EQ(frames[1].stream, 7U);
    EXPECT_TRUE(frames[2].is_last);
    EXPECT_EQ(frames[3].type, SpdyFrame::Type::reset);
  }
}

// As zlib packs them after the dictionary of the protocol.
TEST(SpdyFrames, headers_are_unpacked) {
  const std::string block =
      "\x78\xf9\xe3\xc6\xa7\xc2\x02\x25\x3a\x70\x3a\x2b\x29\x4a\x4d\xcc\x85\x16\x25\xac\xa9\xa0\x80"
      "\x86\x14"
      "\xcb\x45\xa0\x24\xcc\x64\x61\x00\x24\x39\x8b\x20\x91\x98\x09\x4a\xdc\x8c\x06"
      "\x00\x00\x00\x00\xff\xff"s;
  const auto frames = SpdyReader().take(open_frame(block, 1)).must();
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].stream, 1U);
  EXPECT_EQ(frames[0].headers, (std::map<std::string, std::string>{
                                   {"streamtype", "error"}, {"port", "80"}, {"requestid", "0"}}));
}

TEST(SpdyFrames, what_is_not_spdy_is_an_error) {
  EXPECT_FALSE(SpdyReader().take("GET / HTTP/1.1\r\n\r\n")) << "a frame longer than the limit";
  EXPECT_FALSE(SpdyReader().take("\x80\x02\x00\x01\x00\x00\x00\x00"s)) << "another version";
  EXPECT_FALSE(SpdyReader().take(open_frame("", 1))) << "no headers";
  EXPECT_FALSE(SpdyReader().take(open_frame("nonsense", 1))) << "headers that do not unpack";
  EXPECT_FALSE(
      SpdyReader().take("\x80\x03\x00\x01\x00\x00\x00\x02"
                        "ab"s))
      << "a short frame";
}

}  // namespace
}  // namespace muster::server
