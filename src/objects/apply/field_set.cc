// SPDX-License-Identifier: Apache-2.0
#include "objects/apply/field_set.h"

#include <algorithm>
#include <utility>

namespace muster::objects {

using Entry = FieldSet::Entry;
using Entries = std::vector<Entry>;

namespace {

constexpr std::string_view itself = ".";

// Walks two sorted lists; each callback gets the entries of one element, null where it is absent.
template <class Visit>
void zip(const Entries& a, const Entries& b, const Visit& visit) {
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() || right != b.end()) {
    const bool only_left = right == b.end() || (left != a.end() && left->element < right->element);
    const bool only_right = !only_left && (left == a.end() || right->element < left->element);
    visit(only_right ? nullptr : &*left, only_left ? nullptr : &*right);
    if (!only_right) ++left;
    if (!only_left) ++right;
  }
}

void visit_paths(const FieldSet& set, std::vector<PathElement>& path,
                 const std::function<void(std::span<const PathElement>)>& visit) {
  for (const Entry& entry : set.entries()) {
    path.push_back(entry.element);
    if (entry.member) visit(path);
    visit_paths(entry.below, path, visit);
    path.pop_back();
  }
}

}  // namespace

Result<FieldSet> FieldSet::parse(View fields_v1) {
  FieldSet set;
  if (!fields_v1.is_object()) return Error::bad_request("a field set must be an object");
  for (const MemberView member : fields_v1.members()) {
    if (member.key == itself) continue;
    Entry entry;
    entry.element = TRY(PathElement::parse(member.key));
    entry.below = TRY(parse(member.value));
    entry.member = entry.below.empty() || member.value[itself];
    set.add(std::move(entry));
  }
  set.sort();
  return set;
}

const Entry* FieldSet::find(const PathElement& element) const {
  const auto at = std::ranges::lower_bound(entries_, element, std::less<>(), &Entry::element);
  return at == entries_.end() || !(at->element == element) ? nullptr : &*at;
}

bool FieldSet::has(std::span<const PathElement> path) const {
  const FieldSet* set = this;
  const Entry* entry = nullptr;
  for (const PathElement& element : path) {
    entry = set->find(element);
    if (entry == nullptr) return false;
    set = &entry->below;
  }
  return entry != nullptr && entry->member;
}

void FieldSet::add(Entry entry) {
  if (!entry.empty()) entries_.push_back(std::move(entry));
}

void FieldSet::sort() {
  const auto by_element = [](const Entry& a, const Entry& b) { return a.element < b.element; };
  if (!std::ranges::is_sorted(entries_, by_element)) std::ranges::sort(entries_, by_element);
  // The same place twice: only where somebody wrote a set by hand.
  for (std::size_t i = 1; i < entries_.size();) {
    Entry& before = entries_[i - 1];
    if (!(before.element == entries_[i].element)) {
      ++i;
      continue;
    }
    before.member = before.member || entries_[i].member;
    before.below = united(before.below, entries_[i].below);
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void FieldSet::insert(std::span<const PathElement> path) {
  if (path.empty()) return;
  const auto at = std::ranges::lower_bound(entries_, path.front(), std::less<>(), &Entry::element);
  const bool known = at != entries_.end() && at->element == path.front();
  Entry& entry = known ? *at : *entries_.insert(at, Entry{path.front()});
  if (path.size() == 1) {
    entry.member = true;
  } else {
    entry.below.insert(path.subspan(1));
  }
}

void FieldSet::add_all(const FieldSet& other) {
  auto at = entries_.begin();
  for (const Entry& theirs : other.entries_) {
    at = std::ranges::lower_bound(at, entries_.end(), theirs.element, std::less<>(),
                                  &Entry::element);
    if (at == entries_.end() || !(at->element == theirs.element)) {
      at = entries_.insert(at, theirs);
      continue;
    }
    at->member = at->member || theirs.member;
    at->below.add_all(theirs.below);
  }
}

void FieldSet::take_away(const FieldSet& other) {
  auto at = entries_.begin();
  for (const Entry& theirs : other.entries_) {
    at = std::ranges::lower_bound(at, entries_.end(), theirs.element, std::less<>(),
                                  &Entry::element);
    if (at == entries_.end()) return;
    if (!(at->element == theirs.element)) continue;
    at->member = at->member && !theirs.member;
    at->below.take_away(theirs.below);
    if (at->empty()) at = entries_.erase(at);
  }
}

void FieldSet::append_json(std::string& out) const {
  out += '{';
  for (const Entry& entry : entries_) {
    if (out.back() != '{') out += ',';
    entry.element.append_json(out);
    out += ':';
    const std::size_t start = out.size();
    entry.below.append_json(out);
    if (entry.member && !entry.below.empty()) out.insert(start + 1, R"(".":{},)");
  }
  out += '}';
}

void FieldSet::for_each_path(const std::function<void(std::span<const PathElement>)>& visit) const {
  std::vector<PathElement> path;
  visit_paths(*this, path, visit);
}

bool operator==(const FieldSet& a, const FieldSet& b) {
  return a.entries_ == b.entries_;
}

FieldSet united(const FieldSet& a, const FieldSet& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  FieldSet out;
  zip(a.entries(), b.entries(), [&](const Entry* left, const Entry* right) {
    if (left == nullptr) return out.add(*right);
    if (right == nullptr) return out.add(*left);
    out.add({left->element, left->member || right->member, united(left->below, right->below)});
  });
  return out;
}

FieldSet intersection(const FieldSet& a, const FieldSet& b) {
  FieldSet out;
  zip(a.entries(), b.entries(), [&](const Entry* left, const Entry* right) {
    if (left == nullptr || right == nullptr) return;
    out.add(
        {left->element, left->member && right->member, intersection(left->below, right->below)});
  });
  return out;
}

FieldSet difference(const FieldSet& a, const FieldSet& b) {
  if (b.empty()) return a;
  FieldSet out;
  zip(a.entries(), b.entries(), [&](const Entry* left, const Entry* right) {
    if (left == nullptr) return;
    if (right == nullptr) return out.add(*left);
    out.add({left->element, left->member && !right->member, difference(left->below, right->below)});
  });
  return out;
}

FieldSet difference_below(const FieldSet& a, const FieldSet& b) {
  if (b.empty()) return a;
  FieldSet out;
  zip(a.entries(), b.entries(), [&](const Entry* left, const Entry* right) {
    if (left == nullptr || (right != nullptr && right->member)) return;
    if (right == nullptr) return out.add(*left);
    out.add({left->element, left->member, difference_below(left->below, right->below)});
  });
  return out;
}

std::string to_string(std::span<const PathElement> path) {
  std::string out;
  for (const PathElement& element : path) element.append_for_people(out);
  return out;
}

}  // namespace muster::objects
