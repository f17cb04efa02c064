// How an object lies in the store: under which key, and as which bytes. The text begins with kind,
// apiVersion and metadata, in this order, and has no resourceVersion: that is the revision of the
// write, which the store gives. Behind it, after a line feed, are its managedFields as clients see
// them. So a reader gets both by one insertion, and who only wants the object never parses them.
//
//   key_of(pods, "a", "train-0")                 /registry/core/pods/a/train-0
//   append_with_revision(text, {812}, out)       {"kind":…,"metadata":{"resourceVersion":"812",…
//
// Assumes: names were validated, so no part of a key has a slash.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "objects/kind_registry.h"
#include "objects/value.h"
#include "store/bytes.h"
#include "store/store.h"

namespace muster::server {

inline constexpr std::string_view registry_prefix = "/registry/";

// "/registry/batch/jobs/", and of one namespace "/registry/batch/jobs/a/".
std::string prefix_of(const objects::Kind& kind, std::string_view name_space = {});
std::string key_of(const objects::Kind& kind, std::string_view name_space, std::string_view name);

struct KeyParts {
  std::string_view group;  // empty for the core group
  std::string_view plural;
  std::string_view name_space;  // empty for a cluster-scoped kind
  std::string_view name;
};
std::optional<KeyParts> parse_key(std::string_view key);

// The members in the order of the text, without resourceVersion and managedFields.
objects::Value stored_form(const objects::Value& object);
// `managed` is a JSON array, or empty.
store::Bytes stored_bytes(const objects::Value& stored_form, std::string_view managed = {});

// The two parts of stored bytes.
std::string_view object_text(std::string_view stored);
std::string_view managed_text(std::string_view stored);

// The stored text with metadata.resourceVersion and metadata.managedFields.
void append_with_revision(std::string_view stored, store::Revision revision, std::string& out);
// The same as a line of its own.
store::Bytes shown_line(std::string_view stored, store::Revision revision);
// The same without kind and apiVersion, as items of a list of built-in kinds are.
void append_item(std::string_view stored, store::Revision revision, std::string& out);

// The tree with metadata.resourceVersion.
objects::Value with_revision(const objects::Value& tree, store::Revision revision);
// The tree with metadata.managedFields, which are the second part of stored bytes.
objects::Value with_managed(const objects::Value& tree, std::string_view managed);

// The number in a resourceVersion; nothing when it is none.
std::optional<store::Revision> parse_revision(std::string_view text);

}  // namespace muster::server
