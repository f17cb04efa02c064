// Request bodies, and the options that come with a write: from text, YAML or protobuf to a value,
// from a query to what it says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "objects/value.h"
#include "server/context.h"
#include "server/negotiation.h"
#include "server/outcome.h"
#include "server/request.h"
#include "server/route.h"
#include "server/write.h"

namespace muster::server {

struct Body {
  objects::Value value;
  std::vector<std::string> duplicate_fields;
  std::vector<std::string> text_complaints = {};  // what is odd about a patch or YAML, as sentences
};

// 413 beyond body_bytes_max, 415 for a media type nobody reads, 400 for what cannot be read.
Outcome<Body> decode_body(const Context& context, const Request& request, const Target& target,
                          objects::FieldValidation validation);

// A patch is always JSON, but for its own media types.
Outcome<Body> decode_patch(const Request& request, PatchForm form,
                           objects::FieldValidation validation);

// A configuration to apply: YAML, which JSON is too.
Outcome<Body> decode_configuration(const Request& request, objects::FieldValidation validation);

// dryRun, fieldManager, fieldValidation, and force of a patch. The form is none for other writes.
Outcome<> read_write_options(const Request& from, const Query& query,
                             std::optional<PatchForm> patch, WriteRequest& request);

// What DeleteOptions say; absent ones say nothing.
Outcome<RemoveRequest> delete_options(objects::View options);

// DeleteOptions, from the body and from the query.
Outcome<RemoveRequest> decode_delete_options(const Context& context, const Request& request,
                                             const Route& route);

}  // namespace muster::server
