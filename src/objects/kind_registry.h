// KindRegistry: the kinds that are served, by group and kind, by resource name and by short name.
// The built-in ones come from the files of api/; run-time CRDs are added and removed.
//
//   KindRegistry registry = TRY(KindRegistry::built_in());
//   auto kind = registry.find_resource("kueue.x-k8s.io", "workloads");
//   const KindVersion* version = kind->version("v1beta2");
//   admit(version->schema, …);
//
// Assumes: a Kind is immutable and kept alive by whoever holds it (Found), so a kind that is
// removed or replaced while an object of it is being admitted does no harm. Whoever keeps a Kind or
// a part of it (a KindVersion, a Schema) over an await holds its Found. The registry itself belongs
// to one thread and changes while it is used: what is made from all kinds is made anew when
// generation() differs from the one it was made at.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "objects/admit.h"
#include "objects/field_error.h"
#include "objects/schema.h"
#include "objects/value.h"

namespace muster::objects {

class SchemaCompiler;

struct KindVersion {
  std::string name;
  bool served = false;
  bool storage = false;
  bool has_status = false;  // the status subresource
  Schema schema;
  Value definition;  // the entry of spec.versions: printer columns, selectable fields, scale
};

struct Kind {
  std::string group;  // empty for the core group
  std::string kind;
  std::string list_kind;
  std::string plural;
  std::string singular;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  Scope scope = Scope::namespaced;
  SchemaStyle style = SchemaStyle::custom;
  bool is_built_in = false;
  // False for what is only asked: `create` alone (a review), or, with no verb at all, a part of
  // other kinds that has no path of its own (Scale, Eviction).
  bool is_stored = true;
  std::vector<std::string> own_verbs;  // of a kind that is not stored
  // Another kind whose objects these are, in another form: events of events.k8s.io are those of the
  // core group. Null for all others.
  std::shared_ptr<const Kind> stored_as;
  // Objects that were written up to this revision may be stored in another shape: the definition
  // was another one then.
  std::uint64_t since_revision = 0;
  std::vector<KindVersion> versions;
  Value definition;  // the whole CustomResourceDefinition

  // Null where there is no such version.
  const KindVersion* version(std::string_view name) const;
  // Of a kind that is stored as another one: that one's.
  const KindVersion& storage_version() const;

  // The kind under which objects lie in the store: this one, but for a few.
  const Kind& stored_kind() const { return stored_as == nullptr ? *this : *stored_as; }

  // `Pod` or `ClusterQueue.kueue.x-k8s.io`, as messages name it.
  std::string qualified_name() const;
};

class KindRegistry {
 public:
  // The kinds of api/.
  static Result<KindRegistry> built_in();

  // Checks and adds a tenant's CustomResourceDefinition, or replaces the one of the same name.
  // Errors leave the registry as it was.
  FieldErrors add(const Value& definition);

  // The errors that add() would give, and those of what may not change; changes nothing. The
  // definition of a kind that is built in is only looked at, as it will not be used.
  FieldErrors check(const Value& definition, View old_definition = {}) const;

  // Adds a definition that was checked before, under the names that were accepted, which may be
  // others than those of its spec (status.acceptedNames).
  FieldErrors add(const Value& definition, View names, std::uint64_t since_revision);

  // Grows with every change.
  std::uint64_t generation() const { return generation_; }

  // False where there is no such kind, or it is built in.
  bool remove(std::string_view group, std::string_view plural);

  using Found = std::shared_ptr<const Kind>;  // null where there is none
  Found find(std::string_view group, std::string_view kind) const;
  // Null also for a kind that has no path of its own.
  Found find_resource(std::string_view group, std::string_view plural) const;

  // What a person types: plural, singular or short name, in any group; built-in kinds first.
  Found find_name(std::string_view name) const;

  // All kinds, by group and plural.
  std::vector<Found> kinds() const;

 private:
  bool is_built_in(View definition) const;
  FieldErrors compile(const Value& definition, Kind& kind) const;
  Result<> take(std::vector<Kind> kinds);

  void put(std::string key, Kind kind);
  void forget(const Kind& kind);

  std::map<std::string, Found> by_resource_;  // "<group>/<plural>"
  // The same by a hash of both: every request asks a dozen times. Never iterated.
  std::unordered_multimap<std::size_t, Found> by_hash_;
  std::vector<Value> types_;  // documents of kind Types
  std::uint64_t generation_ = 0;
};

}  // namespace muster::objects
