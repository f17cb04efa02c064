// SPDX-License-Identifier: Apache-2.0
#include "server/stored_object.h"

#include <fmt/format.h>

#include <charconv>
#include <span>
#include <vector>

#include "objects/builder.h"
#include "objects/json.h"
#include "objects/rewrite.h"

namespace muster::server {

using objects::Builder;
using objects::Kind;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view core_group = "core";
constexpr std::string_view metadata_opening = R"("metadata":{)";

// Of the room for texts.
constexpr std::size_t text_bytes_kept_max = std::size_t{64} * 1024;

// Compact JSON has no line feed of its own.
constexpr char parts_separator = '\n';

std::string_view next_part(std::string_view& rest) {
  const std::size_t slash = rest.find('/');
  const std::string_view part = rest.substr(0, slash);
  rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  return part;
}

// Where the members of metadata begin. Kind and apiVersion come before it and hold no quotes, so
// the first match is the right one; what the server wrote always has it.
std::size_t metadata_start(std::string_view stored) {
  const std::size_t found = stored.find(metadata_opening);
  return found == std::string_view::npos ? found : found + metadata_opening.size();
}

// Everything from the first member of metadata on, with the two that are not in the object's text.
void append_metadata(std::string_view stored, std::size_t start, store::Revision revision,
                     std::string& out) {
  const std::string_view object = object_text(stored);
  const std::string_view managed = managed_text(stored);
  fmt::format_to(std::back_inserter(out), R"("resourceVersion":"{}",)", revision.value);
  if (!managed.empty()) {
    out += R"("managedFields":)";
    out += managed;
    out += ',';
  }
  out += object.substr(start);
}

}  // namespace

std::string prefix_of(const Kind& kind, std::string_view name_space) {
  const Kind& stored = kind.stored_kind();
  std::string out(registry_prefix);
  out += stored.group.empty() ? core_group : std::string_view(stored.group);
  out += '/';
  out += stored.plural;
  out += '/';
  if (!name_space.empty()) {
    out += name_space;
    out += '/';
  }
  return out;
}

std::string key_of(const Kind& kind, std::string_view name_space, std::string_view name) {
  std::string out = prefix_of(kind, name_space);
  out += name;
  return out;
}

std::optional<KeyParts> parse_key(std::string_view key) {
  if (!key.starts_with(registry_prefix)) return std::nullopt;
  std::string_view rest = key.substr(registry_prefix.size());
  KeyParts parts;
  parts.group = next_part(rest);
  if (parts.group == core_group) parts.group = {};
  parts.plural = next_part(rest);
  const std::string_view first = next_part(rest);
  parts.name = rest.empty() ? first : rest;
  if (!rest.empty()) parts.name_space = first;
  if (parts.plural.empty() || parts.name.empty()) return std::nullopt;
  return parts;
}

Value stored_form(const Value& object) {
  Builder builder;
  builder.retain(object);
  Rewrite metadata(object["metadata"]);
  metadata.drop("resourceVersion");
  metadata.drop("managedFields");
  metadata.drop("selfLink");
  std::vector<Node::Member> members = {
      {Builder::literal("kind"), object["kind"].node()},
      {Builder::literal("apiVersion"), object["apiVersion"].node()},
      {Builder::literal("metadata"), metadata.finish(builder)}};
  const Node& whole = object.view().node();
  for (const Node::Member& member : std::span(whole.members, whole.size)) {
    const std::string_view key(member.key.text, member.key.size);
    if (key != "kind" && key != "apiVersion" && key != "metadata") members.push_back(member);
  }
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

store::Bytes stored_bytes(const Value& form, std::string_view managed) {
  // Room to work in and nothing else: text that is made anew each time would be in cold memory.
  thread_local std::string text;
  objects::append_json(form, text);
  if (!managed.empty()) {
    text += parts_separator;
    text += managed;
  }
  store::Bytes bytes = store::Bytes::copy_of(text);
  text.clear();
  if (text.capacity() > text_bytes_kept_max) text.shrink_to_fit();
  return bytes;
}

std::string_view object_text(std::string_view stored) {
  return stored.substr(0, stored.find(parts_separator));
}

std::string_view managed_text(std::string_view stored) {
  const std::size_t end = stored.find(parts_separator);
  return end == std::string_view::npos ? std::string_view() : stored.substr(end + 1);
}

void append_with_revision(std::string_view stored, store::Revision revision, std::string& out) {
  const std::size_t start = metadata_start(stored);
  if (start == std::string_view::npos) {
    out += object_text(stored);
    return;
  }
  out += stored.substr(0, start);
  append_metadata(stored, start, revision, out);
}

store::Bytes shown_line(std::string_view stored, store::Revision revision) {
  const std::size_t start = metadata_start(stored);
  if (start == std::string_view::npos) return store::Bytes::joined({object_text(stored), "\n"});
  const std::string_view managed = managed_text(stored);
  const fmt::format_int number(revision.value);
  return store::Bytes::joined({stored.substr(0, start), R"("resourceVersion":")",
                               std::string_view(number.data(), number.size()), R"(",)",
                               managed.empty() ? "" : R"("managedFields":)", managed,
                               managed.empty() ? "" : ",", object_text(stored).substr(start),
                               "\n"});
}

void append_item(std::string_view stored, store::Revision revision, std::string& out) {
  const std::size_t start = metadata_start(stored);
  if (start == std::string_view::npos) {
    out += object_text(stored);
    return;
  }
  out += R"({"metadata":{)";
  append_metadata(stored, start, revision, out);
}

// Every write and every cache makes one: its memory is asked for once, and not more than it needs.
Value with_revision(const Value& tree, store::Revision revision) {
  const View metadata = tree["metadata"];
  const fmt::format_int number(revision.value);
  const std::size_t members = tree.view().size() + metadata.size() + 2;
  Builder builder(members * (sizeof(Node::Member) + sizeof(std::uint32_t)) + number.size() +
                  sizeof(Node));
  builder.retain(tree);
  Rewrite next(metadata);
  next.set("resourceVersion", builder.text({number.data(), number.size()}));
  Rewrite root(tree);
  root.set("metadata", next.finish(builder));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

Value with_managed(const Value& tree, std::string_view managed) {
  if (managed.empty()) return tree;
  const auto parsed = objects::parse_json(managed, {.bytes_max = managed.size()});
  if (!parsed) return tree;
  Builder builder;
  builder.retain(tree);
  Rewrite metadata(tree["metadata"]);
  metadata.set("managedFields", builder.embed(*parsed));
  Rewrite root(tree);
  root.set("metadata", metadata.finish(builder));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

std::optional<store::Revision> parse_revision(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return store::Revision{number};
}

}  // namespace muster::server
