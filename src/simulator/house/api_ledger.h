// ApiLedger: what the API server promised to its clients, against what became durable: every watch
// is an ordered suffix of history without gaps and repetitions (I2), a list is no older than what
// had been acknowledged when it was asked for (I2), and an update replaces exactly the version that
// it names (I3).
//
//   ledger.happened("pods", 17, 12);                   // by the witness, in order
//   auto api = ledger.wrap(*server.in_process(identity));
//   ledger.settle(violate);                            // after the witness has read everything
//
// Assumes: one house thread; wrapped Apis die before the ledger. Watches with a selector or a
// namespace show a part of history, so only their order is checked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/api.h"

namespace muster::simulator {

class ApiLedger {
 public:
  using Violate = std::function<void(std::string_view invariant, std::string message)>;

  // The kind with its group, `batch/jobs`: two groups may have the same plural.
  void happened(std::string_view kind, std::uint64_t revision, std::uint64_t previous);

  std::unique_ptr<client::Api> wrap(client::Api& api);

  void settle(const Violate& violate);

  // The server died, and its watches with it.
  void forget_watches();

 private:
  class WrappedApi;

  struct Stream {
    std::string kind;
    bool is_whole = false;
    bool begins_with_state = false;  // asked for without a version, or from 0
    std::uint64_t last = 0;
  };
  struct Delivery {
    std::size_t stream = 0;
    std::uint64_t revision = 0;
    bool is_bookmark = false;
  };
  struct Write {
    std::string what;
    std::uint64_t expected = 0;  // 0: it named no version
    std::uint64_t got = 0;
  };
  struct Read {
    std::string kind;
    std::uint64_t acknowledged = 0;  // when it was asked for
    std::uint64_t got = 0;
  };

  std::size_t open(const client::WatchCall& call);
  std::string wrong_with(const Delivery& delivery);
  std::string wrong_with(const Write& write) const;

  std::map<std::string, std::vector<std::uint64_t>, std::less<>> history_;  // revisions, by kind
  std::map<std::uint64_t, std::uint64_t> previous_;                         // by revision
  std::map<std::size_t, Stream> streams_;
  std::size_t stream_next_ = 0;
  std::uint64_t acknowledged_ = 0;  // the newest that anybody was told of
  std::vector<Delivery> deliveries_;
  std::vector<Write> writes_;
  std::vector<Read> reads_;
};

}  // namespace muster::simulator
