// SPDX-License-Identifier: Apache-2.0
#include "server/spdy_command.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <deque>
#include <map>
#include <utility>

#include "tests/suites/server_world.h"

namespace muster::server {
namespace {

struct Script {
  std::deque<PodStream::Step> steps;
  std::string written;
  bool is_input_closed = false;
  int columns = 0;
};

class ScriptedStream final : public PodStream {
 public:
  explicit ScriptedStream(Script& script) : script_(script) {}
  void set_on_ready(Task) override {}
  Step take(std::size_t) override {
    if (script_.steps.empty()) return {};
    Step step = std::move(script_.steps.front());
    script_.steps.pop_front();
    return step;
  }
  void write(std::string bytes, Task taken) override {
    script_.written += bytes;
    taken();
  }
  void close_input() override { script_.is_input_closed = true; }
  void resize(int columns, int) override { script_.columns = columns; }

 private:
  Script& script_;
};

// Opens streams as a client does. Any history of zlib will do; the dictionary is optional.
class Opener {
 public:
  Opener() { EXPECT_EQ(::deflateInit(&stream_, Z_DEFAULT_COMPRESSION), Z_OK); }
  Opener(const Opener&) = delete;
  Opener& operator=(const Opener&) = delete;
  ~Opener() { ::deflateEnd(&stream_); }

  std::string open(std::uint32_t number, const std::string& type) {
    std::string headers = four(1) + four(10) + "streamtype" + four(type.size()) + type;
    std::string block(256, '\0');
    stream_.next_in = reinterpret_cast<Bytef*>(headers.data());
    stream_.avail_in = static_cast<uInt>(headers.size());
    stream_.next_out = reinterpret_cast<Bytef*>(block.data());
    stream_.avail_out = static_cast<uInt>(block.size());
    EXPECT_EQ(::deflate(&stream_, Z_SYNC_FLUSH), Z_OK);
    block.resize(block.size() - stream_.avail_out);
    return std::string("\x80\x03\x00\x01", 4) + four(10 + block.size()) + four(number) + four(0) +
           std::string(2, '\0') + block;
  }

 private:
  static std::string four(std::size_t number) {
    std::string out;
    for (const int shift : {24, 16, 8, 0}) out += static_cast<char>((number >> shift) & 0xff);
    return out;
  }

  z_stream stream_ = {};
};

struct Talk {
  explicit Talk(SpdyCommand::Expected expected)
      : command(std::make_unique<ScriptedStream>(script), {.command = {"date"}}, expected) {}

  void open(std::uint32_t stream, const char* type) {
    command.hear(opener.open(stream, type), [] {});
  }
  // What is said, by stream.
  std::map<std::uint32_t, std::string> listen() {
    std::map<std::uint32_t, std::string> said;
    while (true) {
      const StreamStep step = command.take(65'536);
      for (const Piece& piece : step.pieces) {
        for (const SpdyFrame& frame : reader.take(piece.view()).must()) {
          if (frame.type == SpdyFrame::Type::data) said[frame.stream] += frame.bytes;
          if (frame.is_last) ended.push_back(frame.stream);
        }
      }
      if (step.ended || step.pieces.empty()) return said;
    }
  }

  Script script;
  SpdyCommand command;
  Opener opener;
  SpdyWriter client;
  SpdyReader reader;
  std::vector<std::uint32_t> ended;
};

TEST(SpdyCommand, says_nothing_before_all_streams_are_there) {
  Talk talk({.input = true});
  talk.script.steps = {{.output = "out", .error = "err", .end = {}},
                       {.output = {}, .error = {}, .end = PodStreamEnd{.exit_code = 3}}};
  talk.open(1, "error");
  talk.open(3, "stdin");
  talk.open(5, "stdout");
  EXPECT_TRUE(talk.listen().empty());
  talk.open(7, "stderr");
  const auto said = talk.listen();
  EXPECT_EQ(said.at(5), "out");
  EXPECT_EQ(said.at(7), "err");
  EXPECT_NE(said.at(1).find("\"message\":\"3\""), std::string::npos) << said.at(1);
  EXPECT_EQ(talk.ended, (std::vector<std::uint32_t>{1, 5, 7}));
}

TEST(SpdyCommand, hears_input_sizes_and_their_ends) {
  Talk talk({.input = true, .resize = true});
  talk.open(1, "error");
  talk.open(3, "stdin");
  talk.open(9, "resize");
  SpdyWriter& client = talk.client;
  talk.command.hear(client.data(3, "da", SpdyWriter::Last::no) +
                        client.data(3, "te\n", SpdyWriter::Last::yes) +
                        client.data(9, "{\"Width\":80,\"Height\":24}\n", SpdyWriter::Last::no),
                    [] {});
  EXPECT_EQ(talk.script.written, "date\n");
  EXPECT_TRUE(talk.script.is_input_closed);
  EXPECT_EQ(talk.script.columns, 80);
}

TEST(SpdyCommand, ends_with_who_does_not_speak_it) {
  Talk talk({});
  talk.command.hear("GET / HTTP/1.1\r\n\r\n", [] {});
  EXPECT_TRUE(talk.command.take(1).ended);
}

}  // namespace
}  // namespace muster::server
