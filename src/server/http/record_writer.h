// RecordWriter: encrypts a whole slice of an answer at once. An asio::ssl::stream takes one record
// of 16 KiB at a time through a pair of buffers, and every record is a call of the kernel of its
// own; here what OpenSSL writes lands in one text, and the socket gets it in one piece.
//
//   RecordWriter records(ssl);
//   records.begin();                               // after the handshake
//   if (records.seal(text)) async_write(socket, buffer(records.take()), …);
//   records.end();                                 // before the stream itself writes again
//
// Assumes: one thread. Between begin() and end() everything that OpenSSL has to say (also an answer
// to a change of keys) is sealed here and goes out with the next slice, in its order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

struct bio_st;
struct ssl_st;

namespace muster::server {

class RecordWriter {
 public:
  // The connection must live as long as this.
  explicit RecordWriter(ssl_st* connection) : connection_(connection) {}
  ~RecordWriter() { end(); }
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  void begin();
  void end();

  // Appends the records of a text to what is sealed. False: the connection is broken.
  bool seal(std::string_view text);

  // Everything that is sealed: stays where it is until the next call.
  const std::string& take();

  // Nothing is on its way: lets memory go beyond this.
  void rest(std::size_t bytes_kept_max);

 private:
  ssl_st* connection_;
  bio_st* own_way_ = nullptr;  // of the connection, while this one is in its place
  std::string sealed_;
  std::string taken_;
};

}  // namespace muster::server
