// JsonText: writes JSON straight into a text, for documents that are made once and kept as text.
// It places the commas; whoever writes is responsible for matching ends.
//
//   JsonText out;
//   out.begin_object().key("kind").text("APIGroupList").key("groups").begin_array();
//   …
//   out.end_array().end_object();
//   std::string document = std::move(out).take();
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "objects/builder.h"
#include "objects/json.h"
#include "objects/value.h"

namespace muster::server {

class JsonText {
 public:
  JsonText() = default;
  // Goes on behind a text, in its room.
  explicit JsonText(std::string before) : out_(std::move(before)) {}

  JsonText& begin_object() { return open('{'); }
  JsonText& end_object() { return close('}'); }
  JsonText& begin_array() { return open('['); }
  JsonText& end_array() { return close(']'); }

  JsonText& key(std::string_view key) {
    text(key);
    out_ += ':';
    needs_comma_ = false;
    return *this;
  }
  JsonText& text(std::string_view text) {
    // The node lives no longer than this call, and neither has the text to.
    const objects::Node node = objects::Builder::literal(text);
    return value(objects::View(&node));
  }
  JsonText& boolean(bool value) { return raw(value ? "true" : "false"); }

  JsonText& value(objects::View value) {
    separate();
    objects::append_json(value, out_);
    return *this;
  }

  // What is JSON already.
  JsonText& raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
  }

  template <class Texts>
  JsonText& texts(const Texts& all) {
    begin_array();
    for (const auto& each : all) text(each);
    return end_array();
  }

  std::string take() && { return std::move(out_); }

 private:
  void separate() {
    if (needs_comma_) out_ += ',';
    needs_comma_ = true;
  }
  JsonText& open(char bracket) {
    separate();
    out_ += bracket;
    needs_comma_ = false;
    return *this;
  }
  JsonText& close(char bracket) {
    out_ += bracket;
    needs_comma_ = true;
    return *this;
  }

  std::string out_;
  bool needs_comma_ = false;
};

// Thirty-two hexadecimal digits that differ where texts differ: a name for a text, no protection
// against somebody who wants two texts to have the same.
std::string content_hash(std::string_view text);

}  // namespace muster::server
