// Gzip: an answer, compressed as kube-apiserver does: fast rather than small. All at once, or in
// the pieces in which it comes.
//
//   Gzip gzip;
//   gzip.add(piece.view(), out);
//   gzip.finish(out);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace muster::server {

class Gzip {
 public:
  Gzip();
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  // What is compressed so far may come later, at the latest with finish().
  void add(std::string_view text, std::string& out);
  void finish(std::string& out);

 private:
  struct State;
  void deflate_into(std::string& out, int flush);

  std::unique_ptr<State> state_;
};

// Whether an Accept-Encoding allows gzip: named, and not with a weight of zero.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace muster::server
