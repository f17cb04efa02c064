// The order of a list that merges: where elements of the patch and elements only the server has
// end up. Elements are known by an identity: the JSON text of their merge key, or their own.
//
//   server:  a s b t      wanted: b n a      merged (any order): a s b t n
//   result:  s b n a t    (s stood before b; t behind a; n is new)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace muster::objects {

using Identity = std::string;
using Identities = std::vector<Identity>;

// The first position of each identity.
std::map<Identity, std::size_t> first_positions(const Identities& identities);

// Positions in `merged`, in their final order. `wanted` is the order that the patch asks for,
// `server` the order before it.
std::vector<std::size_t> element_order(const Identities& merged, const Identities& wanted,
                                       const Identities& server);

}  // namespace muster::objects
