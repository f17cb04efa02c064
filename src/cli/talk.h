// Talk: what the commands about objects need of a server: to ask, and to listen to an answer that
// goes on. main/ hands in one over HTTPS, tests hand in a pretended server.
//
//   const Reply reply = TRY(talk.ask({.target = "/api/v1/nodes"}));
//   if (reply.status >= 300) return server_error(reply);
//
// Assumes: both block the calling thread; commands are programs of one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "objects/value.h"

namespace muster::cli {

struct Question {
  std::string method = "GET";
  std::string target;  // path and query
  std::string accept = "application/json";
  std::string content_type = {};
  std::string body = {};
};

struct Reply {
  int status = 0;
  std::string body = {};
  std::vector<std::string> warnings = {};  // the texts of Warning headers
};

// Answers whether it wants more.
using OnPiece = std::function<bool(std::string_view piece)>;

// With a command in a pod: where its output goes, and whether it gets our standard input.
struct Conversation {
  std::function<void(std::string_view text)> out;
  std::function<void(std::string_view text)> error;
  bool reads_input = false;
  bool has_terminal = false;  // it is to have one, and we have one too
};

class Talk {
 public:
  virtual ~Talk() = default;

  virtual Result<Reply> ask(const Question& question) = 0;

  // The body of an answer 200 comes in pieces; that of another one is in the reply.
  virtual Result<Reply> listen(const Question& question, const OnPiece& on_piece) = 0;

  // Runs a command in a pod (the target is an exec subresource with its query); answers its exit
  // status.
  virtual Result<int> execute(const std::string& target, const Conversation& conversation) = 0;

  // That of the kubeconfig's context.
  virtual std::string name_space() const = 0;

  // Whether somebody sits before it.
  virtual bool is_on_terminal() const { return false; }
};

struct TalkOptions {
  std::string kubeconfig;  // empty: $KUBECONFIG, else the platform's own, else ~/.kube/config
  std::string context;
};

using OpenTalk = std::function<Result<std::unique_ptr<Talk>>(const TalkOptions& options)>;

// `Error from server (NotFound): pods "a" not found`, as kubectl says it.
Error server_error(const Reply& reply);

// The JSON of a good answer; of another one the server's error.
Result<objects::Value> value_of(const Reply& reply);

// As it goes into a query.
std::string escaped(std::string_view text);

}  // namespace muster::cli
