// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/timestamp.h"
#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "server/admission_chain.h"
#include "server/commit.h"
#include "server/custom_definition.h"
#include "server/kind_traits.h"
#include "server/limits.h"
#include "server/stored_object.h"
#include "server/write.h"

namespace muster::server {

using client::Propagation;
using objects::Builder;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view orphan_finalizer = "orphan";
constexpr std::string_view foreground_finalizer = "foregroundDeletion";

struct Removal {
  Context& context;
  RemoveRequest request;
  WriteAnswer done;
  int attempts = 0;
};

void attempt(std::unique_ptr<Removal> removal);

Outcome<> check_preconditions(const RemoveRequest& request, const Present& now) {
  const auto& [uid, version] = request.preconditions;
  if (!uid.empty() && uid != now.cached->uid) {
    return failures::uid_precondition(request.target.kind->kind, request.target.name, uid,
                                      now.cached->uid);
  }
  const std::string present_version = fmt::to_string(now.cached->revision.value);
  if (!version.empty() && version != present_version) {
    return failures::resource_version_precondition(request.target.kind->kind, request.target.name,
                                                   version, present_version);
  }
  return {};
}

// Seconds that the object may stay to end well; 0 for all but pods that may be running.
std::int64_t grace_of(const RemoveRequest& request, const KindTraits& traits, View object) {
  if (!traits.deletes_gracefully) return 0;
  const std::string_view phase = object["status"]["phase"].string_or("");
  if (object["spec"]["nodeName"].string_or("").empty() || phase == "Succeeded" ||
      phase == "Failed") {
    return 0;
  }
  const std::int64_t own = object["spec"]["terminationGracePeriodSeconds"].integer_or(30);
  const std::int64_t asked = request.grace_period_seconds.value_or(own);
  return asked < 0 ? 1 : std::min<std::int64_t>(asked, 1'000'000'000);
}

// The finalizers after the caller has said what becomes of the dependents.
std::vector<std::string> finalizers_of(const RemoveRequest& request, const KindTraits& traits,
                                       View object) {
  std::vector<std::string> finalizers;
  bool orphans = false;
  bool in_foreground = false;
  for (View each : object["metadata"]["finalizers"].elements()) {
    const std::string_view finalizer = each.string_or("");
    orphans = orphans || finalizer == orphan_finalizer;
    in_foreground = in_foreground || finalizer == foreground_finalizer;
    if (finalizer != orphan_finalizer && finalizer != foreground_finalizer) {
      finalizers.emplace_back(finalizer);
    }
  }
  // A finalizer that is there already is somebody's wish of before.
  Propagation wish = orphans         ? Propagation::orphan
                     : in_foreground ? Propagation::foreground
                                     : traits.propagation;
  wish = request.propagation.value_or(wish);
  if (wish == Propagation::orphan) finalizers.emplace_back(orphan_finalizer);
  if (wish == Propagation::foreground) finalizers.emplace_back(foreground_finalizer);
  return finalizers;
}

bool holds_namespace(const Target& target, View object) {
  return target.is("", "namespaces") && !object["spec"]["finalizers"].empty();
}

struct Sentence {
  std::int64_t grace_seconds = 0;
  std::vector<std::string> finalizers;
};

// The object as it waits for its end.
Value marked(Context& context, const Target& target, const Value& object,
             const Sentence& sentence) {
  Builder builder;
  builder.retain(object);
  Rewrite metadata(object["metadata"]);
  const View old = object["metadata"];
  const std::int64_t old_grace = old["deletionGracePeriodSeconds"].integer_or(0);
  const bool first = !objects::is_being_deleted(object);
  if (first || sentence.grace_seconds < old_grace) {
    const Instant due = context.clock.wall() + Span::of_seconds(sentence.grace_seconds);
    metadata.set("deletionTimestamp", builder.text(format_time(Timestamp::of(due))));
    if (!target.is("", "namespaces")) {
      metadata.set("deletionGracePeriodSeconds", Builder::integer(sentence.grace_seconds));
    }
  }
  const std::int64_t generation = objects::generation_of(object);
  if (first && generation > 0) metadata.set("generation", Builder::integer(generation + 1));
  std::vector<Node> finalizers;
  for (const std::string& each : sentence.finalizers) finalizers.push_back(builder.text(each));
  metadata.set("finalizers", finalizers.empty() ? Node() : builder.array(finalizers));
  Rewrite root(object);
  root.set("metadata", metadata.finish(builder));
  if (target.is("", "namespaces")) {
    Rewrite status(object["status"]);
    status.set("phase", Builder::literal("Terminating"));
    root.set("status", status.finish(builder));
  }
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

void finish(std::unique_ptr<Removal> removal, Outcome<Written> outcome) {
  const bool named_version = !removal->request.preconditions.resource_version.empty();
  if (was_overtaken(outcome) && !named_version && removal->attempts < write_attempts_max) {
    return attempt(std::move(removal));
  }
  removal->done(as_seen_by_caller(removal->request.target, std::move(outcome)));
}

Outcome<> check(const RemoveRequest& request, const Present& now) {
  if (!now) return not_found(request.target);
  ALLOWED(restrict_node_removal(request.target, request.identity, now.tree));
  return check_preconditions(request, now);
}

void write(std::unique_ptr<Removal> removal, const Value& current, std::string managed,
           store::Revision revision) {
  Context& context = removal->context;
  const RemoveRequest& request = removal->request;
  const KindTraits traits = traits_of(*request.target.kind);
  const Sentence sentence{grace_of(request, traits, current),
                          finalizers_of(request, traits, current)};
  // A definition waits for its instances, whatever the caller wishes for its dependents.
  const bool waits = is_definition(request.target) && !objects::is_being_deleted(current);
  const bool stays = waits || sentence.grace_seconds > 0 || !sentence.finalizers.empty() ||
                     holds_namespace(request.target, current);
  const bool shows_end = stays || traits.deletes_gracefully;
  Value next = waits       ? marked_for_deletion(current, context.clock.wall())
               : shows_end ? marked(context, request.target, current, sentence)
                           : current;
  if (request.dry_run || (stays && next == current)) {
    return answer_later(context, std::move(removal->done),
                        Written{.object = with_revision(next, revision),
                                .managed = std::move(managed),
                                .revision = revision,
                                .removed = !stays});
  }
  const Target target = request.target;
  auto done = [removal = std::move(removal)](Outcome<Written> outcome) mutable {
    finish(std::move(removal), std::move(outcome));
  };
  if (!stays) {
    return erase(context, target, std::move(next), std::move(managed), revision, std::move(done));
  }
  put(context, target, std::move(next), managed, store::Expected::exactly(revision),
      std::move(done));
}

void attempt(std::unique_ptr<Removal> removal) {
  Context& context = removal->context;
  const RemoveRequest& request = removal->request;
  ++removal->attempts;
  const Present now = present(context, request.target);
  if (auto allowed = check(request, now); !allowed) {
    return answer_later(context, std::move(removal->done), std::move(allowed).error());
  }
  auto admission = std::make_unique<Admission>(Admission{.target = request.target,
                                                         .identity = request.identity,
                                                         .object = {},
                                                         .old_object = now.tree,
                                                         .operation = Operation::remove,
                                                         .dry_run = request.dry_run,
                                                         .of_collection = request.of_collection});
  Admission& asked = *admission;
  const store::Revision revision = now.cached->revision;
  admit_without_object(
      context, asked,
      [removal = std::move(removal), admission = std::move(admission),
       managed = std::string(now.managed()), revision](Outcome<> admitted) mutable {
        if (admitted)
          return write(std::move(removal), admission->old_object, std::move(managed), revision);
        answer_later(removal->context, std::move(removal->done), std::move(admitted).error());
      });
}

}  // namespace

void remove(Context& context, RemoveRequest request, WriteAnswer done) {
  attempt(std::make_unique<Removal>(Removal{context, std::move(request), std::move(done)}));
}

}  // namespace muster::server
