// SPDX-License-Identifier: Apache-2.0
#include "objects/assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "objects/member_index.h"

namespace muster::objects {

namespace {

// Up to here comparing with every earlier key is cheaper than sorting.
constexpr std::size_t pairwise_members_max = 32;

// Enough for most objects at once.
constexpr std::size_t nodes_first = 256;

// A number below 128, different for most keys that live in one object.
unsigned fingerprint(std::string_view key) {
  if (key.empty()) return 0;
  const unsigned first = static_cast<unsigned char>(key.front());
  const unsigned last = static_cast<unsigned char>(key.back());
  return (static_cast<unsigned>(key.size()) * 5 + first * 3 + last * 23) % 128;
}

bool occurs(std::span<const Node> keys_and_values, std::string_view key) {
  for (std::size_t i = 0; i < keys_and_values.size(); i += 2) {
    if (text_of(keys_and_values[i]) == key) return true;
  }
  return false;
}

// Compares a key with the earlier ones only where one of them has the same fingerprint.
bool has_duplicate_keys_pairwise(std::span<const Node> keys_and_values) {
  std::uint64_t seen_low = 0;
  std::uint64_t seen_high = 0;
  for (std::size_t i = 0; i < keys_and_values.size(); i += 2) {
    const std::string_view key = text_of(keys_and_values[i]);
    const unsigned print = fingerprint(key);
    const std::uint64_t bit = std::uint64_t{1} << (print % 64);
    const std::uint64_t low = print < 64 ? bit : 0;
    const std::uint64_t high = bit ^ low;
    const bool maybe = ((seen_low & low) | (seen_high & high)) != 0;
    if (maybe && occurs(keys_and_values.first(i), key)) return true;
    seen_low |= low;
    seen_high |= high;
  }
  return false;
}

bool has_duplicate_keys_sorted(std::span<const Node> keys_and_values) {
  std::vector<std::string_view> keys;
  keys.reserve(keys_and_values.size() / 2);
  bool rising = true;
  for (std::size_t i = 0; i < keys_and_values.size(); i += 2) {
    keys.push_back(text_of(keys_and_values[i]));
    rising = rising && (keys.size() < 2 || keys[keys.size() - 2] < keys.back());
  }
  if (rising) return false;
  std::sort(keys.begin(), keys.end());
  return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

}  // namespace

bool has_duplicate_keys(std::span<const Node> keys_and_values) {
  if (keys_and_values.size() <= 2) return false;
  return keys_and_values.size() / 2 <= pairwise_members_max
             ? has_duplicate_keys_pairwise(keys_and_values)
             : has_duplicate_keys_sorted(keys_and_values);
}

void Assembler::shrink(std::size_t nodes_max) {
  if (nodes_.size() <= nodes_max) return;
  nodes_.resize(nodes_max);
  nodes_.shrink_to_fit();
  top_ = nodes_.data();
  end_ = top_ + nodes_.size();
}

void Assembler::grow() {
  const std::size_t used = size();
  nodes_.resize(std::max(nodes_first, nodes_.size() * 2));
  top_ = nodes_.data() + used;
  end_ = nodes_.data() + nodes_.size();
}

std::string Assembler::path() const {
  std::string out;
  for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
    const std::size_t first = open_[i].first;
    const std::size_t end = open_[i + 1].first;
    if (open_[i].type == Type::array) {
      out += fmt::format("[{}]", end - first);
    } else {
      if (!out.empty()) out.push_back('.');
      out += text_of(nodes_[end - 1]);
    }
  }
  return out;
}

std::string Assembler::path_of(std::string_view key) const {
  std::string out = path();
  if (!out.empty()) out.push_back('.');
  out += key;
  return out;
}

// Keeps the last of the members that share a key, where the options allow that at all.
bool Assembler::settle_duplicates() {
  const std::size_t first = open_.back().first;
  const std::size_t members = (size() - first) / 2;
  std::unordered_map<std::string_view, std::size_t> last_of;
  std::vector<std::string> reported;
  for (std::size_t i = 0; i < members; ++i) {
    const std::string_view key = text_of(nodes_[first + 2 * i]);
    const auto [found, fresh] = last_of.try_emplace(key, i);
    if (fresh) continue;
    if (superseded_.empty()) first_duplicate_ = i;
    superseded_.push_back(found->second);
    found->second = i;
    reported.push_back(path_of(key));
  }
  if (options_->duplicate_keys == DuplicateKeys::refuse) {
    error_ = Error::bad_request(fmt::format("duplicate field \"{}\"", reported.front()),
                                reported.front());
    return false;
  }
  if (options_->duplicate_fields != nullptr) {
    std::move(reported.begin(), reported.end(), std::back_inserter(*options_->duplicate_fields));
  }
  std::sort(superseded_.begin(), superseded_.end());
  std::size_t kept = first;
  std::size_t next = 0;
  for (std::size_t i = 0; i < members; ++i) {
    if (next < superseded_.size() && superseded_[next] == i) {
      ++next;
      continue;
    }
    nodes_[kept] = nodes_[first + 2 * i];
    nodes_[kept + 1] = nodes_[first + 2 * i + 1];
    kept += 2;
  }
  top_ = nodes_.data() + kept;
  return true;
}

}  // namespace muster::objects
