// SPDX-License-Identifier: Apache-2.0
#include "server/tree_cache.h"

#include "server/limits.h"
#include "server/stored_object.h"

namespace muster::server {

using objects::Value;

Value TreeCache::tree_of(const store::Bytes& bytes) {
  if (bytes.is_none()) return {};
  if (const auto found = trees_.find(bytes.view().data()); found != trees_.end()) {
    return found->second.tree;
  }
  auto parsed = reader_.read(object_text(bytes.view()), {.bytes_max = bytes.size()});
  if (!parsed) return {};
  remember(bytes, *parsed);
  return std::move(parsed).take();
}

void TreeCache::remember(const store::Bytes& bytes, const Value& tree) {
  const auto [at, inserted] = trees_.try_emplace(bytes.view().data(), Kept{bytes, tree});
  if (!inserted) return;
  order_.push_back(at->first);
  text_bytes_ += bytes.size();
  make_room();
}

void TreeCache::make_room() {
  while (order_.size() > 1 &&
         (order_.size() > trees_kept_max || text_bytes_ > tree_text_bytes_kept_max)) {
    const auto oldest = trees_.find(order_.front());
    text_bytes_ -= oldest->second.bytes.size();
    order_.pop_front();
    trees_.erase(oldest);
  }
}

}  // namespace muster::server
