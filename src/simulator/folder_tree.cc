// SPDX-License-Identifier: Apache-2.0
#include "simulator/folder_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"

namespace muster::simulator {

namespace {

// The words of the real disk, so that a message reads the same on both.
Error failure(ErrorCode code, std::string_view doing, std::string_view path,
              std::string_view words) {
  return {code, fmt::format("{} {}: {}", doing, path, words)};
}
Error absent(std::string_view doing, std::string_view path) {
  return failure(ErrorCode::not_found, doing, path, "No such file or directory");
}
Error is_folder(std::string_view doing, std::string_view path) {
  return failure(ErrorCode::internal, doing, path, "Is a directory");
}
Error is_no_folder(std::string_view doing, std::string_view path) {
  return failure(ErrorCode::internal, doing, path, "Not a directory");
}

std::vector<std::string> names_of(std::string_view path) {
  std::vector<std::string> names;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view name = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      names.emplace_back(name);
    } else if (!names.empty()) {
      names.pop_back();
    }
  }
  return names;
}

}  // namespace

FolderTree::FolderTree() {
  nodes_[root].folder = true;
}

Result<FolderTree::Place> FolderTree::resolve(std::string_view doing,
                                              const std::string& path) const {
  if (path.empty()) return absent(doing, path);
  Place place{nothing, "", root};
  for (std::string& name : names_of(path)) {
    if (place.node == nothing) return absent(doing, path);
    const Node& folder = nodes_.at(place.node);
    if (!folder.folder) return is_no_folder(doing, path);
    const auto entry = folder.present.find(name);
    place.folder = place.node;
    place.node = entry == folder.present.end() ? nothing : entry->second;
    place.name = std::move(name);
  }
  return place;
}

Result<NodeId> FolderTree::folder_at(std::string_view doing, const std::string& path) const {
  const Place place = TRY(resolve(doing, path));
  if (place.node == nothing) return absent(doing, path);
  if (!nodes_.at(place.node).folder) return is_no_folder(doing, path);
  return place.node;
}

Result<NodeId> FolderTree::find_file(const std::string& path) const {
  const Place place = TRY(resolve("open", path));
  if (place.node == nothing) return absent("open", path);
  if (nodes_.at(place.node).folder) return is_folder("open", path);
  return place.node;
}

bool FolderTree::exists(const std::string& path) const {
  const auto place = resolve("stat", path);
  return place.has_value() && place->node != nothing;
}

Result<NodeId> FolderTree::create(const std::string& path) {
  const Place place = TRY(resolve("open", path));
  if (place.node != nothing) {
    return failure(ErrorCode::already_exists, "open", path, "File exists");
  }
  const NodeId node = node_next_++;
  nodes_[node].folder = false;
  record({{place.folder, place.name, node}});
  return node;
}

Result<> FolderTree::remove(const std::string& path) {
  const Place place = TRY(resolve("remove", path));
  if (place.node == nothing) return absent("remove", path);
  if (nodes_.at(place.node).folder) return is_folder("remove", path);
  record({{place.folder, place.name, nothing}});
  return {};
}

Result<> FolderTree::rename(const std::string& from, const std::string& to) {
  const std::string both = from + " to " + to;
  const Place source = TRY(resolve("rename", from));
  const Place target = TRY(resolve("rename", to));
  if (source.node == nothing) return absent("rename", both);
  if (source.node == target.node) return {};
  const bool moves_folder = nodes_.at(source.node).folder;
  if (moves_folder && (source.node == root || contains(source.node, target.folder))) {
    return failure(ErrorCode::internal, "rename", both, "Invalid argument");
  }
  if (target.node != nothing) {
    const Node& replaced = nodes_.at(target.node);
    if (replaced.folder && !moves_folder) return is_folder("rename", both);
    if (!replaced.folder && moves_folder) return is_no_folder("rename", both);
    if (!replaced.present.empty()) {
      return failure(ErrorCode::internal, "rename", both, "Directory not empty");
    }
  }
  // A folder that moved must not be torn off by losing a change before this one: a journal keeps
  // their order, and so everything before a folder's rename is durable with it.
  if (moves_folder) commit_all();
  record({{source.folder, source.name, nothing}, {target.folder, target.name, source.node}});
  return {};
}

Result<std::vector<std::string>> FolderTree::list(const std::string& path) const {
  std::vector<std::string> names;
  for (const auto& entry : nodes_.at(TRY(folder_at("list", path))).present) {
    names.push_back(entry.first);
  }
  return names;
}

