// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

#include "objects/assembler.h"
#include "objects/builder.h"
#include "objects/number_text.h"
#include "objects/yaml.h"
#include "objects/yaml_anchors.h"
#include "objects/yaml_events.h"
#include "objects/yaml_merge_keys.h"
#include "objects/yaml_scalar.h"

namespace muster::objects {

namespace {

using Kind = PlainScalar::Kind;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

// A real goes through JSON, where Go writes 1e3 as 1000, which is then read as an integer.
Node node_of_real(double value) {
  std::array<char, number_text_max> text;
  char* const end = write_json_real(text.data(), value);
  std::int64_t integer = 0;
  const auto read = std::from_chars(text.data(), end, integer);
  const bool whole = read.ec == std::errc() && std::string_view(read.ptr, end) == ".0";
  return whole ? Builder::integer(integer) : Builder::real(value);
}

// What comes of the scalar in JSON.
Result<Node> node_of(const PlainScalar& scalar, std::string_view text, Builder& builder) {
  switch (scalar.kind) {
    case Kind::null:
      return Builder::null();
    case Kind::boolean:
      return Builder::boolean(scalar.boolean);
    case Kind::integer:
      return Builder::integer(scalar.integer);
    case Kind::big_integer:
      return Builder::real(scalar.real);
    case Kind::real:
      return node_of_real(scalar.real);
    case Kind::not_finite:
      return Error::bad_request(fmt::format("{} cannot be written in JSON", text));
    case Kind::string:
      return builder.text(text);
  }
  return Error::internal("a kind of YAML scalar that does not exist");
}

// The name of the kind as its tag spells it.
std::string_view tag_name(Kind kind) {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "bool";
    case Kind::integer:
    case Kind::big_integer:
      return "int";
    case Kind::real:
    case Kind::not_finite:
      return "float";
    case Kind::string:
      return "str";
  }
  return "str";
}

// A scalar with one of YAML's own tags, named without its prefix.
Result<PlainScalar> resolve_tagged(std::string_view tag, std::string_view text) {
  if (tag == "str") return PlainScalar();
  if (tag == "timestamp" && is_timestamp(text)) return PlainScalar();
  const bool known =
      tag == "null" || tag == "bool" || tag == "int" || tag == "float" || tag == "timestamp";
  if (!known) return Error::bad_request(fmt::format("the tag !!{} is refused", tag));
  const PlainScalar scalar = resolve_plain(text);
  const std::string_view found = tag_name(scalar.kind);
  if (found == tag || (tag == "float" && scalar.kind == Kind::integer)) return scalar;
  return Error::bad_request(fmt::format("cannot decode !!{} `{}` as a !!{}", found, text, tag));
}

class DocumentReader {
 public:
  DocumentReader(Events& events, const ParseOptions& options, AliasBudget& budget)
      : events_(events), options_(options), budget_(budget) {
    assembler_.begin(builder_, options);
  }

  // From behind the document's start to its end. Nothing where the document is empty.
  Result<std::optional<YamlDocument>> read() {
    std::size_t first_line = 0;
    for (;;) {
      const yaml_event_t& event = *TRY(events_.next());
      if (event.type == YAML_DOCUMENT_END_EVENT) break;
      if (first_line == 0) first_line = line_of(event.start_mark);
      TRY(take(event));
    }
    const Node root = assembler_.root();
    if (root.type == Type::null) return std::optional<YamlDocument>();
    return std::optional<YamlDocument>(
        YamlDocument{std::move(builder_).finish(root), first_line, std::move(lines_)});
  }

 private:
  Result<> take(const yaml_event_t& event) {
    const std::size_t line = line_of(event.start_mark);
    switch (event.type) {
      case YAML_ALIAS_EVENT:
        return add_alias(text_of(event.data.alias.anchor), line);
      case YAML_SCALAR_EVENT:
        return add_scalar(event, line);
      case YAML_SEQUENCE_START_EVENT:
        TRY(refuse_tag(event.data.sequence_start.tag, "seq", line));
        return open(Type::array, event.data.sequence_start.anchor, line);
      case YAML_MAPPING_START_EVENT:
        TRY(refuse_tag(event.data.mapping_start.tag, "map", line));
        return open(Type::object, event.data.mapping_start.anchor, line);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return close();
      default:
        return Error::internal("libyaml returned an event out of place");
    }
  }

