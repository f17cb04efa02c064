// The named maxima of the store. Beyond each of them comes a typed refusal, never growth. They
// are fields, so that a test can make them small; nobody else changes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::store {

inline constexpr std::size_t mebibyte = 1'048'576;

struct StoreLimits {
  // A key is a path of Kubernetes names: 253 for each of group, namespace and name.
  std::size_t key_bytes_max = 1'024;

  // etcd refuses requests over 1.5 MiB; an object that passed there must fit here.
  std::size_t value_bytes_max = 3 * mebibyte;

  // Accepted and not yet answered. Beyond: too_many_requests.
  std::size_t outstanding_writes_max = 16'384;
  std::size_t outstanding_bytes_max = 128 * mebibyte;

  // One transaction. What does not fit waits for the next one.
  std::size_t batch_records_max = 4'096;
  std::size_t batch_bytes_max = 8 * mebibyte;

  // Rows of compacted history deleted along with a transaction: few while somebody waits for it.
  std::size_t trim_rows_busy_max = 64;
  std::size_t trim_rows_idle_max = 512;

  // The write-ahead log is moved into the main file when it is this long.
  std::size_t log_bytes_checkpoint = 16 * mebibyte;

  // One page of a list; a request for more gets this much and the rest by `start`.
  std::size_t list_entries_max = 100'000;

  // What lists of the past and late watchers can go back to. Beyond, the store compacts the oldest
  // eighth by itself. Bytes are those that only history holds: former values and deleted keys. So
  // many are some 4,000 former versions: minutes of what usually happens, and seconds of a storm,
  // which is what lies between a list and its watch. Who watches already has a buffer of its own.
  std::size_t history_events_max = 200'000;
  std::size_t history_bytes_max = 10 * mebibyte;

  // A watcher that lets more than this pile up is cut off; the writer never waits for it.
  std::size_t watch_events_buffered_max = 20'000;
  std::size_t watch_bytes_buffered_max = 32 * mebibyte;
  std::size_t watches_max = 100'000;

  // How much of history one take() of a late watcher looks at, so that it cannot hold the house.
  std::size_t watch_scan_events_max = 10'000;
};

}  // namespace muster::store
