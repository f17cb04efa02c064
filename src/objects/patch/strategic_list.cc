// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "objects/json.h"
#include "objects/patch/go_text.h"
#include "objects/patch/strategic_merger.h"

namespace muster::objects {

namespace {

Error missing_merge_key(View element, std::string_view merge_key) {
  return Error::invalid(
      fmt::format("map: {} does not contain declared merge key: {}", go_text(element), merge_key));
}

// All elements of both lists must be of one type, and that type no list.
Result<Type> element_type(View before, View change) {
  Type type = Type::absent;
  bool same = true;
  for (const View list : {before, change}) {
    for (const View element : list.elements()) {
      if (type == Type::absent) type = element.type();
      same = same && element.type() == type && type != Type::null;
    }
  }
  if (!same) {
    return Error::invalid(fmt::format("list element types are not identical: [{} {}]",
                                      go_text(before), go_text(change)));
  }
  if (type == Type::array) return Error::invalid("lists of lists are not supported");
  return type;
}

Result<Identities> order_identities(View order, std::string_view merge_key) {
  Identities identities;
  identities.reserve(order.size());
  for (const View element : order.elements()) {
    if (!merge_key.empty() && !element.is_object()) {
      return Error::invalid(fmt::format("value for key {} is not a map", identities.size()));
    }
    identities.push_back(TRY(element_identity(element, merge_key)));
  }
  return identities;
}

// The elements of a patch's list, sorted by what they are for.
struct KeyedChange {
  std::vector<View> elements;
  Identities identities;
  std::set<Identity> deleted;
  bool replaces = false;
};

Result<KeyedChange> read_keyed_change(View change, std::string_view merge_key) {
  KeyedChange result;
  for (const View element : change.elements()) {
    const View directive = element[patch_directive];
    if (directive.is_absent()) {
      result.elements.push_back(element);
    } else if (directive.string_or("") == "replace") {
      result.replaces = true;
    } else if (directive.string_or("") == "delete") {
      result.deleted.insert(TRY(element_identity(element, merge_key)));
    } else if (directive.string_or("") == "merge") {
      return Error::invalid("merging lists cannot yet be specified in the patch");
    } else {
      return unknown_patch_type(element);
    }
  }
  for (const View element : result.elements) {
    result.identities.push_back(TRY(element_identity(element, merge_key)));
  }
  return result;
}

}  // namespace

Identity scalar_identity(View scalar) {
  return to_json(scalar);
}

Result<Identity> element_identity(View element, std::string_view merge_key) {
  if (!element.is_object()) return scalar_identity(element);
  if (merge_key.empty()) return Error::invalid("cannot merge lists without merge key");
  const View key = element[merge_key];
  if (key.is_absent()) return missing_merge_key(element, merge_key);
  return scalar_identity(key);
}

Result<void> check_element_order(View change, View order, std::string_view merge_key) {
  const Identities wanted = TRY(order_identities(order, merge_key));
  if (wanted.empty()) return {};
  // An element with a directive has no place in the order; behind the order's end only deletions
  // may follow.
  std::size_t next = 0;
  std::size_t place = 0;
  while (next < change.size() && place < wanted.size()) {
    const bool directed = !change[next][patch_directive].is_absent();
    if (directed || TRY(element_identity(change[next], merge_key)) == wanted[place++]) ++next;
  }
  while (next < change.size() && change[next][patch_directive].string_or("") == "delete") ++next;
  if (next == change.size()) return {};
  return Error::invalid(
      fmt::format("The order in patch list:\n{}\n doesn't match $setElementOrder list:\n{}\n",
                  go_text(change), go_text(order)));
}

Result<Node> StrategicMerger::merge_list(View before, View change, const PatchField& field,
                                         const ListDirectives& directives) {
  if (directives.removal) TRY(element_type(before, directives.removal));
  const Type type = TRY(element_type(before, change));
  if (type == Type::absent) return before.node();
  if (type == Type::object) return merge_keyed_list(before, change, field, directives.order);
  if (!field.merge_key.empty()) {
    const View scalar = before.empty() ? change[std::size_t{0}] : before[std::size_t{0}];
    return Error::invalid(
        fmt::format("expected a map[string]interface {{}}, but received a {}", go_type(scalar)));
  }
  return merge_scalar_list(before, change, directives);
}

Result<Node> StrategicMerger::merge_keyed_list(View before, View change, const PatchField& field,
                                               View order) {
  const std::string_view merge_key = field.merge_key;
  const KeyedChange keyed = TRY(read_keyed_change(change, merge_key));
  std::vector<Node> merged;
  if (keyed.replaces) {
    for (const View element : keyed.elements) {
      merged.push_back(*fresh_content(element, Patched::kept, builder_));
    }
    return arranged(merged, keyed.identities, keyed.identities, {});
  }
  Identities identities;
  Identities server;
  for (std::size_t i = 0; i < before.size(); ++i) {
    server.push_back(TRY(element_identity(before[i], merge_key)));
    if (keyed.deleted.contains(server.back())) continue;
    identities.push_back(server.back());
    merged.push_back(before.node().elements[i]);
  }
  auto positions = first_positions(identities);
  for (std::size_t i = 0; i < keyed.elements.size(); ++i) {
    const auto [at, is_new] = positions.emplace(keyed.identities[i], merged.size());
    if (is_new) {
      identities.push_back(keyed.identities[i]);
      merged.push_back(*fresh_content(keyed.elements[i], Patched::kept, builder_));
      continue;
    }
    Node& element = merged[at->second];
    element = TRY(merge_object(View(&element), keyed.elements[i], field.below));
  }
  if (order.is_absent()) return arranged(merged, identities, keyed.identities, server);
  // With a stated order the real server takes the first new elements for ones that stood in the
  // places of deleted ones. The order of a list is what clients see, so ours is the same.
  server.assign(identities.begin(), identities.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                             before.size(), identities.size())));
  return arranged(merged, identities, TRY(order_identities(order, merge_key)), server);
}

Node StrategicMerger::merge_scalar_list(View before, View change,
                                        const ListDirectives& directives) {
  std::set<Identity> removed;
  for (const View scalar : directives.removal.elements()) removed.insert(scalar_identity(scalar));
  std::vector<Node> merged;
  Identities identities;
  Identities server;
  Identities added;
  std::set<Identity> seen;
  for (std::size_t i = 0; i < before.size(); ++i) {
    server.push_back(scalar_identity(before[i]));
    if (removed.contains(server.back())) continue;
    // A union has no duplicates; a list that only loses elements keeps its own.
    if (!seen.insert(server.back()).second && change) continue;
    identities.push_back(server.back());
    merged.push_back(before.node().elements[i]);
  }
  for (const View scalar : change.elements()) {
    added.push_back(scalar_identity(scalar));
    if (!seen.insert(added.back()).second) continue;
    identities.push_back(added.back());
    merged.push_back(builder_.copy(scalar));
  }
  Identities wanted;
  for (const View scalar : directives.order.elements()) wanted.push_back(scalar_identity(scalar));
  return arranged(merged, identities, directives.order ? wanted : added, server);
}

Node StrategicMerger::arranged(const std::vector<Node>& merged, const Identities& identities,
                               const Identities& wanted, const Identities& server) {
  std::vector<Node> elements;
  elements.reserve(merged.size());
  for (const std::size_t position : element_order(identities, wanted, server)) {
    elements.push_back(merged[position]);
  }
  return builder_.array(elements);
}

}  // namespace muster::objects