  Result<> refuse_tag(const yaml_char_t* tag, std::string_view allowed, std::size_t line) const {
    if (tag == nullptr || text_of(tag) == "!") return {};
    if (text_of(tag).starts_with(core_tag_prefix) &&
        text_of(tag).substr(core_tag_prefix.size()) == allowed) {
      return {};
    }
    return at_line(line, fmt::format("the tag {} is refused", text_of(tag)));
  }

  Result<> open(Type type, const yaml_char_t* anchor, std::size_t line) {
    if (assembler_.expects_key()) {
      return at_line(line, "a mapping or a sequence cannot be a key", assembler_.path());
    }
    begin_value(line);
    if (!assembler_.open(type)) {
      return Error::too_large(
          fmt::format("line {}: nested deeper than the limit of {}", line, options_.depth_max));
    }
    open_.push_back({.first = starts_.size(), .merges = merges_.size()});
    if (anchor != nullptr) {
      open_.back().anchor = text_of(anchor);
      anchors_.begin(open_.back().anchor);
    }
    return {};
  }

  Result<> close() {
    const std::size_t first = open_.back().first;
    if (merges_.size() > open_.back().merges) TRY(write_merges_out());
    if (!assembler_.close()) {
      const std::uint32_t line = lines_[starts_[first + assembler_.first_duplicate()]];
      return at_line(line, assembler_.error().message, assembler_.error().field);
    }
    forget_lines(std::span(starts_).subspan(first));
    starts_.resize(first);
    if (!open_.back().anchor.empty()) anchors_.set(open_.back().anchor, assembler_.last());
    open_.pop_back();
    return {};
  }

  // The members that the merge keys of the innermost mapping stand for, in their place. All of the
  // mapping is looked at for that, again for each mapping around it that has merge keys.
  Result<> write_merges_out() {
    const std::size_t first = open_.back().first;
    const std::span<const std::size_t> starts = std::span(starts_).subspan(first);
    const std::vector<std::uint32_t> lines(
        lines_.begin() + static_cast<std::ptrdiff_t>(starts.front()), lines_.end());
    TRY(budget_.spend_bytes(lines.size(), lines.front()));
    std::vector<YamlMember> members;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::size_t begin = starts[i] - starts.front();
      const std::size_t end = i + 1 < starts.size() ? starts[i + 1] - starts.front() : lines.size();
      members.push_back({.key = assembler_.innermost()[2 * i],
                         .value = assembler_.innermost()[2 * i + 1],
                         .lines = std::span(lines).subspan(begin, end - begin)});
    }
    for (std::size_t i = open_.back().merges; i < merges_.size(); ++i) {
      members[merges_[i]].is_merge = true;
    }
    const std::vector<YamlMember> written = TRY(merge_members(members));
    merges_.resize(open_.back().merges);
    assembler_.clear_innermost();
    lines_.resize(lines_.size() - lines.size());
    starts_.resize(first);
    for (const YamlMember& member : written) {
      assembler_.push() = member.key;
      assembler_.push() = member.value;
      starts_.push_back(lines_.size());
      lines_.insert(lines_.end(), member.lines.begin(), member.lines.end());
    }
    return {};
  }

  // Takes out the lines of members that a later duplicate replaced.
  void forget_lines(std::span<const std::size_t> starts) {
    const std::span<const std::size_t> superseded = assembler_.superseded();
    for (std::size_t i = superseded.size(); i-- > 0;) {
      const std::size_t member = superseded[i];
      const auto begin = lines_.begin() + static_cast<std::ptrdiff_t>(starts[member]);
      const auto end = lines_.begin() + static_cast<std::ptrdiff_t>(starts[member + 1]);
      lines_.erase(begin, end);
    }
  }

