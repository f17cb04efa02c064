// gzip: a whole answer, compressed as kube-apiserver does: fast rather than small.
//
//   std::string smaller = gzipped(pieces);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/request.h"

namespace muster::server {

// Empty when it cannot be done.
std::string gzipped(const std::vector<Piece>& pieces);

// Whether an Accept-Encoding allows gzip: named, and not with a weight of zero.
bool accepts_gzip(std::string_view accept_encoding);

}  // namespace muster::server
