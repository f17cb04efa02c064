// SPDX-License-Identifier: Apache-2.0
// The ledger and its index against a model that keeps every state in full.
#include "store/ledger.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "store/index.h"

namespace muster::store {
namespace {

using State = std::map<std::string, std::pair<std::string, std::uint64_t>>;

class LedgerModel : public testing::TestWithParam<std::uint64_t> {
 protected:
  static constexpr std::uint64_t key_count = 700;  // several blocks of the index

  void write() {
    const std::string key = "/k/" + std::to_string(random_() % key_count);
    State next = states_.empty() ? State{} : states_.rbegin()->second;
    const auto live = next.find(key);
    Record record{.revision = {ledger_.revision().value + 1 + random_() % 2},
                  .previous = {live == next.end() ? 0 : live->second.second},
                  .key = Bytes::copy_of(key),
                  .value = {}};
    if (live != next.end() && random_() % 3 == 0) {
      next.erase(live);
    } else if (live == next.end() || random_() % 3 != 0) {
      record.value = Bytes::copy_of(std::to_string(random_()));
      next[key] = {std::string(record.value.view()), record.revision.value};
    } else {
      return;
    }
    ledger_.apply(record);
    states_[record.revision.value] = std::move(next);
  }

  // Pages through a random prefix at a random revision.
  void check_list() {
    const std::uint64_t at = ledger_.compacted().value +
                             random_() % (ledger_.revision().value - ledger_.compacted().value + 1);
    const auto state = states_.upper_bound(at);
    const State& expected = std::prev(state)->second;
    const std::string prefix = "/k/" + std::to_string(random_() % 10);
    std::vector<std::string> wanted;
    for (const auto& [key, value] : expected) {
      if (key.starts_with(prefix)) wanted.push_back(key + "=" + value.first);
    }
    std::vector<std::string> found;
    std::string start;
    const std::size_t limit = 1 + random_() % 50;
    while (true) {
      const auto page =
          ledger_.list({.prefix = prefix, .at = {at}, .limit = limit, .start = start}).must();
      for (const Entry& entry : page.entries) {
        found.push_back(std::string(entry.key.view()) + "=" + std::string(entry.value.view()));
      }
      EXPECT_EQ(page.remaining, wanted.size() - found.size());
      if (page.remaining == 0) break;
      start = std::string(page.entries.back().key.view()) + '\0';
    }
    ASSERT_EQ(found, wanted) << "at revision " << at;
  }

  std::mt19937_64 random_{GetParam()};
  Ledger ledger_{StoreLimits{}};
  std::map<std::uint64_t, State> states_{{0, {}}};
};

TEST_P(LedgerModel, answers_for_every_revision_since_compaction) {
  for (int i = 0; i < 600; ++i) {
    for (int w = 0; w < 5; ++w) write();
    if (i % 4 == 0) check_list();
    if (i % 50 == 49) {
      const std::uint64_t span = ledger_.revision().value - ledger_.compacted().value;
      ledger_.compact({ledger_.compacted().value + random_() % (span + 1)});
    }
    EXPECT_EQ(ledger_.index().live(), states_.rbegin()->second.size());
  }
  ledger_.compact(ledger_.revision());
  EXPECT_EQ(ledger_.history().size(), 0U);
  EXPECT_EQ(ledger_.history_bytes(), 0U);
  check_list();
}

INSTANTIATE_TEST_SUITE_P(seeds, LedgerModel, testing::Values(1, 2, 3));

TEST(Ledger, names_the_rows_that_compaction_makes_useless) {
  Ledger ledger{StoreLimits{}};
  const Bytes a = Bytes::copy_of("/a");
  const Bytes b = Bytes::copy_of("/b");
  const Bytes v = Bytes::copy_of("v");
  ledger.apply({{1}, {}, a, v});
  ledger.apply({{2}, {1}, a, v});
  ledger.apply({{3}, {}, b, v});
  ledger.apply({{4}, {3}, b, {}});
  ledger.apply({{5}, {2}, a, v});
  EXPECT_EQ(ledger.compact({2}), (std::vector<Revision>{{1}}));
  EXPECT_EQ(ledger.compact({4}), (std::vector<Revision>{{3}, {4}}));
  EXPECT_EQ(ledger.compact({4}), (std::vector<Revision>{}));
  EXPECT_EQ(ledger.compact({5}), (std::vector<Revision>{{2}}));
}

TEST(Ledger, refuses_records_that_contradict_each_other) {
  const Bytes a = Bytes::copy_of("/a");
  const Bytes v = Bytes::copy_of("v");
  const auto recover = [&](std::vector<Record> records) {
    Ledger ledger{StoreLimits{}};
    const auto done = ledger.recover({.compacted = {}, .records = std::move(records)});
    return done ? "fine" : done.error().message;
  };
  EXPECT_EQ(recover({{{1}, {}, a, v}, {{2}, {1}, a, {}}}), "fine");
  EXPECT_EQ(recover({{{2}, {1}, a, v}}),
            "the log is damaged at key \"/a\", revision 2: it replaced revision 1, but 0 is there; "
            "restore a backup");
  EXPECT_EQ(recover({{{2}, {}, a, v}, {{2}, {2}, a, v}}),
            "the log is damaged at key \"/a\", revision 2: revisions must grow; restore a backup");
}

TEST(AfterPrefix, is_the_first_key_that_does_not_match) {
  std::string storage;
  EXPECT_EQ(after_prefix("/a/", storage), "/a0");
  EXPECT_EQ(after_prefix("a\xff\xff", storage), "b");
  EXPECT_EQ(after_prefix("\xff", storage), "");
  EXPECT_EQ(after_prefix("", storage), "");
}

TEST(BytesOfAStore, none_and_empty_differ_and_copies_share) {
  const Bytes none;
  const Bytes empty = Bytes::copy_of("");
  EXPECT_TRUE(none.is_none());
  EXPECT_FALSE(empty.is_none());
  EXPECT_FALSE(none == empty);
  const Bytes a = Bytes::copy_of("text");
  const std::vector<Bytes> copies(3, a);
  EXPECT_EQ(a.view().data(), copies.back().view().data());
  EXPECT_EQ(a, Bytes::copy_of("text"));
}

}  // namespace
}  // namespace muster::store
