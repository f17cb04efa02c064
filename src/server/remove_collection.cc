// SPDX-License-Identifier: Apache-2.0
#include "server/remove_collection.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "objects/metadata.h"
#include "server/limits.h"

namespace muster::server {

using objects::ObjectKey;

namespace {

struct Sweep {
  Context& context;
  RemoveRequest how;
  std::vector<ObjectKey> keys;
  UniqueFunction<void(Outcome<>)> done;
  std::size_t next = 0;
  std::size_t under_way = 0;
  std::optional<Failure> failure = {};
};

void go_on(const std::shared_ptr<Sweep>& sweep) {
  while (!sweep->failure && sweep->next < sweep->keys.size() &&
         sweep->under_way < upkeep_writes_max) {
    RemoveRequest one = sweep->how;
    one.of_collection = true;
    one.target.name_space = sweep->keys[sweep->next].name_space;
    one.target.name = sweep->keys[sweep->next].name;
    ++sweep->next;
    ++sweep->under_way;
    remove(sweep->context, std::move(one), [sweep](const Outcome<Written>& removed) {
      --sweep->under_way;
      const bool gone = removed || removed.error().reason == reason(ErrorCode::not_found);
      if (!gone && !sweep->failure) sweep->failure = removed.error();
      go_on(sweep);
    });
  }
  if (sweep->under_way > 0 || !sweep->done) return;
  auto done = std::move(sweep->done);
  if (sweep->failure) return done(*sweep->failure);
  done({});
}

}  // namespace

void remove_all(Context& context, RemoveRequest how, const Snapshot& snapshot,
                UniqueFunction<void(Outcome<>)> done) {
  auto sweep = std::make_shared<Sweep>(Sweep{context, std::move(how), {}, std::move(done)});
  for (const Item& item : snapshot.items) {
    sweep->keys.push_back(objects::key_of(context.trees.tree_of(item.bytes)));
  }
  context.house.post([sweep] { go_on(sweep); });
}

}  // namespace muster::server
