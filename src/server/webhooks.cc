// SPDX-License-Identifier: Apache-2.0
#include "server/webhooks.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/uid.h"
#include "objects/builder.h"
#include "objects/json.h"
#include "objects/patch/compiled_patch_schema.h"
#include "objects/rewrite.h"
#include "server/limits.h"
#include "server/prepare.h"
#include "server/webhook_address.h"
#include "server/webhook_review.h"

namespace muster::server {

using objects::Builder;
using objects::go_quoted;
using objects::Node;
using objects::Rewrite;
using objects::Value;

namespace {

using VerdictAnswer = UniqueFunction<void(Outcome<WebhookVerdict>)>;

Failure internal_failure(std::string_view why) {
  Failure failure;
  failure.code = 500;
  failure.reason = "InternalError";
  failure.message = fmt::format("Internal error occurred: {}", why);
  failure.details.emplace().causes.push_back({"", std::string(why)});
  return failure;
}

Failure call_failure(const Webhook& webhook, std::string_view why) {
  return internal_failure(
      fmt::format("failed calling webhook {}: {}", go_quoted(webhook.name), why));
}

// What cannot be asked passes where the configuration says so.
Outcome<WebhookVerdict> without_answer(const Webhook& webhook, Failure failure) {
  if (webhook.ignores_failures()) return WebhookVerdict{.allowed = true};
  return failure;
}

// One webhook that is asked.
struct Question {
  Context& context;
  Webhook webhook;
  std::string uid;
  std::string url;
  VerdictAnswer done;

