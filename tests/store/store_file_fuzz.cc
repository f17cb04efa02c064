// SPDX-License-Identifier: Apache-2.0
// A store's files with bytes changed, cut off or appended: opening says what is wrong or succeeds,
// and a store that opened answers without a crash. The input is a series of edits:
// file, kind, place (2 bytes), byte.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "tests/suites/store_suite_disks.h"

namespace muster::store {
namespace {

using Contents = std::vector<std::byte>;

struct Files {
  Contents main;
  Contents log;
};

Contents read_all(Disk& disk, const std::string& path) {
  const auto file = disk.open(path, OpenMode::read).must();
  Contents contents(file->size().must());
  CHECK(file->read_at(0, contents).must() == contents.size());
  return contents;
}

void write_all(Disk& disk, const std::string& path, const Contents& contents) {
  const auto file = disk.open(path, OpenMode::create).must();
  file->write_at(0, contents).must();
  file->sync().must();
}

// Some of it in the main file, the rest in the log.
Files make_files() {
  VirtualDiskWorld world(1);
  auto store = world.open({.limits = {.log_bytes_checkpoint = 30'000}, .on_fatal = {}}).must();
  for (int i = 0; i < 30; ++i) {
    bool done = false;
    const auto note = [&](Result<Revision>) { done = true; };
    const std::string key = "/k/" + std::to_string(i % 9);
    if (i % 7 == 6) {
      store->delete_if(key, Expected::any(), note);
    } else {
      store->put_if(key, Bytes::copy_of(std::string(static_cast<std::size_t>(i * 50), 'v')),
                    Expected::any(), note);
    }
    CHECK(world.run_until([&] { return done; }));
  }
  const std::string path = world.folder() + "/store.db";
  world.crash(std::move(store), {simulator::Survival::all, simulator::Survival::all});
  return {read_all(world.disk(), path), read_all(world.disk(), path + "-wal")};
}

void edit(Contents& contents, std::uint8_t kind, std::size_t place, std::byte byte) {
  if (contents.empty()) return;
  switch (kind % 8) {
    case 0:
      contents.resize(place % contents.size());
      break;
    case 1:
      contents.insert(contents.end(), place % 9'000, byte);
      break;
    case 2:
      contents[place % 128 % contents.size()] = byte;
      break;  // headers
    default:
      contents[place * 7 % contents.size()] ^= byte;
      break;
  }
}

void try_files(std::span<const std::uint8_t> input) {
  static const Files whole = make_files();
  Files files = whole;
  for (std::size_t at = 0; at + 5 <= input.size() && at < 100; at += 5) {
    const std::size_t place = static_cast<std::size_t>(input[at + 2]) * 256 + input[at + 3];
    edit(input[at] % 2 == 0 ? files.main : files.log, input[at + 1], place,
         static_cast<std::byte>(input[at + 4]));
  }
  VirtualDiskWorld world(1);
  world.disk().make_folder(world.folder()).must();
  write_all(world.disk(), world.folder() + "/store.db", files.main);
  write_all(world.disk(), world.folder() + "/store.db-wal", files.log);
  const auto opened = world.open({});
  if (!opened) {
    CHECK(!opened.error().message.empty());
    return;
  }
  for (const Entry& entry : (*opened)->list({}).must().entries) {
    CHECK((*opened)->get(entry.key.view()).must().revision == entry.revision);
  }
  (*opened)->put_if("/new", Bytes::copy_of("v"), Expected::any(), [](Result<Revision>) {});
  world.run_until_idle();
}

}  // namespace
}  // namespace muster::store

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  muster::store::try_files({bytes, size});
  return 0;
}
