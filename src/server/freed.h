// Freed: lets a unique_ptr hold what OpenSSL made, with the function that gives it back.
//
//   using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace muster::server {

template <auto free_it>
struct Freed {
  template <class T>
  void operator()(T* pointer) const {
    free_it(pointer);
  }
};

}  // namespace muster::server