Result<> FolderTree::make_folder(const std::string& path) {
  if (path.empty()) return absent("make folder", path);
  NodeId folder = root;
  for (const std::string& name : names_of(path)) {
    if (!nodes_.at(folder).folder) return is_no_folder("make folder", path);
    const auto entry = nodes_.at(folder).present.find(name);
    if (entry != nodes_.at(folder).present.end()) {
      folder = entry->second;
      continue;
    }
    // A name that was removed here and not synced must not come back over the folder.
    sync_node(folder);
    const NodeId made = node_next_++;
    nodes_[made].folder = true;
    set({folder, name, made}, &Node::present);
    set({folder, name, made}, &Node::durable);
    folder = made;
  }
  if (!nodes_.at(folder).folder) return is_no_folder("make folder", path);
  return {};
}

Result<> FolderTree::sync_folder(const std::string& path) {
  sync_node(TRY(folder_at("sync", path)));
  return {};
}

// Two changes of the same name touch the same folder, so their order is kept.
void FolderTree::sync_node(NodeId folder) {
  std::vector<Change> rest;
  for (Change& change : unsynced_) {
    const bool touches = std::any_of(change.begin(), change.end(),
                                     [&](const Entry& entry) { return entry.folder == folder; });
    if (!touches) {
      rest.push_back(std::move(change));
      continue;
    }
    for (const Entry& entry : change) set(entry, &Node::durable);
  }
  unsynced_ = std::move(rest);
  sweep();
}

void FolderTree::unpin(NodeId node) {
  Node& pinned = nodes_.at(node);
  CHECK(pinned.pins > 0);
  if (--pinned.pins == 0) sweep();
}

void FolderTree::crash(Survival names, Survival contents, SeededRandom& random) {
  for (const Change& change : unsynced_) {
    const bool survives = names == Survival::all || (names == Survival::any && random.one_in(2));
    if (!survives) continue;
    for (const Entry& entry : change) set(entry, &Node::durable);
  }
  unsynced_.clear();
  for (auto& [id, node] : nodes_) {
    node.pins = 0;
    node.present = node.durable;
    node.image.crash(contents, random);
  }
  sweep();
}

std::uint64_t FolderTree::bytes() const {
  std::uint64_t total = 0;
  for (const auto& [id, folder] : nodes_) {
    for (const auto& entry : folder.present) total += nodes_.at(entry.second).image.size();
  }
  return total;
}

// FNV-1a, over nodes in the order of their making.
std::uint64_t FolderTree::fingerprint() const {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
  for (const auto& [id, node] : nodes_) {
    mix(id);
    for (const auto& [name, target] : node.durable) {
      for (const char c : name) mix(static_cast<unsigned char>(c));
      mix(target);
    }
    for (const std::byte b : node.image.durable()) mix(std::to_integer<std::uint64_t>(b));
    mix(node.image.durable().size());
  }
  return hash;
}

void FolderTree::set(const Entry& entry, Names Node::*image) {
  Names& names = nodes_.at(entry.folder).*image;
  if (entry.target == nothing) {
    names.erase(entry.name);
  } else {
    names[entry.name] = entry.target;
  }
}

void FolderTree::record(Change change) {
  for (const Entry& entry : change) set(entry, &Node::present);
  unsynced_.push_back(std::move(change));
}

void FolderTree::commit_all() {
  for (const Change& change : unsynced_) {
    for (const Entry& entry : change) set(entry, &Node::durable);
  }
  unsynced_.clear();
}

// Forgets the nodes that no name, no change and no open file leads to.
void FolderTree::sweep() {
  std::set<NodeId> reached;
  std::vector<NodeId> open = {root};
  for (const auto& [id, node] : nodes_) {
    if (node.pins > 0) open.push_back(id);
  }
  for (const Change& change : unsynced_) {
    for (const Entry& entry : change) {
      open.push_back(entry.folder);
      if (entry.target != nothing) open.push_back(entry.target);
    }
  }
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (!reached.insert(id).second) continue;
    for (const auto& entry : nodes_.at(id).present) open.push_back(entry.second);
    for (const auto& entry : nodes_.at(id).durable) open.push_back(entry.second);
  }
  std::erase_if(nodes_, [&](const auto& entry) { return !reached.contains(entry.first); });
}

bool FolderTree::contains(NodeId folder, NodeId node) const {
  if (folder == node) return true;
  const Names& names = nodes_.at(folder).present;
  return std::any_of(names.begin(), names.end(), [&](const auto& entry) {
    return nodes_.at(entry.second).folder && contains(entry.second, node);
  });
}

}  // namespace muster::simulator
