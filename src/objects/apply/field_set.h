// FieldSet: a set of paths in an object, as a tree. A path may be in the set without what is below
// it, and the other way round: `{".":{}}` in FieldsV1 is the element itself.
//
//   FieldSet owned = TRY(FieldSet::parse(entry["fieldsV1"]));
//   owned = difference(owned, changed);
//   owned.append_json(text);                       // {"f:data":{".":{},"f:a":{}}}
//
// Assumes: entries are sorted, and none is empty. Depth is bounded by the objects that it is made
// of (objects/limits.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/apply/path_element.h"
#include "objects/value.h"

namespace muster::objects {

class FieldSet {
 public:
  struct Entry;

  static Result<FieldSet> parse(View fields_v1);

  bool empty() const { return entries_.empty(); }
  const std::vector<Entry>& entries() const { return entries_; }
  const Entry* find(const PathElement& element) const;

  // Where this path is in the set.
  bool has(std::span<const PathElement> path) const;

  // Entries come in any order and are sorted by sort(); no two may be the same.
  void add(Entry entry);
  void sort();

  void insert(std::span<const PathElement> path);

  // united() and difference(), in place: cheap where the other set is small.
  void add_all(const FieldSet& other);
  void take_away(const FieldSet& other);

  // {"f:data":{".":{},"f:a":{}}}
  void append_json(std::string& out) const;

  // Every path of the set, in order: `.data.a`.
  void for_each_path(const std::function<void(std::span<const PathElement>)>& visit) const;

  friend bool operator==(const FieldSet& a, const FieldSet& b);

 private:
  std::vector<Entry> entries_;
};

struct FieldSet::Entry {
  PathElement element;
  bool member = false;  // the path that ends here
  FieldSet below = {};

  bool empty() const { return !member && below.empty(); }
  friend bool operator==(const Entry&, const Entry&) = default;
};

FieldSet united(const FieldSet& a, const FieldSet& b);
FieldSet intersection(const FieldSet& a, const FieldSet& b);
FieldSet difference(const FieldSet& a, const FieldSet& b);

// Without the paths of b and everything below them.
FieldSet difference_below(const FieldSet& a, const FieldSet& b);

// `.spec.containers[name="c"].image`
std::string to_string(std::span<const PathElement> path);

}  // namespace muster::objects
