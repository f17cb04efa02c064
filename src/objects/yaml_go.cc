// What Go's reader of YAML says of a text, in its words.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "objects/field_error.h"
#include "objects/yaml.h"
#include "objects/yaml_events.h"
#include "objects/yaml_scalar.h"

namespace muster::objects {

namespace {

using Kind = PlainScalar::Kind;

// A key as Go prints it: text in quotes, so that 1 and "1" are two.
std::string printed_key(const yaml_event_t& event) {
  const auto& scalar = event.data.scalar;
  const std::string_view text = text_of(scalar.value, scalar.length);
  if (scalar.tag != nullptr || scalar.plain_implicit == 0) return go_quoted(text);
  const PlainScalar plain = resolve_plain(text);
  switch (plain.kind) {
    case Kind::boolean:
      return plain.boolean ? "true" : "false";
    case Kind::integer:
      return fmt::format("{}", plain.integer);
    case Kind::string:
      return go_quoted(text);
    default:
      return std::string(text);
  }
}

// Finds keys that a mapping has twice. Each is told when its value ends, with the line where that
// began.
class DuplicateKeyFinder {
 public:
  void take(const yaml_event_t& event) {
    const std::size_t line = line_of(event.start_mark);
    switch (event.type) {
      case YAML_MAPPING_START_EVENT:
      case YAML_SEQUENCE_START_EVENT:
        open_.push_back({.is_mapping = event.type == YAML_MAPPING_START_EVENT, .line = line});
        return;
      case YAML_MAPPING_END_EVENT:
      case YAML_SEQUENCE_END_EVENT: {
        const std::size_t began = open_.back().line;
        open_.pop_back();
        return end_value(began);
      }
      case YAML_SCALAR_EVENT:
        if (!open_.empty() && open_.back().is_mapping && !open_.back().has_key) {
          open_.back().key = printed_key(event);
          open_.back().has_key = true;
          return;
        }
        return end_value(line);
      default:
        return;
    }
  }

  std::vector<std::string> take_found() { return std::move(found_); }

 private:
  struct Container {
    bool is_mapping = false;
    std::size_t line = 0;
    bool has_key = false;  // and waits for its value
    std::string key = {};
    std::set<std::string> keys = {};
  };

  void end_value(std::size_t line) {
    if (open_.empty() || !open_.back().is_mapping) return;
    Container& mapping = open_.back();
    if (!mapping.has_key) return;
    mapping.has_key = false;
    if (mapping.keys.insert(mapping.key).second) return;
    found_.push_back(fmt::format("line {}: key {} already set in map", line, mapping.key));
  }

  std::vector<Container> open_;
  std::vector<std::string> found_;
};

}  // namespace

std::optional<std::string> go_yaml_error(std::string_view text) {
  Events events(text);
  while (true) {
    const auto event = events.next();
    if (!event) return events.go_sentence();
    if ((*event)->type == YAML_STREAM_END_EVENT) return std::nullopt;
  }
}

std::vector<std::string> go_yaml_duplicates(std::string_view text) {
  Events events(text);
  DuplicateKeyFinder finder;
  while (true) {
    const auto event = events.next();
    if (!event || (*event)->type == YAML_DOCUMENT_END_EVENT) return finder.take_found();
    finder.take(**event);
  }
}

}  // namespace muster::objects
