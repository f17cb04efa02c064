// The maxima of this folder and its spans.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/instant.h"

namespace muster::control {

// Objects that a loop looks at before it lets others run.
inline constexpr std::size_t keys_per_round_max = 64;

// Writes that are under way at once; the rest waits in line.
inline constexpr std::size_t writes_outstanding_max = 256;

// Cycles of plan() run back to back for this long before their writes are sent.
inline constexpr Span planning_span_max = Span::of_milliseconds(5);

// Before an object is looked at again after a refused write, unless something changes before.
inline constexpr Span refused_span_min = Span::of_milliseconds(10);
inline constexpr Span refused_span_max = Span::of_seconds(10);

// A deadline on the wall clock is looked at again at least this often: the clock may be set.
inline constexpr Span look_again_span_min = Span::of_milliseconds(1);
inline constexpr Span look_again_span_max = Span::of_seconds(60);

// Numbers in the status of a queue are written at most once in the first span, and not before they
// have settled for the second: what the way of a job needs is written first.
inline constexpr Span queue_status_span = Span::of_seconds(1);
// Numbers of all queues together: with a thousand queues each is written less often.
inline constexpr std::int64_t queue_status_writes_per_second_max = 200;
inline constexpr Span queue_settle_span = Span::of_milliseconds(100);

// Series of one of Kueue's metrics: queues × flavors × resources. Beyond it they are "other".
inline constexpr std::size_t kueue_series_max = 50'000;

// Events in the API, as client-go limits them: a burst for each object, then one in five minutes.
inline constexpr std::int64_t event_burst_max = 25;
inline constexpr Span event_refill_span = Span::of_seconds(300);
inline constexpr std::size_t event_series_max = 4096;
inline constexpr std::size_t event_message_bytes_max = 1024;
inline constexpr std::size_t events_outstanding_max = 32;
inline constexpr std::size_t events_waiting_max = 1024;
// All objects together: a thousand at once, then one in this span. Where decisions come by the
// thousand in a second, telling of each would cost more than deciding.
inline constexpr std::int64_t events_at_once_max = 1000;
inline constexpr Span event_pace_span = Span::of_microseconds(2500);

// The record of what the scheduler saw and decided.
inline constexpr std::uint64_t record_bytes_max = std::uint64_t{64} << 20;
inline constexpr std::uint64_t record_waiting_bytes_max = std::uint64_t{16} << 20;

}  // namespace muster::control
