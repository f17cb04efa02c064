// Pointer: a JSON pointer (RFC 6901), the path of a JSON patch operation. "" is the whole
// document; every other pointer begins with a slash; "~1" stands for a slash in a key and "~0"
// for a tilde.
//
//   Pointer pointer = TRY(Pointer::parse("/metadata/labels/app.kubernetes.io~1name"));
//   pointer.tokens().back();                          // "app.kubernetes.io/name"
//   View value = at(document, pointer);
//
// Assumes: a tilde before anything but 0 and 1 stands for itself, as kube-apiserver reads it
// (RFC 6901 calls it an error).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/value.h"

namespace muster::objects {

class Pointer {
 public:
  Pointer() = default;  // the whole document

  // Fails (bad_request) when the text is not empty and does not begin with a slash.
  static Result<Pointer> parse(std::string_view text);

  bool is_root() const { return tokens_.empty(); }
  std::span<const std::string> tokens() const { return tokens_; }

  void push(std::string_view token) { tokens_.emplace_back(token); }
  void push(std::size_t index) { tokens_.push_back(std::to_string(index)); }
  void pop() { tokens_.pop_back(); }

  std::string to_string() const;

  friend bool operator==(const Pointer&, const Pointer&) = default;

 private:
  std::vector<std::string> tokens_;
};

// The token with "~" and "/" escaped.
std::string escape_pointer_token(std::string_view token);

// What a token says about a place in an array of this size.
struct ArrayIndex {
  enum class Kind : unsigned char {
    element,        // `value` is an element
    end,            // one past the last: "-", or the size in digits
    out_of_bounds,  // a number, but beyond both ends; `number` says which
    too_large,      // a number that no array can have
    not_a_number,   // also a leading zero or a plus sign
  };
  Kind kind;
  std::size_t value = 0;
  std::string_view number = {};
};

// Negative numbers count from the end (-1 is the last), as kube-apiserver does. "-" is `end`.
ArrayIndex array_index(std::string_view token, std::size_t size);

// The view at the pointer; absent when a token finds nothing.
View at(View root, const Pointer& pointer);

}  // namespace muster::objects