  Result<> add_scalar(const yaml_event_t& event, std::size_t line) {
    const auto& scalar = event.data.scalar;
    const std::string_view text = text_of(scalar.value, scalar.length);
    if (assembler_.expects_key() && is_merge_key(event)) {
      key_line_ = line;
      merges_.push_back(assembler_.innermost().size() / 2);
      assembler_.push() = Builder::literal("<<");
      return {};
    }
    Result<PlainScalar> plain = resolve(event, text);
    if (!plain) return at_line(line, plain.error().message);
    if (scalar.anchor != nullptr) {
      anchors_.set(text_of(scalar.anchor), AnchoredScalar{*plain, std::string(text)});
    }
    return add_plain(*plain, text, line);
  }

  Result<> add_plain(const PlainScalar& plain, std::string_view text, std::size_t line) {
    if (assembler_.expects_key()) {
      key_line_ = line;
      const Node node = TRY(key(plain, text, line));
      assembler_.push() = node;
      return {};
    }
    begin_value(line);
    const Result<Node> node = node_of(plain, text, builder_);
    if (!node) return at_line(line, node.error().message);
    assembler_.push() = *node;
    return {};
  }

  // The value that has the name, once more.
  Result<> add_alias(std::string_view name, std::size_t line) {
    const Result<const Anchored*> found = anchors_.find(name);
    if (!found) return at_line(line, found.error().message);
    const Anchored& anchored = **found;
    const std::size_t values = TRY(budget_.spend(anchored, assembler_.depth(), line));
    if (const auto* scalar = std::get_if<AnchoredScalar>(&anchored)) {
      return add_plain(scalar->scalar, scalar->text, line);
    }
    if (assembler_.expects_key()) {
      return at_line(line, "a mapping or a sequence cannot be a key", assembler_.path());
    }
    const Node& node = std::get<Node>(anchored);
    if (is_value_of_merge_key() && node.type != Type::object) {
      return at_line(line, "map merge requires map or sequence of maps as the value");
    }
    begin_value(line);
    lines_.resize(lines_.size() + values - 1, static_cast<std::uint32_t>(line));
    assembler_.push() = node;
    return {};
  }

  bool is_value_of_merge_key() const {
    return assembler_.in_object() && merges_.size() > open_.back().merges &&
           merges_.back() == assembler_.innermost().size() / 2;
  }

  static Result<PlainScalar> resolve(const yaml_event_t& event, std::string_view text) {
    const auto& scalar = event.data.scalar;
    if (scalar.tag == nullptr) {
      return scalar.plain_implicit == 0 ? PlainScalar() : resolve_plain(text);
    }
    const std::string_view tag = text_of(scalar.tag);
    if (tag == "!") return PlainScalar();
    if (!tag.starts_with(core_tag_prefix)) {
      return Error::bad_request(fmt::format("the tag {} is refused", tag));
    }
    return resolve_tagged(tag.substr(core_tag_prefix.size()), text);
  }

  // Keys are strings in JSON: numbers and booleans become their text.
  Result<Node> key(const PlainScalar& scalar, std::string_view text, std::size_t line) {
    switch (scalar.kind) {
      case Kind::string:
        return builder_.text(text);
      case Kind::boolean:
        return builder_.text(scalar.boolean ? "true" : "false");
      case Kind::integer:
        return builder_.text(fmt::format("{}", scalar.integer));
      case Kind::real:
      case Kind::not_finite:
        return builder_.text(key_of_real(scalar.real));
      case Kind::null:
        return at_line(line, "null cannot be a key", assembler_.path());
      case Kind::big_integer:
        return at_line(line, fmt::format("the number {} cannot be a key", text), assembler_.path());
    }
    return Error::internal("a kind of YAML scalar that does not exist");
  }

  // Notes the line of a value that begins here; a member counts from its key.
  void begin_value(std::size_t line) {
    starts_.push_back(lines_.size());
    const std::size_t counted = assembler_.in_object() ? key_line_ : line;
    lines_.push_back(static_cast<std::uint32_t>(counted));
  }

