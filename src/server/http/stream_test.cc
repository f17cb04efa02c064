// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/suites/inflated.h"
#include "tests/suites/served_listener.h"

namespace muster::server {
namespace {

using tests::HttpAnswer;
using tests::TlsPeer;

// What a test sees of its stream; touched on the house thread alone.
struct Tap {
  std::vector<Piece> pieces = {};
  bool ended = false;
  Task on_ready = {};
  std::size_t taken = 0;
  bool is_finite = false;
  bool is_destroyed = false;
  std::thread::id destroyed_on = {};

  void give(std::string_view text) {
    pieces.push_back(Piece::copy_of(text));
    if (on_ready) on_ready();
  }
};

class TapStream final : public Stream {
 public:
  explicit TapStream(Tap& tap) : tap_(tap) {}
  ~TapStream() override {
    tap_.is_destroyed = true;
    tap_.destroyed_on = std::this_thread::get_id();
  }

  StreamStep take(std::size_t bytes_max) override {
    StreamStep step;
    std::size_t bytes = 0;
    while (!tap_.pieces.empty() && bytes < bytes_max) {
      bytes += tap_.pieces.front().size();
      step.pieces.push_back(std::move(tap_.pieces.front()));
      tap_.pieces.erase(tap_.pieces.begin());
    }
    tap_.taken += bytes;
    step.ended = tap_.pieces.empty() && tap_.ended;
    return step;
  }

  void set_on_ready(Task on_ready) override { tap_.on_ready = std::move(on_ready); }
  bool is_finite() const override { return tap_.is_finite; }

