// SPDX-License-Identifier: Apache-2.0
#include "agent/host_images.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::agent {

namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // the last * seen, and what it stands for so far
  std::size_t star_end = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_end = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++star_end;
    } else {
      return false;
    }
  }
  return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(),
                     [](char c) { return c == '*'; });
}

HostImages::HostImages(std::string_view patterns) {
  while (!patterns.empty()) {
    const std::size_t comma = std::min(patterns.find(','), patterns.size());
    const std::string_view pattern = trimmed(patterns.substr(0, comma));
    if (!pattern.empty()) patterns_.emplace_back(pattern);
    patterns.remove_prefix(std::min(comma + 1, patterns.size()));
  }
}

bool HostImages::match(std::string_view image) const {
  return std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const std::string& pattern) { return glob_match(pattern, image); });
}

std::string HostImages::refusal(std::string_view image) const {
  const std::string now = patterns_.empty() ? "it was started without"
                                            : fmt::format("now '{}'", fmt::join(patterns_, ","));
  return fmt::format(
      "image \"{}\" is not available on this node: Muster runs images as programs of this "
      "machine's own filesystem, and only those that match --host-images ({}); to run this one "
      "so, start `muster up` with --host-images '{}'",
      image, now, image);
}

}  // namespace muster::agent
