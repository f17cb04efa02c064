// HttpsPosts: single POSTs to servers of any name: what webhooks need. Each has its own connection,
// its own authority and its own time; answers are small. HTTP and TLS are done on the one thread
// that calls run(); answers come on the house executor.
//
//   HttpsPosts posts({.house = house});
//   std::jthread network([&] { posts.run(); });                     // in main/
//   posts.post({.url = "https://10.0.0.5:8443/check", …}, [](Result<PostAnswer> answer) { … });
//   posts.stop();                                                   // what is owed fails
//
// Assumes: post() is called on the house thread; the house outlives run(). Errors have Go's words,
// because people match on them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/executor.h"
#include "base/instant.h"
#include "base/result.h"
#include "base/unique_function.h"

namespace muster::client {

// Posts under way, and what is read of an answer.
inline constexpr std::size_t https_posts_max = 256;
inline constexpr std::size_t https_post_answer_bytes_max = std::size_t{8} * 1024 * 1024;

struct HttpsPost {
  std::string url;
  std::string address = {};        // "10.0.0.4:8443": where to connect; empty: as the url says
  std::string authority_pem = {};  // empty: those that the system trusts
  std::string body = {};           // JSON
  Span timeout = Span::of_seconds(10);
};

struct PostAnswer {
  int status = 0;
  std::string body = {};
};

struct HttpsPostsOptions {
  Executor& house;
  std::string user_agent = "muster-admission";
  std::size_t posts = https_posts_max;
  std::size_t answer_bytes = https_post_answer_bytes_max;
};

class HttpsPosts {
 public:
  explicit HttpsPosts(HttpsPostsOptions options);
  HttpsPosts(const HttpsPosts&) = delete;
  HttpsPosts& operator=(const HttpsPosts&) = delete;
  ~HttpsPosts();

  using Done = UniqueFunction<void(Result<PostAnswer>)>;
  void post(HttpsPost post, Done done);

  void run();
  void stop();  // from any thread

 private:
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace muster::client