  struct Open {
    std::size_t first = 0;   // its first value in starts_
    std::size_t merges = 0;  // its first merge key in merges_
    std::string anchor = {};
  };

  Events& events_;
  const ParseOptions& options_;
  AliasBudget& budget_;
  Anchors anchors_;
  Builder builder_;
  Assembler assembler_;
  std::vector<std::uint32_t> lines_;  // of every value so far
  std::vector<std::size_t> starts_;   // for the values of open containers: their place in lines_
  std::vector<std::size_t> merges_;   // for mappings in open_: which members are merge keys
  std::vector<Open> open_;
  std::size_t key_line_ = 0;
};

// What kubectl does first with a text that begins like a JSON object. Nothing where it is not one:
// then YAML has the better words for why.
std::optional<YamlDocument> read_as_json(std::string_view text, ParseOptions options) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || text[begin] != '{') return std::nullopt;
  std::vector<std::string> duplicates;
  std::vector<std::string>* const reported = std::exchange(options.duplicate_fields, &duplicates);
  Result<Value> value = parse_json(text, options);
  if (!value) return std::nullopt;
  if (reported != nullptr) {
    std::move(duplicates.begin(), duplicates.end(), std::back_inserter(*reported));
  }
  const auto breaks =
      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
  return YamlDocument{std::move(*value), static_cast<std::size_t>(breaks) + 1};
}

// Steps from the container at index `at` in document order to its child; nothing where absent.
std::optional<std::size_t> index_of_child(View parent, const Step& step, std::size_t at) {
  std::size_t index = at + 1;
  if (const auto* key = std::get_if<std::string_view>(&step)) {
    for (const MemberView member : parent.members()) {
      if (member.key == *key) return index;
      index += count_values(member.value);
    }
    return std::nullopt;
  }
  const std::size_t wanted = std::get<std::size_t>(step);
  if (wanted >= parent.elements().size()) return std::nullopt;
  for (std::size_t i = 0; i < wanted; ++i) index += count_values(parent[i]);
  return index;
}

}  // namespace

std::size_t YamlDocument::line_of(Path path) const {
  if (lines.empty()) return line;
  View here = value;
  std::size_t index = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const std::optional<std::size_t> child = index_of_child(here, path[i], index);
    if (!child) break;
    index = *child;
    here = at(here, path.subspan(i, 1));
  }
  return lines[index];
}

Result<std::vector<YamlDocument>> parse_yaml(std::string_view text, const ParseOptions& options) {
  if (text.size() > options.bytes_max) {
    return Error::too_large(fmt::format("{} bytes of YAML are more than the limit of {}",
                                        text.size(), options.bytes_max));
  }
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::vector<YamlDocument> documents;
  if (std::optional<YamlDocument> document = read_as_json(text, options)) {
    documents.push_back(std::move(*document));
    return documents;
  }
  Events events(text);
  AliasBudget budget(options.bytes_max - text.size(), options.depth_max);
  for (;;) {
    const yaml_event_t& event = *TRY(events.next());
    if (event.type == YAML_STREAM_END_EVENT) return documents;
    if (event.type != YAML_DOCUMENT_START_EVENT) continue;
    if (documents.size() == yaml_documents_max) {
      return Error::too_large(
          fmt::format("more than {} documents in one YAML text", yaml_documents_max));
    }
    std::optional<YamlDocument> document = TRY(DocumentReader(events, options, budget).read());
    if (document) documents.push_back(std::move(*document));
  }
}

Result<Value> parse_yaml_document(std::string_view text, const ParseOptions& options) {
  std::vector<YamlDocument> documents = TRY(parse_yaml(text, options));
  if (documents.empty()) return Error::bad_request("the YAML text holds no document");
  if (documents.size() > 1) {
    return at_line(documents[1].line, "a second document begins where only one is expected");
  }
  return std::move(documents.front().value);
}

}  // namespace muster::objects
