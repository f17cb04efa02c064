// SPDX-License-Identifier: Apache-2.0
#include "objects/apply/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "objects/apply/compare.h"
#include "objects/apply/last_applied.h"
#include "objects/apply/merge.h"
#include "objects/field_error.h"

namespace muster::objects {

namespace {

constexpr std::string_view before_first_apply = "before-first-apply";

// What a change means in the versions in which its owners speak.
class ChangeInVersions {
 public:
  ChangeInVersions(const Value& before, const Value& after, const OwnedWrite& write)
      : before_(before), after_(after), write_(write) {}

  // Null where the version is gone, or the object cannot be compared in it.
  const Comparison* in(const std::string& version) {
    const auto known = comparisons_.find(version);
    if (known != comparisons_.end()) return known->second ? &*known->second : nullptr;
    return keep(version, compared(version));
  }

  const Comparison* keep(const std::string& version, std::optional<Comparison> comparison) {
    auto& kept = comparisons_[version];
    kept = std::move(comparison);
    return kept ? &*kept : nullptr;
  }

 private:
  std::optional<Comparison> compared(const std::string& version) const {
    if (!write_.to_version) return std::nullopt;
    const auto before = write_.to_version(before_, version);
    const auto after = write_.to_version(after_, version);
    if (!before || !after) return std::nullopt;
    auto comparison = compare(before->object, after->object, before->schema);
    if (!comparison) return std::nullopt;
    return std::move(comparison).take();
  }

