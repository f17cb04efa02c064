// What passes between a transport and the API server: Request in, Response out, where a response
// is whole or a Stream that goes on (a watch, a followed log). HTTP is one transport; tests call
// handle() directly.
//
//   server.handle(std::move(request), [](Response response) { … });
//
// Assumes: a Request has been authenticated; its body was read under body_bytes_max. A transport
// may parse a JSON body on its own thread and hand over the document as well. Streams are pulled on
// the house thread: a client that does not read is a stream that is not taken from, and the store
// cuts it off.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/executor.h"
#include "objects/json.h"
#include "objects/value.h"
#include "store/bytes.h"
#include "store/store.h"

namespace muster::server {

// Who asks. `system:masters` may do everything.
struct Identity {
  using Extra = std::vector<std::pair<std::string, std::vector<std::string>>>;

  std::string name;
  std::vector<std::string> groups = {};
  std::string uid = {};
  Extra extra = {};  // sorted by key
};

struct ServiceAccountToken;

// The Impersonate-… headers, without that prefix and in lower case: {"user", "bob"}.
using ImpersonationHeaders = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method = "GET";
  std::string path;        // as sent, without the query
  std::string query = {};  // as sent, without the question mark
  std::string accept = {};
  std::string content_type = {};
  std::string user_agent = {};
  std::string if_none_match = {};  // tags of the documents that the client has
  std::string audit_id = {};       // what the client, later the server, calls the request
  std::string body = {};
  // The subprotocols that a WebSocket client offers, best first; nothing: no such client.
  std::optional<std::vector<std::string>> protocols = {};
  Identity identity = {};
  std::shared_ptr<const ServiceAccountToken> bound = {};  // with whose token the identity came
  ImpersonationHeaders impersonation = {};
  std::string source = {};  // the address it came from, for the record
};

// One piece of a body, shared by everybody it is sent to.
using Piece = store::Bytes;

struct StreamStep {
  std::vector<Piece> pieces;  // empty: nothing now, on_ready comes when there is more
  bool ended = false;         // nothing comes after these
};

class Stream {
 public:
  virtual ~Stream() = default;

  // About `bytes_max` bytes at most, whole events only. After a step without pieces on_ready is
  // called once when there is something new.
  virtual StreamStep take(std::size_t bytes_max) = 0;

  // Set once, before the first take.
  virtual void set_on_ready(Task on_ready) = 0;

  // An answer that has an end of its own: it may be compressed, and a server that stops sends it
  // to its end.
  virtual bool is_finite() const { return false; }
};

// A connection that goes on in both directions, message by message: exec, attach, port-forward.
// What it says is taken like any stream's, a piece a message.
class Conversation : public Stream {
 public:
  // One message of the client. `taken` comes when the next may come; never from inside the call.
  virtual void hear(std::string message, Task taken) = 0;
};

// The answer to a request for one, and the subprotocol that was chosen.
struct Upgrade {
  std::string protocol;
  std::unique_ptr<Conversation> conversation;
};

// An object as it lies in the store, and the resourceVersion under which it is shown. Its text is
// made by whoever sends it, on any thread: shown_line() of server/stored_object.h.
struct StoredPiece {
  store::Bytes bytes;
  store::Revision revision;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::variant<Piece, StoredPiece, std::unique_ptr<Stream>, Upgrade> body = Piece();
};

using Respond = UniqueFunction<void(Response)>;

}  // namespace muster::server
