// SPDX-License-Identifier: Apache-2.0
#include "client/api.h"

#include <utility>

#include "objects/metadata.h"

namespace muster::client {

using objects::Value;
using objects::View;

void Api::list(Call call, ListAnswer answer) {
  this->call(std::move(call), [answer = std::move(answer)](Result<Value> list) mutable {
    if (!list) return answer(std::move(list).error());
    Listed listed{.resource_version = std::string(objects::resource_version_of(*list)),
                  .items = {}};
    listed.items.reserve((*list)["items"].size());
    // Copies: one object must not keep the memory of the whole list.
    for (const View item : (*list)["items"].elements())
      listed.items.push_back(Value::copy_of(item));
    answer(std::move(listed));
  });
}

}  // namespace muster::client
