// TreeCache: the parsed trees of stored bytes, so that many readers of one object parse it once and
// a writer's tree need not be parsed at all. Found by the identity of the bytes, which are
// immutable and shared by the store, its history and every event; old entries make room. Those who
// follow an object share one tree with its revision, too.
//
//   trees.remember(bytes, tree);                        // when written
//   Value tree = trees.tree_of(bytes);                  // as stored: without resourceVersion
//   Value shown = trees.tree_at(bytes, revision);       // with it
//
// Assumes: the bytes are those of the store, which holds only what the server wrote.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <unordered_map>

#include "objects/json.h"
#include "objects/value.h"
#include "server/limits.h"
#include "store/bytes.h"
#include "store/store.h"

namespace muster::server {

class TreeCache : public std::enable_shared_from_this<TreeCache> {
 public:
  // Absent when the bytes are none, or no JSON: the store was written by somebody else.
  objects::Value tree_of(const store::Bytes& bytes);
  objects::Value tree_at(const store::Bytes& bytes, store::Revision revision);

  // The same without looking or keeping: on any thread.
  static objects::Value read(const store::Bytes& bytes);

  void remember(const store::Bytes& bytes, const objects::Value& tree);

  // While everything is loaded nothing makes room; then there is room for that and the usual beside
  // it, so that those who list what has just been loaded find it parsed; in the end for the usual.
  void keep_all();
  void keep_loaded();
  void keep_usual();

  std::size_t size() const { return trees_.size(); }

 private:
  struct Kept {
    store::Bytes bytes;  // held, so that nothing else can have this address
    objects::Value tree;
    store::Revision revision = {};  // of the next one; none: nobody asked
    objects::Value shown = {};
  };

  Kept* find_or_read(const store::Bytes& bytes);
  Kept& keep(const store::Bytes& bytes, const objects::Value& tree);
  void make_room();

  std::unordered_map<const char*, Kept> trees_;  // never iterated
  std::deque<const char*> order_;                // oldest first
  std::size_t text_bytes_ = 0;
  std::size_t trees_max_ = trees_kept_max;
  std::size_t text_bytes_max_ = tree_text_bytes_kept_max;
  objects::JsonReader reader_;
};

}  // namespace muster::server
