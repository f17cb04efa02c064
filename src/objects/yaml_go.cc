// What Go's reader of YAML says of a text, in its words.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "objects/field_error.h"
#include "objects/yaml.h"
#include "objects/yaml_anchors.h"
#include "objects/yaml_events.h"
#include "objects/yaml_scalar.h"

namespace muster::objects {

namespace {

using Kind = PlainScalar::Kind;

constexpr std::string_view merge_key = "<<";  // unlike a text, which has quotes

// A key as Go prints it: text in quotes, so that 1 and "1" are two.
std::string printed_key(const yaml_event_t& event) {
  const auto& scalar = event.data.scalar;
  const std::string_view text = text_of(scalar.value, scalar.length);
  if (is_merge_key(event)) return std::string(merge_key);
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
      case YAML_ALIAS_EVENT:
        if (!open_.empty() && open_.back().is_mapping && !open_.back().has_key) {
          open_.back().key = fmt::format("*{}", text_of(event.data.alias.anchor));
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
    if (mapping.key == merge_key) return;
    if (mapping.keys.insert(mapping.key).second) return;
    found_.push_back(fmt::format("line {}: key {} already set in map", line, mapping.key));
  }

  std::vector<Container> open_;
  std::vector<std::string> found_;
};

// Follows the anchors of a text, for aliases that stand for nothing.
class AliasCheck {
 public:
  Result<> take(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        anchors_ = {};
        return {};
      case YAML_ALIAS_EVENT:
        TRY(anchors_.find(text_of(event.data.alias.anchor)));
        return {};
      case YAML_SCALAR_EVENT:
        end(name_of(event.data.scalar.anchor));
        return {};
      case YAML_SEQUENCE_START_EVENT:
        begin(name_of(event.data.sequence_start.anchor));
        return {};
      case YAML_MAPPING_START_EVENT:
        begin(name_of(event.data.mapping_start.anchor));
        return {};
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        end(open_.back());
        open_.pop_back();
        return {};
      default:
        return {};
    }
  }

 private:
  static std::string name_of(const yaml_char_t* anchor) {
    return anchor == nullptr ? std::string() : std::string(text_of(anchor));
  }

  void begin(std::string name) {
    if (!name.empty()) anchors_.begin(name);
    open_.push_back(std::move(name));
  }

  void end(std::string_view name) {
    if (!name.empty()) anchors_.set(name, Node());
  }

  Anchors anchors_;
  std::vector<std::string> open_;  // what the containers around are called, or nothing
};

}  // namespace

std::optional<std::string> go_yaml_error(std::string_view text) {
  Events events(text);
  AliasCheck aliases;
  std::string wrong_alias;  // of a text that is no YAML further on, that is told
  while (true) {
    const auto event = events.next();
    if (!event) return events.go_sentence();
    if ((*event)->type == YAML_STREAM_END_EVENT) break;
    const auto fine = aliases.take(**event);
    if (!fine && wrong_alias.empty()) wrong_alias = fine.error().message;
  }
  if (wrong_alias.empty()) return std::nullopt;
  return fmt::format("yaml: {}", wrong_alias);
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
