// Which images the runtime `host` takes for this machine's own filesystem: comma-separated globs,
// as `muster up --host-images 'pytorch/*,localhost/*:dev'` gives them. * stands for any text, ? for
// one character; the whole image must match.
//
//   HostImages images("trainer:*,busybox");
//   if (!images.match("busybox")) …images.refusal("busybox")
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

class HostImages {
 public:
  explicit HostImages(std::string_view patterns);

  bool match(std::string_view image) const;

  // What a person reads whose image does not match, and what to do.
  std::string refusal(std::string_view image) const;

 private:
  std::vector<std::string> patterns_;
};

// Linear in both for each *; no backtracking beyond the last one.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace muster::agent