  const Value& before_;
  const Value& after_;
  const OwnedWrite& write_;
  std::map<std::string, std::optional<Comparison>> comparisons_;
};

Comparison filtered(const Comparison& comparison, const FieldFilter& filter) {
  return {filter.applied_to(comparison.added), filter.applied_to(comparison.modified),
          filter.applied_to(comparison.removed)};
}

// The fields that others lose because they change. Owners whose version is gone lose everything.
struct Losses {
  std::vector<FieldSet> conflicts;  // by entry
  std::vector<FieldSet> removed;
  std::vector<bool> is_gone;
};

Losses losses_of(const ManagedFields& owners, const FieldOwner& self, ChangeInVersions& change) {
  Losses losses;
  for (const ManagedEntry& entry : owners.entries()) {
    FieldSet conflict;
    FieldSet removed;
    bool gone = false;
    if (!entry.owner.is(self)) {
      const Comparison* compared = change.in(entry.owner.api_version);
      gone = compared == nullptr;
      if (!gone) {
        conflict = intersection(entry.fields, united(compared->modified, compared->added));
        removed = compared->removed;
      }
    }
    losses.conflicts.push_back(std::move(conflict));
    losses.removed.push_back(std::move(removed));
    losses.is_gone.push_back(gone);
  }
  return losses;
}

void take_away(const Losses& losses, ManagedFields& owners) {
  for (std::size_t i = 0; i < owners.entries().size(); ++i) {
    FieldSet& fields = owners.entries()[i].fields;
    fields = losses.is_gone[i]
                 ? FieldSet()
                 : difference(difference(fields, losses.conflicts[i]), losses.removed[i]);
  }
  owners.drop_empty();
}

ManagedFields read_owners(std::string_view managed) {
  auto owners = ManagedFields::parse(managed);
  return owners ? std::move(owners).take() : ManagedFields();
}

// Everybody loses what changed, the writer too: what it changed comes back to it.
void take_changed(ChangeInVersions& change, ManagedFields& owners) {
  for (ManagedEntry& entry : owners.entries()) {
    const Comparison* compared = change.in(entry.owner.api_version);
    if (compared == nullptr) {
      entry.fields = {};
      entry.written = {};
      continue;
    }
    for (const FieldSet* changed : {&compared->modified, &compared->added, &compared->removed}) {
      if (!entry.owns_any_of(*changed)) continue;
      entry.read();
      entry.fields.take_away(*changed);
    }
  }
  owners.drop_empty();
}

// An object without owners: what is there belongs to those of before.
Result<ManagedFields> owners_before_apply(const Value& live, std::string_view managed,
                                          const OwnedWrite& write) {
  ManagedFields owners = read_owners(managed);
  if (!owners.empty() || live.is_absent()) return owners;
  ManagedEntry entry{.owner = {.manager = std::string(before_first_apply),
                               .operation = Operation::update,
                               .api_version = write.owner.api_version,
                               .subresource = write.owner.subresource},
                     .time = write.time};
  entry.fields = TRY(new_fields(live, write.schema, write.filter));
  if (!entry.fields.empty()) owners.entries().push_back(std::move(entry));
  return owners;
}

// Everything that the sets of one version hold together.
std::map<std::string, FieldSet> united_by_version(const ManagedFields& owners) {
  std::map<std::string, FieldSet> out;
  for (const ManagedEntry& entry : owners.entries()) {
    FieldSet& all = out[entry.owner.api_version];
    all = united(all, entry.fields);
  }
  return out;
}

struct Pruning {
  Value merged;
  Value pruned;
  SchemaNode schema;
};

// Puts back what is owned by somebody, in the version of the owners.
Result<void> put_back_owned(const FieldSet& owned, Pruning& at) {
  const SchemaNode schema = at.schema;
  const FieldSet merged = with_declared_fields(TRY(claimed_fields(at.merged, schema)), schema);
  const FieldSet pruned = with_declared_fields(TRY(claimed_fields(at.pruned, schema)), schema);
  const FieldSet kept = united(pruned, with_declared_fields(owned, schema));
  at.pruned = without_fields(at.merged, difference(merged, kept), schema);
  return {};
}

bool move_to_version(const OwnedWrite& write, std::string_view version, Pruning& at) {
  if (!write.to_version) return false;
  auto merged = write.to_version(at.merged, version);
  auto pruned = write.to_version(at.pruned, version);
  if (!merged || !pruned) return false;
  at = {std::move(merged->object), std::move(pruned->object), merged->schema};
  return true;
}

// What the applier owned and no longer mentions goes, unless somebody else owns it. `owners` has
// the applier's new claim already; `last` is the old one.
Result<Value> pruned(const Value& merged, const ManagedFields& owners, const ManagedEntry& last,
                     const OwnedWrite& write) {
  Pruning at{merged, merged, write.schema};
  const std::string& version = last.owner.api_version;
  if (version != write.owner.api_version && !move_to_version(write, version, at)) return merged;
  const Value start = at.merged;
  const SchemaNode schema = at.schema;
  const FieldSet claim = with_declared_fields(last.fields, schema);
  at.pruned = without_fields(at.merged, claim, schema);
  auto by_version = united_by_version(owners);
  if (const auto own = by_version.find(version); own != by_version.end()) {
    TRY(put_back_owned(own->second, at));
    by_version.erase(own);
  }
  for (const auto& [other, fields] : by_version) {
    if (move_to_version(write, other, at)) TRY(put_back_owned(fields, at));
  }
  if (!(at.schema == schema) && !move_to_version(write, version, at)) return merged;
  const FieldSet all = with_declared_fields(TRY(claimed_fields(start, schema)), schema);
  const FieldSet left = with_declared_fields(TRY(claimed_fields(at.pruned, schema)), schema);
  const FieldSet gone = intersection(difference(all, left), claim);
  const Value result = without_fields(start, gone, schema);
  if (version == write.owner.api_version) return result;
  auto back = write.to_version(result, write.owner.api_version);
  if (!back) return merged;
  return std::move(back->object);
}

std::vector<Conflict> conflicts_of(const ManagedFields& owners, const Losses& losses) {
  std::vector<Conflict> out;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < owners.entries().size(); ++i) order.push_back(i);
  const auto name = [&](std::size_t i) {
    const FieldOwner& owner = owners.entries()[i].owner;
    return std::tie(owner.manager, owner.operation, owner.api_version, owner.subresource);
  };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return name(a) < name(b); });
  for (const std::size_t i : order) {
    losses.conflicts[i].for_each_path([&](std::span<const PathElement> path) {
      out.push_back({owners.entries()[i].owner, {path.begin(), path.end()}});
    });
  }
  return out;
}

// Conflicts of kubectl with its own client-side past are none (objects/apply/last_applied.h).
bool may_overrule(const Value& live, const OwnedWrite& write, std::vector<Conflict>& conflicts) {
  if (conflicts.empty() || write.force) return true;
  if (write.owner.manager != kubectl_manager) return false;
  const auto own = fields_last_applied(live, write.owner.api_version, write.schema);
  if (!own) return false;
  std::erase_if(conflicts, [&](const Conflict& conflict) { return own->has(conflict.path); });
  return conflicts.empty();
}

}  // namespace

