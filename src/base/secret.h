// Secret: a token, password or key on its way through the house. Printing it, by fmt, stream or
// log, yields "[redacted]"; whoever needs the text says reveal() and can be found by that word.
// The bytes are wiped when the secret goes away. It moves and does not copy.
//
//   const Secret token(std::move(text));
//   if (!token.matches(presented)) return refuse();     // in time that tells nothing
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

namespace muster {

inline constexpr std::string_view redacted_text = "[redacted]";

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  ~Secret() { wipe(); }
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;

  std::string_view reveal() const { return text_; }
  bool is_empty() const { return text_.empty(); }

  // Takes as long for a wrong text as for the right one of the same size.
  bool matches(std::string_view presented) const;

  friend std::ostream& operator<<(std::ostream& out, const Secret& secret);

 private:
  void wipe() noexcept;

  std::string text_;
};

}  // namespace muster

template <>
struct fmt::formatter<muster::Secret> : fmt::formatter<fmt::string_view> {
  template <class Context>
  auto format(const muster::Secret&, Context& context) const {
    return fmt::formatter<fmt::string_view>::format(
        {muster::redacted_text.data(), muster::redacted_text.size()}, context);
  }
};
