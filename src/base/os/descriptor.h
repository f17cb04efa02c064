// Descriptor: one open file descriptor, closed when destroyed. retry() repeats a system call that
// a signal interrupted.
//
//   Descriptor file(retry([&] { return ::open(path, O_RDONLY | O_CLOEXEC); }));
//   if (!file) return system_error("open", path, errno);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <utility>

namespace muster {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

template <class Call>
auto retry(Call call) {
  auto outcome = call();
  while (outcome < 0 && errno == EINTR) outcome = call();
  return outcome;
}

}  // namespace muster
