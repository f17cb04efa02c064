// What searches in a topology keep from one to the next: how many pods of some requests each leaf
// takes, and which leaves match some scheduling terms. Both depend on nothing but the tree and its
// stamps, so that equal gangs, the candidates of a preemption and the same gang in the next cycle
// count each leaf once.
//
//   CountColumn& pods = tree.caches().counts(…);     // core/placement/topology_counts.h
//
// Assumes: filled by core/placement/topology_counts.cc and topology_match.cc alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace muster::core {

// Of what a leaf has, what counts.
enum class RoomBasis : std::uint8_t {
  room,      // less everything promised
  own_room,  // less what was promised in this flavor alone
  empty,     // nothing was promised
};

// Which pods, into which room. Requests by column of the tree. A request for what no node has makes
// it impossible.
struct CountKey {
  RoomBasis basis = RoomBasis::room;
  std::vector<std::pair<std::size_t, std::int64_t>> requests;
  std::vector<std::pair<std::size_t, std::int64_t>> before;  // taken first: the leader
  bool impossible = false;

  friend bool operator==(const CountKey&, const CountKey&) = default;
};

struct CountColumn {
  CountKey key;
  std::vector<std::int32_t> counts;        // by leaf, in whole blocks
  std::vector<std::int64_t> stamps;        // of the leaves when they were counted
  std::vector<std::int64_t> block_stamps;  // of each 64 leaves
  std::uint64_t used = 0;                  // when, to forget the oldest
};

// Which leaves may take pods with some terms, and why the others may not.
struct MatchColumn {
  std::string key;
  bool all_match = false;
  std::vector<std::uint8_t> matches;  // by leaf; empty where all do
  std::vector<std::int64_t> scores;   // of preferred affinity; empty where there is none
  std::int64_t by_selector = 0;
  std::int64_t by_affinity = 0;
  std::map<std::string, std::int64_t> by_taint;
  std::uint64_t used = 0;
};

// How many of each are kept for one tree.
inline constexpr std::size_t count_columns_max = 32;
inline constexpr std::size_t match_columns_max = 32;
inline constexpr std::size_t leaves_per_block = 64;

struct SearchMemory;  // core/placement/topology_place.cc

struct TopologyCaches {
  std::deque<CountColumn> counts;
  std::deque<MatchColumn> matches;
  std::uint64_t clock = 0;
  std::shared_ptr<SearchMemory> memory;  // of one search at a time; shared for its deleter alone
};

}  // namespace muster::core
