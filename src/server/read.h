// The verbs that read, at the level of stored text: get and list. A list is a state of the whole
// store at one revision, from which a watch can go on without a gap.
//
//   Snapshot pods = ALLOWED(list(context, {.target = target, .label_selector = "app=web"}));
//   for (const Item& item : pods.items) append_item(item.bytes.view(), item.revision, text);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/field_selector.h"
#include "objects/label_selector.h"
#include "objects/value.h"
#include "server/context.h"
#include "server/outcome.h"
#include "server/target.h"

namespace muster::server {

// One stored object, and the resourceVersion under which it is shown.
struct Item {
  store::Bytes bytes;
  store::Revision revision;
};

Outcome<Item> get(Context& context, const Target& target);

// Whether the stored text is what the caller is shown: it is in the caller's version, and of the
// shape that the kind has now. (A definition may have changed since it was written.)
bool is_shown_as_stored(const Target& target, const Item& item);

struct Selection {
  objects::LabelSelector labels;
  objects::FieldSelector fields;

  bool selects_all() const { return labels.matches_everything() && fields.matches_everything(); }
};

// Parses both, and refuses fields that the kind does not offer.
Outcome<Selection> parse_selection(const Target& target, std::string_view labels,
                                   std::string_view fields);

// Whether a stored object, not necessarily the newest one, is selected.
bool selects(Context& context, const Target& target, const Selection& selection,
             const store::Bytes& bytes);

struct ListRequest {
  Target target;
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};
  std::string resource_version_match = {};
  std::int64_t limit = 0;
  std::string continue_token = {};
  bool says_initial_events = false;  // which is for watches
};

struct Snapshot {
  std::vector<Item> items;
  store::Revision revision;
  std::string continue_token = {};                        // empty: this was the last page
  std::optional<std::uint64_t> remaining = std::nullopt;  // items after this page
};

Outcome<Snapshot> list(Context& context, const ListRequest& request);

// kube-apiserver leaves kind and apiVersion out of the items of built-in kinds. Muster's own parts
// do not look at managedFields.
enum class ItemTypes : std::uint8_t { as_the_peer, always, without_owners };

// The text of a List object before its first item.
std::string list_head(const Target& target, const Snapshot& snapshot, ItemTypes types);

// Whether items are shown without kind and apiVersion.
bool has_bare_items(const Target& target, ItemTypes types);

// The whole List object as text, in the caller's version.
Outcome<std::string> list_text(Context& context, const Target& target, const Snapshot& snapshot,
                               ItemTypes types = ItemTypes::as_the_peer);

}  // namespace muster::server
