// SPDX-License-Identifier: Apache-2.0
#include "store/bytes.h"

#include <cstring>
#include <limits>
#include <new>

#include "base/check.h"

namespace muster::store {

Bytes Bytes::joined(std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  CHECK(size <= std::numeric_limits<std::uint32_t>::max());
  void* memory = ::operator new(sizeof(Header) + size);
  Bytes all;
  all.header_ = new (memory) Header{{1}, static_cast<std::uint32_t>(size)};
  char* to = static_cast<char*>(memory) + sizeof(Header);
  for (const std::string_view part : parts) {
    if (!part.empty()) std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
  return all;
}

void Bytes::release() {
  // The last holder must see everything that the others did before they let go.
  if (header_->holders.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  header_->~Header();
  ::operator delete(header_);
}

}  // namespace muster::store
