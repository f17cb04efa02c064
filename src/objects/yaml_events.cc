// SPDX-License-Identifier: Apache-2.0
#include "objects/yaml_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::objects {

bool is_merge_key(const yaml_event_t& event) {
  const auto& scalar = event.data.scalar;
  if (text_of(scalar.value, scalar.length) != "<<") return false;
  if (scalar.tag == nullptr) return scalar.plain_implicit != 0;
  const std::string_view tag = text_of(scalar.tag);
  return tag.starts_with(core_tag_prefix) && tag.substr(core_tag_prefix.size()) == "merge";
}

Error at_line(std::size_t line, std::string_view sentence, std::string field) {
  return Error::bad_request(fmt::format("line {}: {}", line, sentence), std::move(field));
}

Events::Events(std::string_view text) : text_(text) {
  ready_ = yaml_parser_initialize(&parser_) == 1;
  if (!ready_) return;
  yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                               text.size());
}

Events::~Events() {
  drop();
  if (ready_) yaml_parser_delete(&parser_);
}

Result<const yaml_event_t*> Events::next() {
  drop();
  if (!ready_) return Error::internal("out of memory while reading YAML");
  if (yaml_parser_parse(&parser_, &event_) == 0) return explain();
  held_ = true;
  return &event_;
}

// Go counts lines from 0, but for what its scanner finds, and does not name the first.
std::string Events::go_sentence() const {
  std::size_t line = parser_.problem_mark.line;
  if (line != 0 && parser_.error == YAML_SCANNER_ERROR) ++line;
  if (line == 0) line = parser_.context_mark.line;
  const std::string_view problem =
      parser_.problem == nullptr ? "unknown problem parsing YAML content" : parser_.problem;
  if (line == 0) return fmt::format("yaml: {}", problem);
  return fmt::format("yaml: line {}: {}", line, problem);
}

void Events::drop() {
  if (std::exchange(held_, false)) yaml_event_delete(&event_);
}

Error Events::explain() const {
  if (parser_.error == YAML_MEMORY_ERROR) {
    return Error::internal("out of memory while reading YAML");
  }
  const std::string_view problem =
      parser_.problem == nullptr ? "not YAML" : std::string_view(parser_.problem);
  if (parser_.error == YAML_READER_ERROR) {
    const std::string_view before = text_.substr(0, parser_.problem_offset);
    const auto breaks = std::count(before.begin(), before.end(), '\n');
    return at_line(static_cast<std::size_t>(breaks) + 1, problem);
  }
  const std::size_t line = line_of(parser_.problem_mark);
  if (is_indented_by_tab(line)) {
    return at_line(line, "a tab stands where YAML allows only spaces for indentation");
  }
  if (parser_.context == nullptr) return at_line(line, problem);
  return at_line(line, fmt::format("{} {} (which began on line {})", problem, parser_.context,
                                   line_of(parser_.context_mark)));
}

bool Events::is_indented_by_tab(std::size_t line) const {
  if (std::string_view(parser_.problem) != "found character that cannot start any token") {
    return false;
  }
  std::string_view rest = text_;
  for (std::size_t i = 1; i < line; ++i) {
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  }
  const std::size_t indent = rest.find_first_not_of(' ');
  return indent != std::string_view::npos && rest[indent] == '\t';
}

}  // namespace muster::objects
