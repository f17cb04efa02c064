// SPDX-License-Identifier: Apache-2.0
#include "store/bytes.h"

#include <cstring>
#include <limits>
#include <new>

#include "base/check.h"

namespace muster::store {

Bytes Bytes::copy_of(std::string_view bytes) {
  CHECK(bytes.size() <= std::numeric_limits<std::uint32_t>::max());
  void* memory = ::operator new(sizeof(Header) + bytes.size());
  Bytes copy;
  copy.header_ = new (memory) Header{{1}, static_cast<std::uint32_t>(bytes.size())};
  char* content = static_cast<char*>(memory) + sizeof(Header);
  if (!bytes.empty()) std::memcpy(content, bytes.data(), bytes.size());
  return copy;
}

void Bytes::release() {
  if (header_ == nullptr) return;
  // The last holder must see everything that the others did before they let go.
  if (header_->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  header_->~Header();
  ::operator delete(header_);
}

}  // namespace muster::store
