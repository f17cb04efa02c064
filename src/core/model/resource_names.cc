// SPDX-License-Identifier: Apache-2.0
#include "core/model/resource_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/quantity.h"
#include "core/model/limits.h"
#include "objects/builder.h"
#include "objects/json.h"

namespace muster::core {

using objects::Builder;
using objects::Value;
using objects::View;

namespace {

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 0x100000001b3;
  }
  return hash;
}

}  // namespace

ResourceNames::ResourceNames() : pods_(intern("pods").must()) {}

Result<ResourceId> ResourceNames::intern(std::string_view name) {
  const auto found = ids_.find(name);
  if (found != ids_.end()) return found->second;
  if (names_.size() >= resource_names_max) {
    return Error::too_large(
        fmt::format("more than {} different resources are in use", resource_names_max));
  }
  const ResourceId id(static_cast<std::uint32_t>(names_.size()));
  names_.emplace_back(name);
  hashes_.push_back(fnv1a(name));
  ids_.emplace(names_.back(), id);
  return id;
}

ResourceId ResourceNames::find(std::string_view name) const {
  const auto found = ids_.find(name);
  return found == ids_.end() ? ResourceId::none() : found->second;
}

std::int64_t amount_of(const Amounts& amounts, ResourceId resource) {
  for (const Amount& entry : amounts) {
    if (entry.resource == resource) return entry.amount;
  }
  return 0;
}

void add_amount(Amounts& amounts, ResourceId resource, std::int64_t amount,
                const ResourceNames& names) {
  const auto before = [&](const Amount& entry, ResourceId id) {
    return names.name(entry.resource) < names.name(id);
  };
  const auto at = std::lower_bound(amounts.begin(), amounts.end(), resource, before);
  if (at != amounts.end() && at->resource == resource) {
    at->amount = saturating_add(at->amount, amount);
  } else {
    amounts.insert(at, {resource, amount});
  }
}

namespace {

// A quantity is a string, or a number as it was written.
Result<std::int64_t> read_amount(std::string_view resource, View quantity) {
  const auto text = quantity.string();
  const Quantity parsed =
      TRY(text ? Quantity::parse_field(*text) : Quantity::parse_field(objects::to_json(quantity)));
  if (parsed.sign() <= 0) return std::int64_t{0};
  return parsed.saturated_value(resource == "cpu" ? QuantityScale::milli : QuantityScale::unit);
}

}  // namespace

Result<Amounts> read_amounts(View list, ResourceNames& names) {
  Amounts amounts;
  for (const auto& [name, quantity] : list.members()) {
    const std::int64_t amount = TRY(read_amount(name, quantity));
    const ResourceId id = TRY(names.intern(name));
    add_amount(amounts, id, amount, names);
  }
  return amounts;
}

bool shows_amounts(View list, const Amounts& amounts, const ResourceNames& names) {
  if (list.size() != amounts.size()) return false;
  for (const auto& [name, quantity] : list.members()) {
    const auto known = std::ranges::find_if(amounts, [&, wanted = name](const Amount& each) {
      return names.name(each.resource) == wanted;
    });
    if (known == amounts.end()) return false;
    const auto amount = read_amount(name, quantity);
    if (!amount || *amount != known->amount) return false;
  }
  return true;
}

std::string amount_text(std::string_view resource, std::int64_t amount) {
  return resource_quantity(resource, amount).to_string();
}

Value to_value(const Amounts& amounts, const ResourceNames& names) {
  Builder builder;
  std::vector<objects::Node::Member> members;
  members.reserve(amounts.size());
  for (const Amount& entry : amounts) {
    const std::string& name = names.name(entry.resource);
    members.push_back({builder.text(name), builder.text(amount_text(name, entry.amount))});
  }
  const objects::Node root = builder.object(members);
  return std::move(builder).finish(root);
}

}  // namespace muster::core
