// ListStream: a large list as HTTP sends it, piece by piece while it is written to the client: the
// house thread is not held for all of it, and what a slow reader holds is the stored objects, which
// it shares with the store, not a text of its own.
//
//   respond({.body = std::make_unique<ListStream>(head, std::move(snapshot.items), bare)});
//
// Assumes: every item is shown as it is stored, so nothing can fail on the way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "server/read.h"
#include "server/request.h"

namespace muster::server {

// Where items are shown without kind and apiVersion.
enum class ItemForm : std::uint8_t { bare, typed };

class ListStream final : public Stream {
 public:
  // `head` is the text before the first item.
  ListStream(std::string head, std::vector<Item> items, ItemForm form);

  StreamStep take(std::size_t bytes_max) override;
  void set_on_ready(Task on_ready) override;
  bool is_finite() const override { return true; }

 private:
  std::string text_;  // not yet sent
  std::vector<Item> items_;
  std::size_t next_ = 0;
  ItemForm form_;
};

}  // namespace muster::server
