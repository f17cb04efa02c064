// SPDX-License-Identifier: Apache-2.0
#include "server/tree_cache.h"

#include <limits>
#include <utility>

#include "server/stored_object.h"

namespace muster::server {

using objects::Value;

// Null where there is no tree.
TreeCache::Kept* TreeCache::find_or_read(const store::Bytes& bytes) {
  if (bytes.is_none()) return nullptr;
  if (const auto found = trees_.find(bytes.view().data()); found != trees_.end()) {
    return &found->second;
  }
  auto parsed = reader_.read(object_text(bytes.view()), {.bytes_max = bytes.size()});
  return parsed ? &keep(bytes, *parsed) : nullptr;
}

TreeCache::Kept& TreeCache::keep(const store::Bytes& bytes, const Value& tree) {
  const auto [at, inserted] = trees_.try_emplace(bytes.view().data(), Kept{bytes, tree});
  if (!inserted) return at->second;
  order_.push_back(at->first);
  text_bytes_ += bytes.size();
  make_room();  // the newest stays
  return at->second;
}

Value TreeCache::read(const store::Bytes& bytes) {
  auto parsed = objects::parse_json(object_text(bytes.view()), {.bytes_max = bytes.size()});
  return parsed ? std::move(*parsed) : Value();
}

void TreeCache::remember(const store::Bytes& bytes, const Value& tree) {
  keep(bytes, tree);
}

Value TreeCache::tree_of(const store::Bytes& bytes) {
  const Kept* kept = find_or_read(bytes);
  return kept == nullptr ? Value() : kept->tree;
}

Value TreeCache::tree_at(const store::Bytes& bytes, store::Revision revision) {
  Kept* kept = find_or_read(bytes);
  if (kept == nullptr) return with_revision(Value(), revision);
  if (kept->revision != revision) {
    kept->shown = with_revision(kept->tree, revision);
    kept->revision = revision;
  }
  return kept->shown;
}

void TreeCache::keep_all() {
  trees_max_ = std::numeric_limits<std::size_t>::max();
  text_bytes_max_ = std::numeric_limits<std::size_t>::max();
}

void TreeCache::keep_loaded() {
  trees_max_ = order_.size() + trees_kept_max;
  text_bytes_max_ = text_bytes_ + tree_text_bytes_kept_max;
}

void TreeCache::keep_usual() {
  trees_max_ = trees_kept_max;
  text_bytes_max_ = tree_text_bytes_kept_max;
  make_room();
}

void TreeCache::make_room() {
  while (order_.size() > 1 && (order_.size() > trees_max_ || text_bytes_ > text_bytes_max_)) {
    const auto oldest = trees_.find(order_.front());
    text_bytes_ -= oldest->second.bytes.size();
    order_.pop_front();
    trees_.erase(oldest);
  }
}

}  // namespace muster::server
