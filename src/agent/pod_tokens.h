// PodTokens: the tokens of a pod's service account that its volumes ask for. Each is bound to the
// pod, so that it ends with it, and is asked for again when four fifths of its time are over or a
// day has passed, as kubelet does.
//
//   PodTokens tokens(api, house, [this] { … });       // something came, or could not be had
//   if (!tokens.ensure(pod)) return;                  // asks for what is missing or due
//   surroundings.tokens = tokens.texts();
//
// Assumes: the house thread. It holds what it has only in memory: a new agent asks anew.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/surroundings.h"
#include "client/api.h"
#include "client/lifeline.h"
#include "client/list_watch.h"

namespace muster::agent {

// Those that the pod's volumes name, in order, each once.
std::vector<TokenWish> token_wishes_of(objects::View pod);

class PodTokens {
 public:
  PodTokens(client::Api& api, client::House house, UniqueFunction<void()> on_change)
      : api_(api), house_(house), on_change_(std::move(on_change)) {}

  // Whether every one is there, be it due. The pod is the newest.
  bool ensure(objects::View pod);

  std::map<TokenWish, std::string> texts() const;

  // When to look again: nothing to do before.
  std::optional<MonotonicInstant> due() const;

  // Why the last one could not be had; empty: it could.
  const std::string& trouble() const { return trouble_; }

 private:
  struct Token {
    std::string text = {};      // empty: there is none yet
    MonotonicInstant due = {};  // when to ask, again
    bool is_asked = false;
  };

  void ask(objects::View pod, const TokenWish& wish, Token& token);
  void on_answer(const TokenWish& wish, const Result<objects::Value>& answer);

  client::Api& api_;
  client::House house_;
  UniqueFunction<void()> on_change_;
  std::map<TokenWish, Token> tokens_;
  std::string trouble_;
  client::Lifeline lifeline_;
};

}  // namespace muster::agent
