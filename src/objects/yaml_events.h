// The events of a YAML text, as libyaml finds them one by one.
//
//   Events events(text);
//   while ((*TRY(events.next())).type != YAML_STREAM_END_EVENT) …
//
// Internal to this folder. Assumes: the text outlives the events.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/result.h"

namespace muster::objects {

inline constexpr std::string_view core_tag_prefix = "tag:yaml.org,2002:";

inline std::size_t line_of(const yaml_mark_t& mark) {
  return mark.line + 1;
}

inline std::string_view text_of(const yaml_char_t* text, std::size_t size) {
  return {reinterpret_cast<const char*>(text), size};
}

inline std::string_view text_of(const yaml_char_t* text) {
  return reinterpret_cast<const char*>(text);
}

// A scalar `<<`, where it stands for a key.
bool is_merge_key(const yaml_event_t& scalar);

Error at_line(std::size_t line, std::string_view sentence, std::string field = {});

// libyaml's parser and its current event, freed in every way out.
class Events {
 public:
  explicit Events(std::string_view text);
  ~Events();
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  // The next event; the one before it is gone.
  Result<const yaml_event_t*> next();

  // What Go's reader says of the place where the last call failed.
  std::string go_sentence() const;

 private:
  void drop();
  Error explain() const;
  bool is_indented_by_tab(std::size_t line) const;

  std::string_view text_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  bool ready_ = false;
  bool held_ = false;
};

}  // namespace muster::objects
