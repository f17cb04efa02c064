// The verbs that write, at the level of values: HTTP and the in-process client both end here. Each
// reads the present object, decides, and writes under the revision it has read; when another write
// came first and the caller named no version, it decides anew.
//
//   create(context, {.target = target, .body = job, .identity = who},
//          [](Outcome<Written> written) { … });
//
// Assumes: the caller may do this (server/authorizer.h). `done` never comes from inside the call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_function.h"
#include "client/api.h"
#include "objects/admit.h"
#include "objects/patch/patch.h"
#include "objects/value.h"
#include "server/context.h"
#include "server/outcome.h"
#include "server/request.h"
#include "server/target.h"

namespace muster::server {

struct WriteRequest {
  Target target;
  objects::Value body = {};  // the object, the patch, the Binding
  std::vector<std::string> duplicate_fields = {};
  std::vector<std::string> text_complaints = {};  // `duplicate field "a"`, of the text itself
  objects::FieldValidation field_validation = objects::FieldValidation::warn;
  bool dry_run = false;
  Identity identity = {};
  std::string field_manager = {};                     // who owns what this changes
  bool force = false;                                 // of an apply: also what others own
  std::optional<objects::PatchType> patch_type = {};  // set by patch(): errors speak of the patch
};

struct Written {
  objects::Value object;     // in the storage version, with its resourceVersion
  store::Bytes bytes = {};   // as stored; none where there is no such text
  std::string managed = {};  // its managedFields, where there are no bytes
  store::Revision revision = {};
  std::vector<std::string> warnings = {};
  bool created = false;
  bool removed = false;  // the object is gone: `object` is its last state
};

// The object with its managedFields.
objects::Value shown(const Written& written);

using WriteAnswer = UniqueFunction<void(Outcome<Written>)>;

void create(Context& context, WriteRequest request, WriteAnswer done);
void update(Context& context, WriteRequest request, WriteAnswer done);
void patch(Context& context, WriteRequest request, objects::PatchType type, WriteAnswer done);
// Server-side apply: the body is a configuration. Creates the object where there is none.
void apply(Context& context, WriteRequest request, WriteAnswer done);
void bind(Context& context, WriteRequest request, WriteAnswer done);

struct RemoveRequest {
  Target target;
  std::optional<client::Propagation> propagation = {};
  std::optional<std::int64_t> grace_period_seconds = {};
  client::Preconditions preconditions = {};
  bool dry_run = false;
  Identity identity = {};
  bool of_collection = false;  // webhooks hear of no name
};

void remove(Context& context, RemoveRequest request, WriteAnswer done);

// The object as the caller's version has it.
Outcome<objects::Value> in_version(const Target& target, const objects::Value& stored);

}  // namespace muster::server
