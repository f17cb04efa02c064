// Durations as Go writes and reads them, which is how Kubernetes' configuration and Kueue's objects
// carry them (metav1.Duration): "1h2m3.5s", "1.5µs", "0s", "-300ms". Reading takes any mix of
// units; printing gives the one canonical form. Errors are Go's sentences.
//
//   const Span timeout = TRY(parse_duration("5m"));
//   format_duration(timeout);               // "5m0s"
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/result.h"

namespace muster {

Result<Span> parse_duration(std::string_view text);

std::string format_duration(Span span);

}  // namespace muster
