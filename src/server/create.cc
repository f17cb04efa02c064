// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "base/uid.h"
#include "objects/metadata.h"
#include "server/commit.h"
#include "server/limits.h"
#include "server/prepare.h"
#include "server/stored_object.h"
#include "server/write.h"

namespace muster::server {

using objects::View;

namespace {

struct Creation {
  Context& context;
  WriteRequest request;
  WriteAnswer done;
  std::string name_base = {};  // of generateName; empty: the name was given
  int attempts = 0;
};

void attempt(std::unique_ptr<Creation> creation);

// Whether the object that has the name is on its way out.
bool is_ending(Context& context, const Target& target) {
  context.cache.catch_up();
  const CachedObject* found = context.cache.find(*target.kind, target.name_space, target.name);
  return found != nullptr && found->is_being_deleted;
}

void finish(std::unique_ptr<Creation> creation, std::vector<std::string> warnings,
            Outcome<Written> outcome) {
  const bool taken = !outcome && outcome.error().reason == reason(ErrorCode::already_exists);
  if (taken && !creation->name_base.empty() && creation->attempts < name_attempts_max) {
    return attempt(std::move(creation));
  }
  outcome = as_seen_by_caller(creation->request.target, std::move(outcome));
  if (taken && is_ending(creation->context, creation->request.target)) {
    outcome.error().message = "object is being deleted: " + outcome.error().message;
  }
  if (outcome) {
    outcome->warnings = std::move(warnings);
    outcome->created = true;
  }
  creation->done(std::move(outcome));
}

void write(std::unique_ptr<Creation> creation, Prepared prepared) {
  Context& context = creation->context;
  const Target target = creation->request.target;
  if (creation->request.dry_run) {
    context.cache.catch_up();
    const bool exists = context.cache.find(*target.kind, target.name_space, target.name) != nullptr;
    Outcome<Written> answer = already_exists(target);
    if (!exists) {
      answer = Written{.object = std::move(prepared.object),
                       .managed = std::move(prepared.managed),
                       .warnings = std::move(prepared.warnings),
                       .created = true};
    }
    return answer_later(context, std::move(creation->done), std::move(answer));
  }
  put(context, target, std::move(prepared.object), prepared.managed, store::Expected::absent(),
      [creation = std::move(creation), hold = std::move(prepared.hold),
       warnings = std::move(prepared.warnings)](Outcome<Written> outcome) mutable {
        hold.reset();  // before another attempt sets the same aside
        finish(std::move(creation), std::move(warnings), std::move(outcome));
      });
}

void attempt(std::unique_ptr<Creation> creation) {
  Context& context = creation->context;
  WriteRequest& request = creation->request;
  ++creation->attempts;
  if (!creation->name_base.empty()) {
    request.target.name = generate_name(creation->name_base, context.random);
  }
  context.cache.catch_up();
  prepare_create(
      context, request, [creation = std::move(creation)](Outcome<Prepared> prepared) mutable {
        if (prepared) return write(std::move(creation), std::move(prepared).take());
        answer_later(creation->context, std::move(creation->done), std::move(prepared).error());
      });
}

}  // namespace

void create(Context& context, WriteRequest request, WriteAnswer done) {
  auto creation =
      std::make_unique<Creation>(Creation{context, std::move(request), std::move(done)});
  const View metadata = creation->request.body["metadata"];
  creation->request.target.name = metadata["name"].string_or("");
  if (creation->request.target.name.empty()) {
    creation->name_base = metadata["generateName"].string_or("");
  }
  const Target& target = creation->request.target;
  const bool is_unnamed =
      target.name.empty() && creation->name_base.empty() && !metadata["name"].is_number();
  if (is_unnamed && target.is("", "limitranges")) {
    creation->request.target.name = make_uid(context.random);
  }
  attempt(std::move(creation));
}

}  // namespace muster::server
