// Admission: what happens to an object between decoding and storing that its schema cannot say,
// because it depends on other objects, on who writes, or on hand-written rules of its kind. It
// runs on the storage version, in three steps; the outer two may wait for others
// (server/admission_chain.h).
//
//   change_on_admission ─► admit: rules of the kind, a 422 ─► check_on_admission ─► the write
//
// One file per kind, admission_<kind>.cc: synchronous rules that may change the object and add to
// `errors`. What belongs to no kind (quota, limits, pod security, webhooks) is in the chain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "objects/field_error.h"
#include "objects/value.h"
#include "server/context.h"
#include "server/outcome.h"
#include "server/request.h"
#include "server/target.h"

namespace muster::server {

enum class Operation : std::uint8_t { create, update, remove, connect };

// `CREATE`, as webhooks and messages have it.
std::string_view name_of(Operation operation);

// The target and the identity must outlive it, also while it waits.
struct Admission {
  const Target& target;  // with the subresource
  const Identity& identity;
  objects::Value object;           // may be replaced; absent on remove
  objects::Value old_object = {};  // absent on create
  objects::FieldErrors errors = {};
  std::vector<std::string> warnings = {};
  Operation operation = Operation::create;
  bool dry_run = false;
  bool of_collection = false;  // one of all that were deleted at once: webhooks hear of no name
  // What was set aside for this write (quota, addresses), given back when it has been answered.
  std::shared_ptr<void> hold = {};

  // Sets aside one thing more.
  void keep(std::shared_ptr<void> more) {
    using Both = std::pair<std::shared_ptr<void>, std::shared_ptr<void>>;
    hold = hold ? std::make_shared<Both>(std::move(hold), std::move(more)) : std::move(more);
  }

  bool is_create() const { return old_object.is_absent(); }
};

// Runs the rules of the kind. A failure ends the request; `errors` are a 422.
Outcome<> admit(Context& context, Admission& admission);

// The namespace of a new object must exist and not be on its way out.
Outcome<> check_namespace(Context& context, const Target& target);

// system:muster:… and system:node:… may set annotations that are Muster's own.
bool is_part_of_muster(const Identity& identity);

// Of one kind each.
Outcome<> admit_namespace(Admission& admission);
Outcome<> admit_pod(Context& context, Admission& admission);
void queue_pod(Context& context, Admission& admission);  // Kueue's part of it
void check_pod_resize(Admission& admission);
Outcome<> admit_job(Context& context, Admission& admission);
Outcome<> queue_deployment(Context& context, Admission& admission);
Outcome<> queue_stateful_set(Context& context, Admission& admission);
Outcome<> admit_event(Admission& admission);  // of either group
Outcome<> admit_service(Context& context, Admission& admission);
void warn_of_tokens(Admission& admission);                             // of a CSIDriver
Outcome<> admit_device_claim(Context& context, Admission& admission);  // and templates
Outcome<> admit_endpoints(Admission& admission);                       // and slices of them
Outcome<> admit_kueue(Admission& admission);
Outcome<> admit_webhook_configuration(Admission& admission);
Outcome<> admit_certificate_request(Context& context, Admission& admission);
Outcome<> admit_definition(Context& context, Admission& admission);

// Parts of other systems' installations that have nothing to do here (server/superseded.h) are
// marked, and the caller is told.
bool may_be_superseded(const Target& target);
void admit_superseded(Context& context, Admission& admission);

Outcome<> admit_rbac(Context& context, Admission& admission);
void default_rbac(Admission& admission);
Outcome<> admit_token(Context& context, Admission& admission);  // a Secret that is a token's record

// What a node may not say about the objects it may write, and which pods it may not delete.
Outcome<> restrict_node(const Context& context, const Admission& admission);
Outcome<> restrict_node_removal(const Target& target, const Identity& identity,
                                objects::View stored);

// Of pods that are created: the account they run as, the number of their priority class, and (also
// when they are updated) five minutes on nodes that are not well.
Outcome<> give_service_account(Context& context, Admission& admission);
Outcome<> resolve_priority(Context& context, Admission& admission);
void tolerate_bad_nodes(Admission& admission);
Outcome<> apply_runtime_class(Context& context, Admission& admission);
Outcome<> check_runtime_class(Context& context, const Admission& admission);

// Of pods that are updated by somebody who does not know of priorities.
void keep_priority(Admission& admission);

// There is one default at most.
Outcome<> check_priority_class(Context& context, const Admission& admission);

// Of volumes that are created: since when they are in their phase.
void stamp_volume(Context& context, Admission& admission);

// Of ingresses that are created and name no class: the one that is marked as the default.
void give_ingress_class(Context& context, Admission& admission);

// Of claims that are created and name no class: the one that is marked as the default.
void give_storage_class(Context& context, Admission& admission);

// The object without the annotations that only Muster sets; those that are there already stay.
objects::Value without_reserved_annotations(const objects::Value& object, objects::View old_object);

}  // namespace muster::server
