// Api: the one interface to a Kubernetes API. Controllers and agents speak it and nothing else;
// server/ implements it in process, client/https_api over TLS, and the simulator wraps one of them
// to lose, delay and reorder what passes.
//
//   api.call({.verb = Verb::get, .resource = resources::jobs, .name_space = "a", .name = "train"},
//            [](Result<Value> job) { … });
//   auto watch = api.watch({.resource = resources::pods, .resource_version = seen}, sink);
//
// Assumes: everything is called on the house executor's thread and every answer comes there, never
// from inside the call. An Error's code is the Status reason, its message the Status message. An
// Api outlives the answers it owes; a caller that goes away first says so with its Watch or by
// ending the executor. A lost connection is `unavailable`: the call may or may not have happened.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_function.h"
#include "objects/patch/patch.h"
#include "objects/resource.h"
#include "objects/value.h"

namespace muster::client {

enum class Verb : std::uint8_t { get, list, create, update, patch, remove };

enum class Propagation : std::uint8_t { background, foreground, orphan };

struct Preconditions {
  std::string uid = {};  // empty: any
  std::string resource_version = {};
};

struct Call {
  Verb verb = Verb::get;
  objects::Resource resource;
  std::string name_space = {};   // of a list: empty means all
  std::string name = {};         // of get, update, patch, remove, and of a subresource's create
  std::string subresource = {};  // "status", "binding"
  objects::Value body = {};      // create, update: the object; patch: the patch

  objects::PatchType patch_type = objects::PatchType::merge;
  std::string label_selector = {};  // list
  std::string field_selector = {};
  Propagation propagation = Propagation::background;  // remove
  std::optional<std::int64_t> grace_period_seconds = {};
  Preconditions preconditions = {};
};

// Of a list: the whole List object (`items`, `metadata.resourceVersion`).
using Answer = UniqueFunction<void(Result<objects::Value>)>;

// A list taken apart: each item lives on its own, and may share what the answering side keeps.
struct Listed {
  std::string resource_version;
  std::vector<objects::Value> items;
};

using ListAnswer = UniqueFunction<void(Result<Listed>)>;

struct WatchCall {
  objects::Resource resource;
  std::string name_space = {};
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};  // events after it
};

struct WatchEvent {
  enum class Type : std::uint8_t { added, modified, deleted, bookmark };
  Type type = Type::added;
  objects::Value object;  // of a bookmark: only metadata.resourceVersion
};

// on_closed comes at most once and last: `expired` asks for a new list, anything else for a watch
// from the last version seen.
struct WatchSink {
  UniqueFunction<void(WatchEvent)> on_event;
  UniqueFunction<void(Error)> on_closed;
};

// Destroying it ends the watch: nothing is delivered afterwards. Not from inside on_event.
class Watch {
 public:
  virtual ~Watch() = default;
};

class Api {
 public:
  virtual ~Api() = default;

  virtual void call(Call call, Answer answer) = 0;

  // call() of a list for who keeps its items, without a text of all of them where that can be.
  virtual void list(Call call, ListAnswer answer);

  virtual std::unique_ptr<Watch> watch(WatchCall call, WatchSink sink) = 0;
};

}  // namespace muster::client
