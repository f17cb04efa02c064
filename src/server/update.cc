// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/patch/compiled_patch_schema.h"
#include "objects/rewrite.h"
#include "server/access.h"
#include "server/commit.h"
#include "server/kind_traits.h"
#include "server/limits.h"
#include "server/ownership.h"
#include "server/prepare.h"
#include "server/stored_object.h"
#include "server/write.h"

namespace muster::server {

using objects::FieldError;
using objects::FieldErrors;
using objects::is_same_ownership;
using objects::PatchType;
using objects::SchemaStyle;
using objects::Value;
using objects::View;

namespace {

// An update, or a patch or an apply that becomes one for each present object it meets.
struct Change {
  Context& context;
  WriteRequest request;
  std::optional<PatchType> patch_type;
  WriteAnswer done;
  bool applies = false;
  int attempts = 0;

  bool is_patch() const { return applies || patch_type.has_value(); }
};

void attempt(std::unique_ptr<Change> change);

// kube-apiserver does not say what was wrong with a JSON patch; it costs nothing to say it.
Failure patch_failure(PatchType type, const Error& error) {
  if (type != PatchType::json || error.code != ErrorCode::invalid) return error;
  Failure failure = failures::patch_rejected();
  failure.message = fmt::format("{}: {}", failure.message, error.message);
  return failure;
}

// The whole next object in the caller's version.
Outcome<Value> next_body(const Change& change, const Present& now) {
  const Target& target = change.request.target;
  if (!change.patch_type) return change.request.body;
  Value stored = with_revision(now.tree, now.cached->revision);
  if (mentions_managed_fields(change.request.body)) stored = with_managed(stored, now.managed());
  const Value shown = ALLOWED(in_version(target, stored));
  const objects::CompiledPatchSchema schema(target.version->schema.root());
  auto patched = objects::apply_patch(*change.patch_type, shown, change.request.body, schema);
  if (!patched) return patch_failure(*change.patch_type, patched.error());
  return std::move(patched).take();
}

// The version that the caller wants to change; none: whichever is there.
Outcome<store::Revision> wanted_revision(const Change& change, View body) {
  const Target& target = change.request.target;
  const View version = body["metadata"]["resourceVersion"];
  const std::string_view text = version.string_or("");
  if (text.empty() || text == "0") {
    if (change.is_patch() || traits_of(*target.kind).unconditional_update) {
      return store::Revision();
    }
    FieldErrors errors;
    errors.add(FieldError::invalid("metadata.resourceVersion", Value::integer(0),
                                   "must be specified for an update"));
    return failures::invalid(target.kind->group, target.kind->plural, target.name, errors);
  }
  const auto revision = parse_revision(text);
  if (revision) return *revision;
  Failure failure;  // the peer's storage says so, without a reason
  failure.message =
      fmt::format("strconv.ParseUint: parsing {}: invalid syntax", objects::go_quoted(text));
  return failure;
}

// An object that is being deleted and has nothing left to wait for goes with its last finalizer.
// Namespaces have further ones in their spec.
bool ends_with(const Target& target, View next, View current) {
  if (target.is("", "namespaces")) {
    return next["spec"]["finalizers"].empty() && next["metadata"]["finalizers"].empty() &&
           objects::is_being_deleted(current);
  }
  return next["metadata"]["finalizers"].empty() && objects::is_being_deleted(current) &&
         current["metadata"]["deletionGracePeriodSeconds"].integer_or(0) == 0;
}

void finish(std::unique_ptr<Change> change, bool named_version, std::vector<std::string> warnings,
            Outcome<Written> outcome) {
  if (was_overtaken(outcome) && !named_version && change->attempts < write_attempts_max) {
    return attempt(std::move(change));
  }
  outcome = as_seen_by_caller(change->request.target, std::move(outcome));
  if (outcome) {
    outcome->warnings = std::move(warnings);
    outcome->removed = false;  // the caller changed it; that it is gone is the watchers' to know
  }
  change->done(std::move(outcome));
}

// What one attempt has found, and keeps while admission waits.
struct Decision {
  Value body;                         // the whole next object in the caller's version
  std::optional<std::string> owners;  // as an apply decided them
  Value current;                      // as stored
  store::Bytes bytes;
  store::Revision revision;
  bool named_version = false;  // the caller insists on the version it has seen
};

Outcome<Decision> decide(Change& change, const Present& now) {
  const Target& target = change.request.target;
  if (!now && !change.is_patch()) ALLOWED(check_sent(change.context, change.request));
  if (!now) return not_found(target);
  Decision decision{.body = {},
                    .owners = {},
                    .current = now.tree,
                    .bytes = now.cached->bytes,
                    .revision = now.cached->revision};
  if (change.applies) {
    AppliedBody applied = ALLOWED(applied_body(change.request, now, change.context.clock.wall()));
    decision.body = std::move(applied.object);
    decision.owners = std::move(applied.managed);
  } else {
    decision.body = ALLOWED(next_body(change, now));
  }
  auto named = wanted_revision(change, decision.body);
  const bool is_stale = named && !named->is_none() && *named != decision.revision;
  // What cannot be read is said before what cannot be written.
  if ((!named || is_stale) && !change.is_patch()) {
    ALLOWED(check_sent(change.context, change.request));
  }
  const store::Revision wanted = ALLOWED(std::move(named));
  if (is_stale) return stale(target);
  const View patched = change.is_patch() ? change.request.body["metadata"]["resourceVersion"]
                                         : decision.body["metadata"]["resourceVersion"];
  decision.named_version = !wanted.is_none() && patched.is_string();
  return decision;
}

void write(std::unique_ptr<Change> change, const Decision& decision, Prepared next) {
  Context& context = change->context;
  const std::string_view managed = managed_text(decision.bytes.view());
  const bool same = next.object == decision.current && is_same_ownership(next.managed, managed);
  if (change->request.dry_run || same) {
    Written unchanged{.object = with_revision(next.object, decision.revision),
                      .bytes = same ? decision.bytes : store::Bytes(),
                      .managed = std::move(next.managed),
                      .revision = decision.revision,
                      .warnings = std::move(next.warnings)};
    return answer_later(context, std::move(change->done), std::move(unchanged));
  }
  const Target target = change->request.target;
  const bool ends = ends_with(target, next.object, decision.current);
  auto done = [change = std::move(change), named = decision.named_version,
               last = ends ? with_revision(next.object, decision.revision) : Value(),
               hold = std::move(next.hold),
               warnings = std::move(next.warnings)](Outcome<Written> outcome) mutable {
    hold.reset();  // before another attempt sets the same aside
    if (outcome && !last.is_absent()) outcome->object = last;  // its end has no version of its own
    finish(std::move(change), named, std::move(warnings), std::move(outcome));
  };
  if (ends) {
    return erase(context, target, std::move(next.object), std::move(next.managed),
                 decision.revision, std::move(done));
  }
  put(context, target, std::move(next.object), next.managed,
      store::Expected::exactly(decision.revision), std::move(done));
}

// Nobody has made the object yet: the configuration makes it.
Outcome<AppliedBody> decide_creation(const Change& change) {
  ALLOWED(check_access(change.context, change.request.target, "create", change.request.identity));
  return applied_body(change.request, Present(), change.context.clock.wall());
}

void write_new(std::unique_ptr<Change> change, Prepared made) {
  Context& context = change->context;
  if (change->request.dry_run) {
    return answer_later(context, std::move(change->done),
                        Written{.object = std::move(made.object),
                                .managed = std::move(made.managed),
                                .warnings = std::move(made.warnings),
                                .created = true});
  }
  const Target target = change->request.target;
  put(context, target, std::move(made.object), made.managed, store::Expected::absent(),
      [change = std::move(change), hold = std::move(made.hold),
       warnings = std::move(made.warnings)](Outcome<Written> outcome) mutable {
        hold.reset();
        const bool overtaken =
            !outcome && outcome.error().reason == reason(ErrorCode::already_exists);
        if (overtaken && change->attempts < write_attempts_max) return attempt(std::move(change));
        outcome = as_seen_by_caller(change->request.target, std::move(outcome));
        if (outcome) {
          outcome->warnings = std::move(warnings);
          outcome->created = true;
        }
        change->done(std::move(outcome));
      });
}

void create_applied(std::unique_ptr<Change> change) {
  Context& context = change->context;
  auto applied = decide_creation(*change);
  if (!applied) return answer_later(context, std::move(change->done), std::move(applied).error());
  auto made = std::make_unique<WriteRequest>(change->request);
  made->body = std::move(applied->object);
  const WriteRequest& request = *made;
  prepare_create(
      context, request,
      [change = std::move(change), made = std::move(made)](Outcome<Prepared> next) mutable {
        if (next) return write_new(std::move(change), std::move(next).take());
        answer_later(change->context, std::move(change->done), std::move(next).error());
      },
      std::move(applied->managed));
}

bool makes_what_is_missing(const Change& change) {
  const Target& target = change.request.target;
  return !change.is_patch() && target.subresource.empty() &&
         traits_of(*target.kind).created_by_update;
}

// Some kinds are made by a PUT. The version that it names does not matter then.
void create_put(std::unique_ptr<Change> change) {
  Context& context = change->context;
  const Target& target = change->request.target;
  auto checked = check_sent(context, change->request);
  if (checked) checked = check_access(context, target, "create", change->request.identity);
  if (!checked) return answer_later(context, std::move(change->done), std::move(checked).error());
  WriteRequest made = std::move(change->request);
  objects::Builder builder;
  builder.retain(made.body);
  objects::Rewrite metadata(made.body["metadata"]);
  metadata.set("name", builder.text(made.target.name));
  metadata.drop("resourceVersion");
  objects::Rewrite root(made.body);
  root.set("metadata", metadata.finish(builder));
  const objects::Node node = root.finish(builder);
  made.body = std::move(builder).finish(node);
  create(context, std::move(made), std::move(change->done));
}

void attempt(std::unique_ptr<Change> change) {
  Context& context = change->context;
  const WriteRequest& request = change->request;
  ++change->attempts;
  const Present now = present(context, request.target);
  if (!now && change->applies && request.target.subresource.empty()) {
    return create_applied(std::move(change));
  }
  if (!now && makes_what_is_missing(*change)) return create_put(std::move(change));
  auto decided = decide(*change, now);
  if (!decided) return answer_later(context, std::move(change->done), std::move(decided).error());
  const Value body = decided->body;
  const Value current = decided->current;
  Ownership owners{.before = now.managed(), .decided = std::move(decided->owners)};
  prepare_update(context, request, body, current, std::move(owners),
                 [change = std::move(change),
                  decision = std::move(decided).take()](Outcome<Prepared> next) mutable {
                   if (next) return write(std::move(change), decision, std::move(next).take());
                   answer_later(change->context, std::move(change->done), std::move(next).error());
                 });
}

}  // namespace

void update(Context& context, WriteRequest request, WriteAnswer done) {
  attempt(
      std::make_unique<Change>(Change{context, std::move(request), std::nullopt, std::move(done)}));
}

void patch(Context& context, WriteRequest request, PatchType type, WriteAnswer done) {
  if (type == PatchType::strategic_merge && request.target.kind->style == SchemaStyle::custom) {
    return answer_later(context, std::move(done), failures::unsupported_custom_patch());
  }
  request.patch_type = type;
  attempt(std::make_unique<Change>(Change{context, std::move(request), type, std::move(done)}));
}

void apply(Context& context, WriteRequest request, WriteAnswer done) {
  attempt(std::make_unique<Change>(
      Change{context, std::move(request), std::nullopt, std::move(done), true}));
}

}  // namespace muster::server
