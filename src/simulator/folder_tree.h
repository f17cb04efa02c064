// FolderTree: the names of a simulated disk. A creation, rename or removal is seen at once and is
// durable only after the folder was synced; until then a crash lets each of them survive or vanish
// for itself, but never by halves: file systems journal a rename as one. Syncing a file does not
// make its name durable. Making a folder is durable at once (base/disk.h promises it).
//
//   tree.create("data/log.new");  tree.file(id).write(…);  tree.file(id).sync();
//   tree.rename("data/log.new", "data/log");               // a crash: old or new
//   tree.sync_folder("data");                              // a crash: new
//
// Assumes: '/' separates; the working folder is the root, so "a" and "/a" are the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "simulator/file_image.h"
#include "simulator/seeded_random.h"

namespace muster::simulator {

using NodeId = std::uint64_t;

class FolderTree {
 public:
  FolderTree();

  // The node of a file; a folder is an error.
  Result<NodeId> find_file(const std::string& path) const;
  bool exists(const std::string& path) const;
  FileImage& file(NodeId node) { return nodes_.at(node).image; }

  Result<NodeId> create(const std::string& path);  // already_exists when it does
  Result<> remove(const std::string& path);
  Result<> rename(const std::string& from, const std::string& to);
  Result<std::vector<std::string>> list(const std::string& path) const;
  Result<> make_folder(const std::string& path);
  Result<> sync_folder(const std::string& path);

  // An open file lives on after its name is gone.
  void pin(NodeId node) { ++nodes_.at(node).pins; }
  void unpin(NodeId node);

  // Decides the fate of names and of contents; afterwards nothing is pinned.
  void crash(Survival names, Survival contents, SeededRandom& random);

  // What all files with a name hold together.
  std::uint64_t bytes() const;

  // Equal for equal durable names and contents with the same history.
  std::uint64_t fingerprint() const;

 private:
  static constexpr NodeId nothing = 0;
  static constexpr NodeId root = 1;

  using Names = std::map<std::string, NodeId>;
  struct Node {
    bool folder = false;
    FileImage image;  // of a file
    Names present;    // of a folder
    Names durable;
    unsigned pins = 0;
  };
  // One journalled change: the entries that it sets (or clears, to `nothing`) together.
  struct Entry {
    NodeId folder = nothing;
    std::string name;
    NodeId target = nothing;
  };
  using Change = std::vector<Entry>;

  struct Place {
    NodeId folder = nothing;
    std::string name;  // empty for the root itself
    NodeId node = nothing;
  };
  // Where a path leads. Its folders must exist, the last name need not.
  Result<Place> resolve(std::string_view doing, const std::string& path) const;
  Result<NodeId> folder_at(std::string_view doing, const std::string& path) const;

  void set(const Entry& entry, Names Node::*image);
  void record(Change change);
  void sync_node(NodeId folder);
  void commit_all();
  void sweep();
  bool contains(NodeId folder, NodeId node) const;

  std::map<NodeId, Node> nodes_;
  NodeId node_next_ = root + 1;
  std::vector<Change> unsynced_;
};

}  // namespace muster::simulator
