// CandidateStream: the candidates of several ClusterQueues in one order, each looked at only when
// the search comes to it. Within a queue the order is that of its index, or of what local queues
// used lately (admission fair sharing) or of the work that would be lost, where those count.
//
//   CandidateStream stream(search, CandidatePart::others);
//   stream.add(queue, PreemptionPolicy::lower_priority, 0);
//   while (const auto* next = stream.next()) take(next->entry.workload);
//
// Assumes: the index does not change while the stream is read. What a queue's local queues used
// decides only between workloads of that queue; between queues it is priority, as if it did not
// count, because Kueue's comparison has no other consistent meaning.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/preemption/candidate_index.h"
#include "core/preemption/search.h"

namespace muster::core {

enum class CandidatePart : std::uint8_t { evicted, others };

// What a queue has to offer, in order.
class CandidateCursor {
 public:
  CandidateCursor(const Search& search, ClusterQueueId queue, PreemptionPolicy policy,
                  CandidatePart part);

  // A candidate, and what it is compared by with those of other queues.
  struct Place {
    CandidateEntry entry;
    std::int64_t cost = 0;  // where that counts
  };

  bool at_end() const { return at_end_; }
  const CandidateEntry& entry() const { return entry_; }
  const Place& place() const { return place_; }
  void advance();

 private:
  struct Ranked {
    Place place;
    double local_usage = 0;
  };

  bool is_candidate(const CandidateEntry& entry) const;
  void find_next();
  void rank_all();
  void read_local_usage();
  void show_ranked();

  const Search* search_;
  ClusterQueueId queue_;
  PreemptionPolicy policy_;
  CandidateIndex::Iterator at_;
  CandidateIndex::Iterator end_;
  bool at_end_ = false;
  CandidateEntry entry_;
  Place place_;

  bool is_ranked_ = false;  // all candidates are in the two lists below
  std::size_t next_ = 0;
  std::vector<Ranked> ranked_;  // as they go
  std::vector<Place> places_;   // as they would if local queues had used the same
};

class CandidateStream {
 public:
  struct Candidate {
    CandidateEntry entry;
    std::uint32_t source = 0;  // what add() was told
  };

  CandidateStream(const Search& search, CandidatePart part) : search_(&search), part_(part) {}

  void add(ClusterQueueId queue, PreemptionPolicy policy, std::uint32_t source);
  std::optional<Candidate> next();

 private:
  struct Source {
    CandidateCursor cursor;
    std::uint32_t source = 0;
  };

  bool is_later(const Source& a, const Source& b) const;
  void settle();

  const Search* search_;
  CandidatePart part_;
  std::vector<Source> heap_;  // the one with the first candidate in front, once settled
  bool is_settled_ = false;
};

// Whether the queue has any candidate at all.
bool has_candidate(const Search& search, ClusterQueueId queue, PreemptionPolicy policy);

}  // namespace muster::core