Result<std::string> owners_of_new(View object, const OwnedWrite& write) {
  // Enough for what stands around the fields, and of the room for them.
  constexpr std::size_t entry_usual = 256;
  constexpr std::size_t fields_kept_max = std::size_t{64} * 1024;
  thread_local std::string fields;  // room to work in and nothing else
  fields.clear();
  if (fields.capacity() > fields_kept_max) fields.shrink_to_fit();
  if (!TRY(append_new_fields(object, write.schema, write.filter, fields))) return std::string();
  std::string out;
  out.reserve(fields.size() + entry_usual);
  out += '[';
  append_entry(write.owner, write.time, fields, out);
  out += ']';
  return out;
}

Result<std::string> owners_after_update(const Value& before, const Value& after,
                                        std::string_view managed, const OwnedWrite& write) {
  const Comparison whole = TRY(compare(before, after, write.schema));
  if (whole.empty()) return std::string(managed);
  ManagedFields owners = ManagedFields::stored(managed);
  if (owners.empty()) return std::string();  // it was reset: nobody is tracked until an apply
  ChangeInVersions change(before, after, write);
  const Comparison* own = change.keep(write.owner.api_version, filtered(whole, write.filter));
  const FieldSet taken = without_identity(united(own->modified, own->added));
  take_changed(change, owners);
  if (!taken.empty()) {
    ManagedEntry* entry = owners.find(write.owner);
    if (entry == nullptr) entry = &owners.entries().emplace_back(ManagedEntry{write.owner});
    entry->read();
    entry->fields.add_all(taken);
    entry->time = write.time;
  }
  owners.cap();
  return owners.to_json();
}

Result<Applied> apply_configuration(const Value& live, std::string_view managed,
                                    const Value& configuration, const OwnedWrite& write) {
  ManagedFields owners = TRY(owners_before_apply(live, managed, write));
  Value next = live.is_absent()
                   ? TRY(merge_configuration(Value::object({}), configuration, write.schema))
                   : TRY(merge_configuration(live, configuration, write.schema));
  ManagedEntry* self = owners.find(write.owner);
  const ManagedEntry last = self == nullptr ? ManagedEntry{write.owner} : *self;
  if (self == nullptr) self = &owners.entries().emplace_back(ManagedEntry{write.owner});
  self->owner.api_version = write.owner.api_version;
  self->fields = write.filter.applied_to(TRY(claimed_fields(configuration, write.schema)));
  if (!last.fields.empty()) next = TRY(pruned(next, owners, last, write));
  const bool changes = live.is_absent() || !(live == next);
  ChangeInVersions change(live, next, write);
  const Comparison whole = TRY(compare(live, next, write.schema));
  change.keep(write.owner.api_version, filtered(whole, write.filter));
  const Losses losses = losses_of(owners, write.owner, change);
  std::vector<Conflict> conflicts = conflicts_of(owners, losses);
  if (!may_overrule(live, write, conflicts)) return Applied{live, {}, std::move(conflicts)};
  take_away(losses, owners);
  if (ManagedEntry* entry = owners.find(write.owner)) {
    entry->fields = without_identity(entry->fields);
    if (changes) entry->time = write.time;
  }
  owners.drop_empty();
  if (!changes) next = live;
  if (write.owner.manager == kubectl_manager) next = with_last_applied(next, configuration);
  return Applied{std::move(next), owners.to_json()};
}

std::string to_string(const FieldOwner& owner) {
  std::string out = go_quoted(owner.manager);
  if (!owner.subresource.empty()) out += " with subresource " + go_quoted(owner.subresource);
  if (owner.operation == Operation::update) out += " using " + owner.api_version;
  return out;
}

std::string conflict_message(const std::vector<Conflict>& conflicts) {
  if (conflicts.size() == 1) {
    return fmt::format("Apply failed with 1 conflict: conflict with {}: {}",
                       to_string(conflicts[0].owner), to_string(conflicts[0].path));
  }
  std::string out = fmt::format("Apply failed with {} conflicts: ", conflicts.size());
  const FieldOwner* before = nullptr;
  for (const Conflict& conflict : conflicts) {
    if (before != nullptr) out += '\n';
    if (before == nullptr || !before->is(conflict.owner)) {
      out += fmt::format("conflicts with {}:\n", to_string(conflict.owner));
    }
    out += "- " + to_string(std::span<const PathElement>(conflict.path));
    before = &conflict.owner;
  }
  return out;
}

}  // namespace muster::objects
