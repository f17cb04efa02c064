// The maxima of this folder. Beyond each there is a typed refusal or a visible cut, never growth.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster {

// A quantity's text; its exponent either way, and the digits before its point: amounts of 10^1000
// and more are refused. Upstream takes any, and computes a billion digits for an exponent of a
// billion.
inline constexpr std::size_t quantity_text_bytes_max = 1024;
inline constexpr std::int64_t quantity_digits_max = 1000;

// One line of the log, and the text of one of its fields before escaping.
inline constexpr std::size_t log_line_bytes_max = 16'384;
inline constexpr std::size_t log_value_bytes_max = 2'048;

// Metrics. A label value that names an object (namespace/name) stays below 320 bytes.
inline constexpr std::size_t metric_series_per_family_max = 1'000;
inline constexpr std::size_t metric_labels_max = 12;
inline constexpr std::size_t metric_label_value_bytes_max = 512;
inline constexpr std::size_t metric_buckets_max = 64;

}  // namespace muster
