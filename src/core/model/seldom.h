// Seldom<T>: a value that few rows have. One that was never set reads as T() and takes a pointer's
// room; one that is set lies on the heap and belongs to its row alone. Copying copies the value.
//
//   Seldom<std::set<PodId>> pods;
//   pods->size();                 // 0, and no memory was taken
//   pods.edit().insert(id);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "core/model/expect_memory.h"

namespace muster::core {

template <class T>
class Seldom {
 public:
  Seldom() = default;
  Seldom(const Seldom& other) : value_(other.value_ ? std::make_unique<T>(*other) : nullptr) {}
  Seldom(Seldom&&) noexcept = default;
  Seldom& operator=(const Seldom& other) {
    if (this != &other) value_ = other.value_ ? std::make_unique<T>(*other) : nullptr;
    return *this;
  }
  Seldom& operator=(Seldom&&) noexcept = default;
  ~Seldom() = default;

  const T& operator*() const { return value_ ? *value_ : unset(); }
  const T* operator->() const { return &**this; }

  T& edit() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }

  void reset() { value_.reset(); }

  // It will be read soon: it is fetched meanwhile.
  void expect() const { expect_memory(value_.get(), sizeof(T)); }

 private:
  static const T& unset() {
    static const T value;
    return value;
  }

  std::unique_ptr<T> value_;
};

}  // namespace muster::core
