// SPDX-License-Identifier: Apache-2.0
#include "cli/object_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/os/files.h"
#include "base/os/folders.h"
#include "objects/limits.h"
#include "objects/metadata.h"
#include "objects/yaml.h"

namespace muster::cli {

using objects::Value;
using objects::View;

namespace {

constexpr int page_size = 500;
constexpr int list_depth_max = 8;

Error wrong(std::string sentence) {
  return Error::bad_request("error: " + std::move(sentence));
}

bool is_manifest_name(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

Result<std::string> read_text(const std::string& path) {
  auto text = path == "-" ? read_standard_input(objects::document_bytes_max)
                          : read_whole_file(path, objects::document_bytes_max);
  if (!text) return wrong(text.error().message);
  return text;
}

// A folder is its manifests, in the order of their names.
std::vector<std::string> spread(const std::vector<std::string>& files) {
  std::vector<std::string> paths;
  for (const std::string& file : files) {
    auto names =
        file == "-" ? Result<std::vector<std::string>>(Error::internal("")) : names_in_folder(file);
    if (!names) {
      paths.push_back(file);
      continue;
    }
    std::sort(names->begin(), names->end());
    for (const std::string& name : *names) {
      if (is_manifest_name(name)) paths.push_back(fmt::format("{}/{}", file, name));
    }
  }
  return paths;
}

void flatten(const Value& document, int depth, std::vector<Value>& out) {
  const View items = document["items"];
  if (depth >= list_depth_max || !items.is_array() ||
      !document["kind"].string_or("").ends_with("List")) {
    out.push_back(document);
    return;
  }
  for (const View item : items.elements()) flatten(document.part(item), depth + 1, out);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

}  // namespace

ObjectSession::ObjectSession(std::unique_ptr<Talk> talk, ResourceNames names, ObjectOptions options,
                             const Output& output)
    : talk_(std::move(talk)),
      names_(std::move(names)),
      options_(std::move(options)),
      output_(output),
      name_space_(options_.name_space.empty() ? talk_->name_space() : options_.name_space) {}

Result<std::unique_ptr<ObjectSession>> ObjectSession::open(const OpenTalk& open_talk,
                                                           const ObjectOptions& options,
                                                           const Output& output) {
  auto talk = TRY(open_talk(options.talk));
  ResourceNames names = TRY(ResourceNames::discover(*talk));
  return std::unique_ptr<ObjectSession>(
      new ObjectSession(std::move(talk), std::move(names), options, output));
}

void ObjectSession::tell(const Reply& reply) const {
  for (const std::string& warning : reply.warnings) error(fmt::format("Warning: {}\n", warning));
}

Result<Reply> ObjectSession::ask(const Question& question) {
  Reply reply = TRY(talk_->ask(question));
  tell(reply);
  return reply;
}

Result<Value> ObjectSession::ask_value(const Question& question) {
  const Reply reply = TRY(ask(question));
  return value_of(reply);
}

Result<Reply> ObjectSession::listen(const Question& question, const OnPiece& on_piece) {
  return talk_->listen(question, on_piece);
}

bool ObjectSession::is_on_terminal() const {
  return talk_->is_on_terminal();
}

Result<int> ObjectSession::execute(const std::string& target, Conversation manner) {
  manner.out = output_.out;
  manner.error = output_.error;
  return talk_->execute(target, manner);
}

Result<std::vector<Target>> ObjectSession::targets(const std::vector<std::string>& words) const {
  std::vector<Target> made;
  if (words.empty()) return wrong("Required resource not specified.");
  const bool has_slashes = words.front().find('/') != std::string::npos;
  if (has_slashes) {
    for (const std::string& word : words) {
      const std::size_t slash = word.find('/');
      if (slash == std::string::npos) {
        return wrong(
            "there is no need to specify a resource type as a separate argument when passing "
            "arguments in resource/name form");
      }
      ServedKind kind = TRY(names_.find(word.substr(0, slash)));
      made.push_back({.kind = std::move(kind), .name = word.substr(slash + 1)});
    }
    return made;
  }
  for (const std::string_view type : split(words.front(), ',')) {
    std::vector<ServedKind> kinds = names_.of_category(type);
    if (kinds.empty()) kinds.push_back(TRY(names_.find(type)));
    for (const ServedKind& kind : kinds) {
      if (words.size() == 1) made.push_back({.kind = kind});
      for (std::size_t at = 1; at < words.size(); ++at) {
        made.push_back({.kind = kind, .name = words[at]});
      }
    }
  }
  return made;
}

Result<std::vector<Manifest>> ObjectSession::manifests(
    const std::vector<std::string>& files) const {
  std::vector<Manifest> made;
  for (const std::string& path : spread(files)) {
    const std::string text = TRY(read_text(path));
    const auto documents = objects::parse_yaml(text);
    if (!documents) {
      return wrong(fmt::format("error parsing {}: {}", path, documents.error().message));
    }
    std::vector<Value> objects;
    for (const objects::YamlDocument& document : *documents) flatten(document.value, 0, objects);
    for (Value& object : objects) {
      const std::string_view kind = object["kind"].string_or("");
      if (kind.empty()) return wrong(fmt::format("Object 'Kind' is missing in {}", path));
      ServedKind served = TRY(names_.find_kind(object["apiVersion"].string_or(""), kind));
      made.push_back({std::move(served), std::move(object)});
    }
  }
  if (made.empty()) return wrong("no objects passed to apply");
  return made;
}

std::string ObjectSession::object_path(const Target& target) const {
  return target.kind.path(target.name_space.empty() ? name_space_ : target.name_space, target.name);
}

std::string ObjectSession::list_path(const ServedKind& kind) const {
  std::string path = kind.path(options_.all_namespaces ? "" : name_space_) + "?";
  if (!options_.selector.empty()) path += "labelSelector=" + escaped(options_.selector) + "&";
  if (!options_.field_selector.empty()) {
    path += "fieldSelector=" + escaped(options_.field_selector) + "&";
  }
  return path + fmt::format("limit={}", page_size);
}

Result<std::vector<Value>> ObjectSession::list(const ServedKind& kind) {
  std::vector<Value> made;
  std::string next;
  do {
    const std::string more = next.empty() ? "" : "&continue=" + escaped(next);
    const Value page = TRY(ask_value({.target = list_path(kind) + more}));
    for (const View item : page["items"].elements()) made.push_back(page.part(item));
    next = page["metadata"]["continue"].string_or("");
  } while (!next.empty());
  return made;
}

Result<std::vector<Target>> ObjectSession::resolved(const std::vector<Target>& targets) {
  std::vector<Target> made;
  for (const Target& target : targets) {
    if (!target.name.empty()) {
      made.push_back(target);
      continue;
    }
    for (const Value& object : TRY(list(target.kind))) {
      made.push_back({.kind = target.kind,
                      .name = std::string(objects::name_of(object)),
                      .name_space = std::string(objects::namespace_of(object))});
    }
  }
  return made;
}

}  // namespace muster::cli
