// ManagedFields: who owns which fields of an object: `metadata.managedFields`, read and written as
// kube-apiserver does. An owner is a manager, what it did (Apply or Update), at which part of the
// object, and for updates in which version.
//
//   ManagedFields owners = TRY(ManagedFields::parse(text));
//   owners.cap();
//   text = owners.to_json();
//
// Assumes: at most one entry of one owner.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "objects/apply/field_set.h"
#include "objects/value.h"

namespace muster::objects {

enum class Operation : std::uint8_t { apply, update };

// Who writes.
struct FieldOwner {
  std::string manager;
  Operation operation = Operation::update;
  std::string api_version;
  std::string subresource = {};

  // The version does not tell appliers apart.
  bool is(const FieldOwner& other) const {
    return manager == other.manager && operation == other.operation &&
           subresource == other.subresource &&
           (operation == Operation::apply || api_version == other.api_version);
  }
};

struct ManagedEntry {
  FieldOwner owner;
  std::string time = {};  // RFC 3339; empty: none
  FieldSet fields = {};
  View written = {};  // FieldsV1 that nobody has read yet (ManagedFields::stored); else absent

  bool empty() const { return fields.empty() && !written; }
  bool owns_any_of(const FieldSet& paths) const;

  // Makes `fields` of what is written.
  void read();
};

class ManagedFields {
 public:
  // The array; absent and empty texts are nobody.
  static Result<ManagedFields> parse(View array);
  static Result<ManagedFields> parse(std::string_view text);

  // What to_json() wrote before, with the fields of each entry unread: most writes leave most
  // owners as they are. Nobody, where it cannot be read.
  static ManagedFields stored(std::string_view text);

  bool empty() const { return entries_.empty(); }
  std::vector<ManagedEntry>& entries() { return entries_; }
  const std::vector<ManagedEntry>& entries() const { return entries_; }
  ManagedEntry* find(const FieldOwner& owner);

  // Entries without fields go.
  void drop_empty();

  // The oldest updaters become one, `ancient-changes`, when there are more than updaters_max.
  void cap();

  // The array, appliers first, then by time; empty where there is no entry.
  std::string to_json() const;

 private:
  Value document_;  // what `written` points into
  std::vector<ManagedEntry> entries_;
};

inline constexpr std::size_t updaters_max = 10;

// The entry of an owner around FieldsV1 that are written already.
void append_entry(const FieldOwner& owner, std::string_view time, std::string_view fields_v1,
                  std::string& out);

// Whether two texts differ in times at most.
bool is_same_ownership(std::string_view a, std::string_view b);

// `[{}]` and `[]` in a request: forget who owns what.
bool is_reset(View managed_fields);

}  // namespace muster::objects
