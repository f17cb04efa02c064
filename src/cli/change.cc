// SPDX-License-Identifier: Apache-2.0
#include "cli/change.h"

#include <fmt/format.h>

#include <utility>

#include "base/os/detached_process.h"
#include "cli/object_text.h"
#include "objects/edit.h"
#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::cli {

using objects::Value;
using objects::View;

namespace {

constexpr Span look_every = Span::of_milliseconds(100);

Error wrong(std::string sentence) {
  return Error::bad_request("error: " + std::move(sentence));
}

Target target_of(const Manifest& manifest) {
  return {.kind = manifest.kind,
          .name = std::string(objects::name_of(manifest.object)),
          .name_space = std::string(objects::namespace_of(manifest.object))};
}

// `created`, `configured` or `unchanged`.
Result<std::string> apply_one(ObjectSession& session, const Manifest& manifest,
                              const ApplyOptions& options) {
  const Target target = target_of(manifest);
  if (target.name.empty()) return wrong("error validating data: resource name may not be empty");
  const std::string path = session.object_path(target);
  const auto before = session.ask_value({.target = path});
  if (!before && before.error().code != ErrorCode::not_found) return before.error();
  const std::string query =
      fmt::format("?fieldManager=muster&fieldValidation=Strict&force={}{}", !options.keeps_others,
                  options.dry_run ? "&dryRun=All" : "");
  const Reply reply = TRY(session.ask({.method = "PATCH",
                                       .target = path + query,
                                       .content_type = "application/apply-patch+yaml",
                                       .body = objects::to_json(manifest.object)}));
  const Value after = TRY(value_of(reply));
  if (reply.status == 201 || !before) return std::string("created");
  const bool is_same =
      objects::resource_version_of(*before) == objects::resource_version_of(after) &&
      !options.dry_run;
  return std::string(is_same ? "unchanged" : "configured");
}

struct Gone {
  Target target;
  std::string uid;
};

std::string delete_body(const DeleteOptions& options, std::string_view policy) {
  std::string body = fmt::format(R"({{"propagationPolicy":"{}")", policy);
  if (options.grace_seconds) {
    body += fmt::format(R"(,"gracePeriodSeconds":{})", *options.grace_seconds);
  }
  return body + "}";
}

Result<std::string_view> policy_of(std::string_view cascade) {
  if (cascade == "background" || cascade == "true") return std::string_view("Background");
  if (cascade == "foreground") return std::string_view("Foreground");
  if (cascade == "orphan" || cascade == "false") return std::string_view("Orphan");
  return wrong(fmt::format(
      "invalid cascade value ({}). Must be \"background\", \"foreground\", or \"orphan\"",
      cascade));
}

Result<> wait_until_gone(ObjectSession& session, const std::vector<Gone>& going, Span patience) {
  Span waited;
  for (const Gone& one : going) {
    while (true) {
      const auto live = session.ask_value({.target = session.object_path(one.target)});
      if (!live && live.error().code == ErrorCode::not_found) break;
      if (!live) return live.error();
      if (!one.uid.empty() && objects::uid_of(*live) != one.uid) break;
      if (waited >= patience) {
        return wrong(fmt::format("timed out waiting for the condition on {}/{}",
                                 one.target.kind.plural, one.target.name));
      }
      pause_thread(look_every);
      waited = waited + look_every;
    }
  }
  return {};
}

Result<std::vector<Target>> delete_targets(ObjectSession& session) {
  const ObjectOptions& options = session.options();
  std::vector<Target> targets;
  if (!options.files.empty()) {
    for (const Manifest& manifest : TRY(session.manifests(options.files))) {
      targets.push_back(target_of(manifest));
    }
    return targets;
  }
  targets = TRY(session.targets(options.words));
  const bool is_chosen =
      options.all || !options.selector.empty() || !options.field_selector.empty();
  for (const Target& target : targets) {
    if (target.name.empty() && !is_chosen) {
      return wrong("resource(s) were provided, but no name was specified");
    }
  }
  return session.resolved(targets);
}

}  // namespace

Result<> apply_manifests(ObjectSession& session, const ApplyOptions& options) {
  if (session.options().files.empty()) return wrong("must specify one of -f and -k");
  const ObjectText form = TRY(ObjectText::parse(session.options().output));
  std::optional<Error> first_fault;
  for (const Manifest& manifest : TRY(session.manifests(session.options().files))) {
    const auto done = apply_one(session, manifest, options);
    if (!done) {
      if (first_fault) session.error(first_fault->message + "\n");
      first_fault = done.error();
      continue;
    }
    session.out(fmt::format("{}/{} {}{}\n", manifest.kind.qualified(),
                            objects::name_of(manifest.object), *done,
                            options.dry_run ? " (server dry run)" : ""));
  }
  if (first_fault) return *first_fault;
  return {};
}

Result<> delete_objects(ObjectSession& session, const DeleteOptions& options) {
  const std::string_view policy = TRY(policy_of(options.cascade));
  std::vector<Gone> going;
  std::optional<Error> first_fault;
  const std::vector<Target> targets = TRY(delete_targets(session));
  for (const Target& target : targets) {
    const auto done = session.ask_value({.method = "DELETE",
                                         .target = session.object_path(target),
                                         .content_type = "application/json",
                                         .body = delete_body(options, policy)});
    if (!done) {
      const bool is_gone = done.error().code == ErrorCode::not_found;
      if (is_gone && (session.options().ignores_not_found || session.options().all)) continue;
      if (first_fault) session.error(first_fault->message + "\n");
      first_fault = done.error();
      continue;
    }
    session.out(fmt::format("{} \"{}\" {}\n", target.kind.qualified(), target.name,
                            options.is_forced ? "force deleted" : "deleted"));
    const View uid = (*done)["details"]["uid"];
    going.push_back({target, std::string(uid ? uid.string_or("") : objects::uid_of(*done))});
  }
  if (options.waits) TRY(wait_until_gone(session, going, options.patience));
  if (first_fault) return *first_fault;
  if (targets.empty()) session.out("No resources found\n");
  return {};
}

}  // namespace muster::cli
