// The continue token of a list: at which revision the list began, and after which key it goes on.
// The text is unpadded base64url of a small JSON object, as kube-apiserver's.
//
//   metadata.continue = write_continue_token({revision, "team-a/train-0"});
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/store.h"

namespace muster::server {

struct ContinueToken {
  store::Revision revision;  // none: the newest, whatever was before (an inconsistent list)
  std::string after;         // "namespace/name" of the last item seen
};

std::string write_continue_token(const ContinueToken& token);

// Fails with bad_request, in the peer's words, when it is none of ours.
Result<ContinueToken> read_continue_token(std::string_view text);

}  // namespace muster::server
