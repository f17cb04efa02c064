// Shared<T>: a value that rows share until one of them changes it. Copying copies a pointer; one
// that was never set reads as T() and takes no memory, so that what few rows have costs the others
// nothing.
//
//   Shared<Admission> admission(Admission{.cluster_queue = "team-a"});
//   Shared<Admission> same = admission;        // the same memory
//   same.edit().pod_sets.clear();              // no longer
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "core/model/expect_memory.h"

namespace muster::core {

template <class T>
class Shared {
 public:
  Shared() = default;
  Shared(T value) : value_(std::make_shared<T>(std::move(value))) {}

  const T& operator*() const { return value_ ? *value_ : unset(); }
  const T* operator->() const { return &**this; }

  // For whoever holds this one alone.
  T& edit() {
    if (!value_ || value_.use_count() > 1) value_ = std::make_shared<T>(**this);
    return *value_;
  }

  bool is_set() const { return value_ != nullptr; }

  // It will be read soon: it is fetched meanwhile.
  void expect() const { expect_line(value_.get()); }

  friend bool operator==(const Shared& a, const Shared& b) {
    return a.value_ == b.value_ || *a == *b;
  }

 private:
  static const T& unset() {
    static const T value;
    return value;
  }

  std::shared_ptr<T> value_;
};

}  // namespace muster::core
