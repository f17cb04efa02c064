// SPDX-License-Identifier: Apache-2.0
#include "control/record.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "objects/json.h"
#include "objects/metadata.h"
#include "simulator/virtual_disk.h"
#include "simulator/virtual_time.h"

namespace muster::control {
namespace {

using core::Event;
using objects::Value;
namespace resources = objects::resources;

const std::string folder = "data/record";

Event event_about(const std::string& name) {
  Event event;
  event.revision = 7;
  event.resource = resources::pods;
  event.object =
      objects::parse_json(R"({"metadata":{"namespace":"a","name":")" + name + R"("}})").must();
  return event;
}

class RecordTest : public testing::Test {
 protected:
  void open(std::uint64_t bytes_max = record_bytes_max) {
    record = std::make_unique<RecordFile>(disk, house,
                                          RecordOptions{.folder = folder, .bytes_max = bytes_max});
  }
  void append(const std::string& name) { record->append(RecordEntry::of(event_about(name))); }

  // "start", "gap", "cycle", "refused a/p", and the names of events.
  std::vector<std::string> read() {
    std::vector<std::string> lines;
    for (const RecordEntry& entry : read_record(disk, folder).must()) {
      switch (entry.type) {
        case RecordEntry::Type::start:
          lines.emplace_back("start");
          break;
        case RecordEntry::Type::gap:
          lines.emplace_back("gap");
          break;
        case RecordEntry::Type::event:
          lines.emplace_back(objects::name_of(entry.event.object));
          break;
        case RecordEntry::Type::cycle:
          lines.emplace_back("cycle");
          break;
        case RecordEntry::Type::refused:
          lines.push_back("refused " + entry.key.to_string());
          break;
      }
    }
    return lines;
  }

  std::uint64_t bytes() {
    std::uint64_t sum = 0;
    for (const std::string& name : disk.list(folder).must()) {
      sum += disk.open(folder + "/" + name, OpenMode::read).must()->size().must();
    }
    return sum;
  }

