// `muster apply` and `muster delete`: manifests become objects, objects go.
//
//   return apply_manifests(session, {.dry_run = true});
//
// Assumes: apply is the server's (apply-patch) under the manager `muster`, and wins over others as
// kubectl's client-side apply does; what a manifest no longer says is taken away.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/instant.h"
#include "base/result.h"
#include "cli/object_session.h"

namespace muster::cli {

struct ApplyOptions {
  bool dry_run = false;
  bool keeps_others = false;  // a conflict with another manager is an error
};

Result<> apply_manifests(ObjectSession& session, const ApplyOptions& options);

struct DeleteOptions {
  std::string cascade = "background";
  std::optional<std::int64_t> grace_seconds = {};
  bool is_forced = false;
  bool waits = true;
  Span patience = Span::of_seconds(600);
};

Result<> delete_objects(ObjectSession& session, const DeleteOptions& options);

}  // namespace muster::cli
