// Ring: the ranks of one training run, joined by TCP. Rank 0 listens at a name that the others look
// up; it tells everybody where its neighbour listens, and from then on each rank sends to the next
// and receives from the one before.
//
//   Ring ring = Ring::join({.rank = 1, .size = 4, .master = "train-0.train", .port = 29500});
//   ring.all_reduce(gradient);        // every rank now holds the sum, bit for bit the same
//
// Assumes: a broken connection ends the run: every call throws RingBroken, because a ring with a
// hole carries nothing. The trainer is an example beside the product, so it has its own sockets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace muster::trainer {

class RingBroken : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A descriptor that closes itself.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();

  int get() const { return descriptor_; }
  void send_all(std::span<const std::byte> bytes) const;
  void receive_all(std::span<std::byte> bytes) const;

 private:
  int descriptor_ = -1;
};

struct RingOptions {
  int rank = 0;
  int size = 1;
  std::string master = "127.0.0.1";  // where rank 0 is found
  std::uint16_t port = 29500;
  int lookups_max = 1;  // how often the name may be asked for
  std::chrono::seconds patience{60};
};

class Ring {
 public:
  static Ring join(const RingOptions& options);

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Where rank 0 was found, and at which look-up.
  const std::string& master_address() const { return master_address_; }
  int lookups() const { return lookups_; }

  // Adds up over all ranks, in pieces that travel around the ring twice.
  void all_reduce(std::span<float> values) const;

  // Everybody gets what rank 0 has.
  void broadcast(std::span<std::byte> bytes) const;

  // Returns when every rank has called it.
  void barrier() const;

 private:
  void exchange(std::span<const std::byte> out, std::span<std::byte> in) const;

  int rank_ = 0;
  int size_ = 1;
  std::string master_address_;
  int lookups_ = 0;
  Socket next_;
  Socket previous_;
};

}  // namespace muster::trainer