  std::string post_failure(std::string_view why) const {
    return fmt::format("failed to call webhook: Post {}: {}", go_quoted(url), why);
  }
};

void read_reply(Question& question, Result<WebhookReply> reply) {
  const Webhook& webhook = question.webhook;
  const auto fail = [&](std::string_view why) {
    question.done(without_answer(webhook, call_failure(webhook, why)));
  };
  if (!reply) return fail(question.post_failure(reply.error().message));
  if (reply->status < 200 || reply->status > 206) {
    if (reply->status == 404) {
      return fail("failed to call webhook: the server could not find the requested resource");
    }
    return fail(
        fmt::format("failed to call webhook: an error on the server ({}) has prevented the "
                    "request from succeeding",
                    go_quoted(reply->body.substr(0, webhook_message_bytes_max))));
  }
  auto verdict = read_verdict(reply->body, question.uid, webhook);
  if (!verdict) return fail(verdict.error().message);
  question.done(std::move(verdict).take());
}

store::Revision revision_of(const Context& context, const Admission& admission) {
  const Target& target = admission.target;
  if (admission.is_create()) return {};
  const CachedObject* now = context.cache.find(*target.kind, target.name_space, target.name);
  return now == nullptr ? store::Revision() : now->revision;
}

// Asks one webhook. The answer may come from inside the call.
void ask(Context& context, WebhookTransport* transport, const Webhook& webhook,
         const Admission& admission, VerdictAnswer done) {
  const std::string uid = make_uid(context.random);
  auto review = admission_review(webhook, admission, uid, revision_of(context, admission));
  if (!review) return done(std::move(review).error());
  auto applies = conditions_hold(webhook, (*review)["request"]);
  if (!applies) {
    return done(without_answer(webhook, call_failure(webhook, applies.error().message)));
  }
  if (!*applies) return done(WebhookVerdict{.allowed = true});
  WebhookPlace place = webhook_place(context, webhook);
  auto question =
      std::make_unique<Question>(Question{context, webhook, uid, place.post.url, std::move(done)});
  if (place.found && transport == nullptr) {
    place.found = Error{ErrorCode::unavailable, "this server has no way to its webhooks"};
  }
  if (!place.found) return read_reply(*question, place.found.error());
  place.post.body = objects::to_json(*review);
  transport->post(std::move(place.post),
                  [question = std::move(question)](Result<WebhookReply> reply) mutable {
                    read_reply(*question, std::move(reply));
                  });
}

// What no webhook may change about an object.
Value with_identity_of(const Value& object, const Value& before) {
  Builder builder;
  builder.retain(object);
  builder.retain(before);
  Rewrite metadata(object["metadata"]);
  for (const std::string_view field :
       {"name", "namespace", "uid", "creationTimestamp", "generation", "deletionTimestamp",
        "deletionGracePeriodSeconds", "resourceVersion"}) {
    metadata.set(field, before["metadata"][field].node());
  }
  Rewrite root(object);
  root.set("metadata", metadata.finish(builder));
  root.set("apiVersion", before["apiVersion"].node());
  root.set("kind", before["kind"].node());
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

// The object after the patch, decoded, completed and validated again.
Outcome<> apply_patch(const Webhook& webhook, std::string_view patch, Admission& admission) {
  const Target& target = admission.target;
  const Value before = ALLOWED(converted(*target.kind, admission.object, *webhook.version));
  const auto operations = objects::parse_json(patch, {.bytes_max = webhook_reply_bytes_max});
  if (!operations) return internal_failure(operations.error().message);
  const objects::CompiledPatchSchema schema(webhook.version->schema.root());
  auto patched = objects::apply_patch(objects::PatchType::json, before, *operations, schema);
  if (!patched) return internal_failure(patched.error().message);
  WriteRequest request{.target = target,
                       .field_validation = objects::FieldValidation::ignore,
                       .identity = admission.identity};
  request.target.version = webhook.version;
  Value old = admission.old_object;
  if (!old.is_absent()) old = ALLOWED(converted(*target.kind, old, *webhook.version));
  auto admitted = ALLOWED(by_schema(request, with_identity_of(*patched, before), old));
  admission.object =
      ALLOWED(converted(*target.kind, admitted.object, target.kind->storage_version()));
  admission.errors = std::move(admitted.errors);
  return {};
}

void add_warnings(WebhookVerdict& verdict, Admission& admission) {
  for (std::string& warning : verdict.warnings) admission.warnings.push_back(std::move(warning));
}

}  // namespace

// --- one after the other ------------------------------------------------------------------------

struct Webhooks::Mutation {
  Admission& admission;
  std::vector<Webhook> hooks;
  AdmitAnswer done;
  std::size_t at = 0;
  std::size_t last_change = 0;  // one more than the last that changed the object
  bool again = false;           // the second round
};

void Webhooks::change(Admission& admission, AdmitAnswer done) {
  auto hooks = webhooks_for(context_, WebhookKind::mutating, admission);
  if (hooks.empty()) return done({});
  next(std::make_unique<Mutation>(Mutation{admission, std::move(hooks), std::move(done)}));
}

void Webhooks::next(std::unique_ptr<Mutation> mutation) {
  if (mutation->at == mutation->hooks.size() && !std::exchange(mutation->again, true)) {
    // Those who were called before the last change, and want to see it.
    std::vector<Webhook> once_more;
    for (std::size_t i = 0; i + 1 < mutation->last_change; ++i) {
      if (mutation->hooks[i].wants_another_call()) once_more.push_back(mutation->hooks[i]);
    }
    mutation->hooks = std::move(once_more);
    mutation->at = 0;
  }
  if (mutation->at == mutation->hooks.size()) {
    AdmitAnswer done = std::move(mutation->done);
    return done({});
  }
  const Webhook hook = mutation->hooks[mutation->at++];
  Admission& admission = mutation->admission;
  ask(context_, transport_, hook, admission,
      [this, hook, mutation = std::move(mutation)](Outcome<WebhookVerdict> verdict) mutable {
        if (verdict) add_warnings(*verdict, mutation->admission);
        Outcome<> changed;
        if (!verdict) {
          changed = std::move(verdict).error();
        } else if (!verdict->allowed) {
          changed = *verdict->refusal;
        } else if (!verdict->patch.empty()) {
          const Value before = mutation->admission.object;
          changed = apply_patch(hook, verdict->patch, mutation->admission);
          if (!(before == mutation->admission.object)) mutation->last_change = mutation->at;
        }
        if (changed) return next(std::move(mutation));
        AdmitAnswer done = std::move(mutation->done);
        done(std::move(changed));
      });
}

// --- all at once --------------------------------------------------------------------------------

struct Webhooks::Validation {
  Admission& admission;
  AdmitAnswer done;
  std::vector<std::optional<Failure>> failures;
  std::vector<std::vector<std::string>> warnings;
  std::size_t waiting = 0;

  // The first that refused, in their order, whoever answered first.
  void finish() {
    for (auto& each : warnings) {
      for (std::string& warning : each) admission.warnings.push_back(std::move(warning));
    }
    for (auto& failure : failures) {
      if (failure) return done(std::move(*failure));
    }
    done({});
  }
};

void Webhooks::check(Admission& admission, AdmitAnswer done) {
  const auto hooks = webhooks_for(context_, WebhookKind::validating, admission);
  if (hooks.empty()) return done({});
  auto all = std::make_shared<Validation>(
      Validation{admission, std::move(done), {}, {}, hooks.size() + 1});  // one for the loop itself
  all->failures.resize(hooks.size());
  all->warnings.resize(hooks.size());
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    ask(context_, transport_, hooks[i], admission, [all, i](Outcome<WebhookVerdict> verdict) {
      if (!verdict) {
        all->failures[i] = verdict.error();
      } else {
        all->warnings[i] = std::move(verdict->warnings);
        if (!verdict->allowed) all->failures[i] = verdict->refusal;
      }
      if (--all->waiting == 0) all->finish();
    });
  }
  if (--all->waiting == 0) all->finish();
}

}  // namespace muster::server
