// SPDX-License-Identifier: Apache-2.0
#include "server/list_stream.h"

#include <algorithm>
#include <utility>

#include "server/limits.h"
#include "server/stored_object.h"

namespace muster::server {

ListStream::ListStream(std::string head, std::vector<Item> items, ItemForm form)
    : text_(std::move(head)), items_(std::move(items)), form_(form) {}

StreamStep ListStream::take(std::size_t bytes_max) {
  const std::size_t enough = std::min(bytes_max, list_piece_bytes);
  while (next_ < items_.size() && text_.size() < enough) {
    const Item item = std::exchange(items_[next_], {});
    if (next_ > 0) text_ += ',';
    ++next_;
    if (form_ == ItemForm::bare) {
      append_item(item.bytes.view(), item.revision, text_);
    } else {
      append_with_revision(item.bytes.view(), item.revision, text_);
    }
  }
  const bool ended = next_ == items_.size();
  if (ended) text_ += "]}\n";
  StreamStep step{.pieces = {Piece::copy_of(text_)}, .ended = ended};
  text_.clear();  // its room stays
  return step;
}

// There is always more until it has ended.
void ListStream::set_on_ready(Task) {}

}  // namespace muster::server