  simulator::VirtualTime time;
  simulator::VirtualExecutor house{time};
  simulator::VirtualDisk disk{time, 1};
  std::unique_ptr<RecordFile> record;
};

using Lines = std::vector<std::string>;

TEST_F(RecordTest, what_was_appended_is_read_back) {
  open();
  append("p");
  record->append(RecordEntry::of_cycle(objects::parse_json(R"({"actions":[]})").must()));
  record->append(RecordEntry::of_refusal(resources::workloads, {"a", "w"}));
  time.run_until_idle();
  EXPECT_TRUE(record->is_idle());
  EXPECT_EQ(read(), (Lines{"start", "p", "cycle", "refused a/w"}));
}

TEST_F(RecordTest, what_no_decision_reads_of_a_pod_is_left_out) {
  Event event = event_about("p");
  event.object =
      objects::parse_json(
          R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","env":[{"name":)"
          R"("PASSWORD","value":"secret"}],"image":"i","args":["secret"],"resources":{"requests":)"
          R"({"cpu":"1"}}},{"name":"d"}],"initContainers":[{"name":"e","command":["secret"],)"
          R"("restartPolicy":"Always"}],"nodeName":"n","volumes":[{"name":"v","hostPath":)"
          R"({"path":"/secret"}},{"name":"w","persistentVolumeClaim":{"claimName":"w"}}]},)"
          R"("status":{"phase":"Running","containerStatuses":[{"name":"secret"}]}})")
          .must();
  std::string line;
  append_line(RecordEntry::of(event), line);
  EXPECT_EQ(line.find("secret"), std::string::npos);
  std::vector<RecordEntry> entries;
  read_lines(line, entries);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(
      objects::to_json(entries[0].event.object),
      R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","resources":)"
      R"({"requests":{"cpu":"1"}}},{"name":"d"}],"initContainers":[{"name":"e","restartPolicy":)"
      R"("Always"}],"nodeName":"n","volumes":[{"name":"w","persistentVolumeClaim":)"
      R"({"claimName":"w"}}]},"status":{"phase":"Running"}})");
}

TEST_F(RecordTest, a_pod_that_says_little_is_kept_as_it_is) {
  Event event = event_about("p");
  for (const char* text :
       {R"({"metadata":{"name":"p"}})", R"({"metadata":{"name":"p"},"spec":{"nodeName":"n"}})",
        R"({"metadata":{"name":"p"},"status":{"phase":"Failed"}})"}) {
    event.object = objects::parse_json(text).must();
    std::string line;
    append_line(RecordEntry::of(event), line);
    std::vector<RecordEntry> entries;
    read_lines(line, entries);
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(objects::to_json(entries[0].event.object), text);
  }
}

TEST_F(RecordTest, a_folder_that_does_not_exist_is_an_empty_record) {
  EXPECT_TRUE(read().empty());
}

TEST_F(RecordTest, a_restart_begins_a_segment_and_keeps_the_old_one) {
  open();
  append("p");
  time.run_until_idle();
  open();
  append("q");
  time.run_until_idle();
  EXPECT_EQ(read(), (Lines{"start", "p", "start", "q"}));
}

TEST_F(RecordTest, the_oldest_segments_go_and_the_size_has_a_limit) {
  constexpr std::uint64_t bytes_max = 20'000;
  open(bytes_max);
  for (int i = 0; i < 2000; ++i) {
    append("event-" + std::to_string(i));
    if (record->is_segment_full()) record->begin_segment({event_about("snapshot")});
    if (i % 10 == 0) time.run_until_idle();
    if (i % 100 == 0) {
      EXPECT_LE(bytes(), bytes_max + 4'000);
    }
  }
  time.run_until_idle();
  const Lines lines = read();
  ASSERT_GE(lines.size(), 3U);
  EXPECT_EQ(lines[0], "start");
  EXPECT_EQ(lines[1], "snapshot");
  EXPECT_EQ(lines.back(), "event-1999");
  EXPECT_EQ(record->lost(), 0U);
}

TEST_F(RecordTest, a_snapshot_that_would_fill_the_ring_is_a_gap_and_is_not_tried_again) {
  constexpr std::uint64_t bytes_max = 20'000;
  open(bytes_max);
  time.run_until_idle();
  const std::vector<Event> snapshot(1'000, event_about("snapshot"));
  for (int round = 0; round < 2; ++round) {
    record->begin_segment(snapshot);
    append("behind");
    time.run_until_idle();
  }
  EXPECT_EQ(read(), (Lines{"start", "start", "gap", "behind", "start", "gap", "behind"}));
  EXPECT_LE(bytes(), bytes_max);
}

TEST_F(RecordTest, a_torn_tail_is_no_damage) {
  open();
  append("p");
  append("q");
  time.run_until_idle();
  const std::string path = folder + "/" + disk.list(folder).must().front();
  const auto file = disk.open(path, OpenMode::read_write).must();
  const std::uint64_t size = file->size().must();
  for (std::uint64_t cut = 1; cut < 60; ++cut) {
    file->truncate(size - cut).must();
    EXPECT_EQ(read(), (Lines{"start", "p"}));
  }
}

TEST_F(RecordTest, a_rotten_line_ends_its_segment_with_a_gap) {
  open();
  append("p");
  append("q");
  time.run_until_idle();
  disk.flip_bit(folder + "/" + disk.list(folder).must().front(), 60, 1);
  open();
  append("r");
  time.run_until_idle();
  EXPECT_EQ(read(), (Lines{"start", "gap", "start", "r"}));
}

TEST_F(RecordTest, a_disk_that_fails_ends_the_record_and_nothing_else) {
  open();
  append("p");
  time.run_until_idle();
  disk.fail_write(1);
  append("q");
  time.run_until_idle();
  append("r");
  time.run_until_idle();
  EXPECT_TRUE(record->is_broken());
  EXPECT_GE(record->lost(), 1U);
  EXPECT_EQ(read().front(), "start");
}

TEST_F(RecordTest, a_record_may_go_while_the_disk_still_writes) {
  open();
  append("p");
  record.reset();
  time.run_until_idle();
  EXPECT_EQ(read().front(), "start");
}

}  // namespace
}  // namespace muster::control
