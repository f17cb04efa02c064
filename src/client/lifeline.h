// Lifeline: answers that come after their receiver is gone are dropped. An Api may owe an answer
// when the component that asked is destroyed; a callback guarded by the component's lifeline then
// does nothing.
//
//   api.call(std::move(call), lifeline_.guard([this](Result<Value> answer) { … }));
//
// Assumes: one thread. The lifeline is declared last in its class, so that it ends first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

namespace muster::client {

class Lifeline {
 public:
  template <class Body>
  auto guard(Body body) const {
    return [alive = std::weak_ptr<const char>(token_),
            body = std::move(body)](auto&&... arguments) mutable {
      if (!alive.expired()) body(std::forward<decltype(arguments)>(arguments)...);
    };
  }

  // Everything guarded so far is dropped.
  void renew() { token_ = std::make_shared<const char>(); }

 private:
  // Shared with the callbacks, whose ends nobody orders.
  std::shared_ptr<const char> token_ = std::make_shared<const char>();
};

}  // namespace muster::client
