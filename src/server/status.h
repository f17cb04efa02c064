// Status: the object in which a server says that a request failed, or that a deletion is done.
// A Failure is one before it is written: a code, a reason, a sentence and the details that
// clients read; the functions below make the sentences of kube-apiserver.
//
//   return failures::not_found({.resource = "pods"}, "web");     // pods "web" not found
//   Failure failure = error;                                      // from an Error of ours
//   respond(failure.code, to_json(status_of(failure)));
//
// Assumes: nothing; every text is written as it stands, the writer of JSON escapes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "objects/field_error.h"
#include "objects/value.h"

namespace muster::server {

struct StatusCause {
  std::string reason;
  std::string message;
  std::string field = {};
};

// What is empty or zero is not written.
struct StatusDetails {
  std::string name = {};
  std::string group = {};
  std::string kind = {};  // the plural resource; of an invalid object its kind
  std::string uid = {};
  std::vector<StatusCause> causes = {};
  std::int64_t retry_after_seconds = 0;
};

struct Failure {
  int code = 500;
  std::string reason = {};
  std::string message = {};
  std::optional<StatusDetails> details = {};  // absent: not written; empty: written as {}
  // Of an expired continue token: the one with which the list may go on, inconsistently.
  std::string continue_token = {};

  Failure() = default;
  // The reason and the code are the error's; its field goes in front of its message.
  Failure(const Error& error);  // NOLINT: an error is a failure

  // For callers inside the process: loses the details.
  Error to_error() const;
};

objects::Value status_of(const Failure& failure);

// What a deletion answers when the object is gone, without a code; and what pods/binding does,
// with one.
objects::Value success_status(const StatusDetails& details);
objects::Value success_status(int code);

// Which collection a sentence speaks of: `pods`, `jobs.batch`, `pods/binding`.
struct StatusResource {
  std::string_view group = {};
  std::string_view resource;

  std::string to_string() const;
};

namespace failures {

Failure not_found(const StatusResource& resource, std::string_view name);
Failure already_exists(const StatusResource& resource, std::string_view name);

// `Operation cannot be fulfilled on pods "a": …`; the resource of a failed precondition is the
// object's kind.
Failure conflict(const StatusResource& resource, std::string_view name, std::string_view why);
Failure modified(const StatusResource& resource, std::string_view name);
Failure uid_precondition(std::string_view kind, std::string_view name, std::string_view wanted,
                         std::string_view found);
Failure resource_version_precondition(std::string_view kind, std::string_view name,
                                      std::string_view wanted, std::string_view found);

// `pods "a" is forbidden: why`, or `pods is forbidden: why` without a name.
Failure forbidden(const StatusResource& resource, std::string_view name, std::string_view why);

// Who asked for what: `User "u" cannot list resource "pods" in API group "" at the cluster scope`.
struct Denied {
  std::string_view user;
  std::string_view verb;
  StatusResource resource = {};  // may be `pods/log`
  std::string_view name = {};
  std::string_view name_space = {};  // empty: the cluster scope
  std::string_view reason = {};      // what the rules have to say about it
};
Failure denied(const Denied& denied);
// `forbidden: User "u" cannot get path "/metrics"`
Failure denied_path(std::string_view user, std::string_view verb, std::string_view path,
                    std::string_view reason = {});

Failure unauthorized();
Failure namespace_terminating(const StatusResource& resource, std::string_view name,
                              std::string_view name_space);

// 422 `Pod "x" is invalid: …`, with causes.
Failure invalid(std::string_view group, std::string_view kind, std::string_view name,
                const objects::FieldErrors& errors);

Failure bad_request(std::string message);
// `Pod in version "v1" cannot be handled as a Pod: why`
Failure cannot_be_handled(std::string_view kind, std::string_view version, std::string_view as_kind,
                          std::string_view why);
Failure name_mismatch(std::string_view of_object, std::string_view of_url);
Failure namespace_mismatch();
Failure method_not_allowed();
Failure unknown_resource();          // a known group and version, but not this resource
Failure body_too_large();            // 413
Failure patch_rejected();            // 422, a JSON patch whose test or path fails
Failure unsupported_body();          // 415, of create, update and delete
Failure unsupported_patch();         // 415, of a patch
Failure unsupported_custom_patch();  // 415, of a strategic merge patch of a CRD\'s object
Failure bad_include_object(std::string_view text);  // 400, of a table
Failure not_acceptable();                           // 406, no clause of Accept can be met
Failure not_acceptable_form();  // 406, the media type can be met and the form cannot
Failure expired(std::string_view message);
Failure too_old_resource_version(std::uint64_t asked, std::uint64_t oldest);
Failure too_large_resource_version(std::uint64_t asked, std::uint64_t current);
Failure too_many_requests(std::string_view message, std::int64_t retry_after_seconds);

}  // namespace failures

}  // namespace muster::server