 private:
  Tap& tap_;
};

Handler streaming(Tap& tap) {
  return [&tap](Request request, Respond respond) {
    if (request.path == "/version") return respond(text_response("1"));
    respond({.body = std::unique_ptr<Stream>(std::make_unique<TapStream>(tap))});
  };
}

void wait_for(Served& served, const bool& flag) {
  bool is_set = false;
  while (!is_set) served.on_house([&] { is_set = flag; });
}

TEST(http_stream, events_arrive_as_they_come) {
  Tap tap;
  tap.pieces.push_back(Piece::copy_of("first\n"));
  Served served(streaming(tap));
  TlsPeer peer = served.connect();
  peer.send(asking("GET", "/watch"));
  EXPECT_EQ(peer.read_head().headers.at("Transfer-Encoding"), "chunked");
  EXPECT_EQ(peer.read_chunk(), "first\n");
  served.on_house([&] { tap.give("second\n"); });
  EXPECT_EQ(peer.read_chunk(), "second\n");
  served.on_house([&] {
    tap.ended = true;
    tap.give("third\n");
  });
  EXPECT_EQ(peer.read_chunk(), "third\n");
  EXPECT_EQ(peer.read_chunk(), "");
  wait_for(served, tap.is_destroyed);
}

TEST(http_stream, the_connection_goes_on_after_a_stream_has_ended) {
  Tap tap;
  tap.pieces.push_back(Piece::copy_of("all\n"));
  tap.ended = true;
  Served served(streaming(tap));
  TlsPeer peer = served.connect();
  for (int round = 0; round < 2; ++round) {
    peer.send(asking("GET", "/log"));
    const HttpAnswer answer = peer.read_answer();
    EXPECT_EQ(answer.body, round == 0 ? "all\n" : "");
  }
}

TEST(http_stream, an_old_client_gets_it_without_chunks) {
  Tap tap;
  tap.pieces.push_back(Piece::copy_of("all\n"));
  tap.ended = true;
  Served served(streaming(tap));
  TlsPeer peer = served.connect();
  peer.send("GET /log HTTP/1.0\r\nAuthorization: Bearer good\r\n\r\n");
  const std::string text = peer.read_to_end();
  EXPECT_TRUE(text.ends_with("\r\n\r\nall\n")) << text;
}

TEST(http_stream, a_client_that_leaves_ends_its_stream_on_the_house_thread) {
  Tap tap;
  Served served(streaming(tap));
  {
    TlsPeer peer = served.connect();
    peer.send(asking("GET", "/watch"));
    peer.read_head();
  }
  wait_for(served, tap.is_destroyed);
  served.on_house([&] { EXPECT_EQ(tap.destroyed_on, std::this_thread::get_id()); });
}

TEST(http_stream, a_client_that_does_not_read_holds_one_window) {
  Tap tap;
  const std::string event(10'000, 'e');
  constexpr std::size_t events = 2'000;
  for (std::size_t n = 0; n < events; ++n) tap.pieces.push_back(Piece::copy_of(event));
  tap.ended = true;
  Served served(streaming(tap));
  TlsPeer peer = served.connect();
  peer.send(asking("GET", "/watch"));
  peer.read_head();
  // Other clients are served meanwhile; the kernel's buffers fill up, and taking stops.
  std::size_t before = 0;
  std::size_t after = 1;
  while (before != after) {
    before = after;
    TlsPeer other = served.connect();
    other.send("GET /version HTTP/1.0\r\n\r\n");
    other.read_head();
    served.on_house([&] { after = tap.taken; });
  }
  EXPECT_LT(after, events * event.size());
  std::size_t received = 0;
  for (std::string chunk = peer.read_chunk(); !chunk.empty(); chunk = peer.read_chunk()) {
    received += chunk.size();
  }
  EXPECT_EQ(received, events * event.size());
}

TEST(http_stream, a_client_that_never_reads_is_cut_off) {
  Tap tap;
  const std::string event(10'000, 'e');
  for (int n = 0; n < 3'000; ++n) tap.pieces.push_back(Piece::copy_of(event));
  Served served(streaming(tap),
                {.sweep = Span::of_milliseconds(5), .write = Span::of_milliseconds(100)});
  TlsPeer peer = served.connect();
  peer.send(asking("GET", "/watch"));
  wait_for(served, tap.is_destroyed);
  EXPECT_LT(tap.taken, 30'000'000U);
}

TEST(http_stream, stopping_ends_streams_and_answers_what_is_owed) {
  Tap tap;
  tap.pieces.push_back(Piece::copy_of("first\n"));
  Served served(streaming(tap));
  TlsPeer peer = served.connect();
  peer.send(asking("GET", "/watch"));
  peer.read_head();
  EXPECT_EQ(peer.read_chunk(), "first\n");
  TlsPeer idle = served.connect();
  served.stop();
  EXPECT_EQ(peer.read_chunk(), "");
  EXPECT_EQ(peer.read_to_end(), "");
  EXPECT_EQ(idle.read_to_end(), "");
  wait_for(served, tap.is_destroyed);
}

TEST(http_stream, one_that_has_an_end_is_sent_to_it_by_a_server_that_stops) {
  Tap tap;
  tap.is_finite = true;
  tap.ended = true;
  const std::string piece(10'000, 'p');
  constexpr std::size_t pieces = 2'000;
  for (std::size_t n = 0; n < pieces; ++n) tap.pieces.push_back(Piece::copy_of(piece));
  Served served(streaming(tap));
  TlsPeer peer = served.connect();
  peer.send(asking("GET", "/list"));
  peer.read_head();
  std::thread stopping([&] { served.stop(); });
  std::size_t received = 0;
  for (std::string chunk = peer.read_chunk(); !chunk.empty(); chunk = peer.read_chunk()) {
    received += chunk.size();
  }
  stopping.join();
  EXPECT_EQ(received, pieces * piece.size());
}

TEST(http_stream, one_that_has_an_end_is_compressed_through_a_window_smaller_than_it) {
  Tap tap;
  tap.is_finite = true;
  tap.ended = true;
  std::string all;
  for (int n = 0; n < 300; ++n) {
    const std::string piece(10'000, static_cast<char>('a' + n % 26));
    all += piece;
    tap.pieces.push_back(Piece::copy_of(piece));
  }
  Served served(streaming(tap));
  TlsPeer peer = served.connect();
  peer.send(
      "GET /list HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer good\r\nAccept-Encoding: "
      "gzip\r\n\r\n");
  const HttpAnswer answer = peer.read_answer();
  EXPECT_EQ(answer.headers.at("Content-Encoding"), "gzip");
  EXPECT_LT(answer.body.size(), all.size() / 10);
  EXPECT_TRUE(tests::inflated(answer.body) == all);
}

}  // namespace
}  // namespace muster::server
