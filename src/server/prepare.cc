// SPDX-License-Identifier: Apache-2.0
#include "server/prepare.h"

#include <fmt/format.h>

#include <memory>
#include <span>
#include <utility>

#include "base/timestamp.h"
#include "base/uid.h"
#include "core/queueing/validate_kueue.h"
#include "objects/admit_patched.h"
#include "objects/builder.h"
#include "objects/convert.h"
#include "objects/convert_event.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "objects/patch/go_text.h"
#include "objects/resource.h"
#include "objects/rewrite.h"
#include "objects/schema/error_order.h"
#include "objects/schema/sent_empty.h"
#include "server/admission.h"
#include "server/admission_chain.h"
#include "server/completion.h"
#include "server/custom_kinds.h"
#include "server/kind_traits.h"
#include "server/owner_references.h"
#include "server/ownership.h"
#include "server/scale.h"
#include "server/stored_object.h"
#include "server/update_checks.h"

namespace muster::server {

using objects::Admitted;
using objects::Builder;
using objects::FieldError;
using objects::FieldErrors;
using objects::Kind;
using objects::KindVersion;
using objects::Node;
using objects::PatchType;
using objects::Rewrite;
using objects::SchemaStyle;
using objects::Value;
using objects::View;

namespace {

// Why Go's decoder does not take an object of another type for one of ours; empty where it does.
std::string why_type_is_wrong(const Context& context, const Target& target, View body) {
  const std::string expected = target.api_version();
  const std::string_view version = body["apiVersion"].string_or("");
  const std::string_view kind = body["kind"].string_or("");
  if ((version.empty() || version == expected) && (kind.empty() || kind == target.kind->kind)) {
    return {};
  }
  if (target.kind->style == SchemaStyle::custom) {
    return version.empty() || version == expected
               ? fmt::format("the kind in the data ({}) does not match the expected kind ({})",
                             kind, target.kind->kind)
               : fmt::format(
                     "the API version in the data ({}) does not match the expected API "
                     "version ({})",
                     version, expected);
  }
  const std::string_view given = version.empty() ? std::string_view(expected) : version;
  const std::string_view given_kind = kind.empty() ? std::string_view(target.kind->kind) : kind;
  const std::size_t slash = given.find('/');
  const bool core = slash == std::string_view::npos;
  const std::string_view short_version = core ? given : given.substr(slash + 1);
  const auto known = context.registry.find(core ? "" : given.substr(0, slash), given_kind);
  if (known == nullptr || known->version(short_version) == nullptr) {
    return fmt::format(
        "no kind \"{}\" is registered for version \"{}\" in scheme \"pkg/runtime/scheme.go:111\"",
        given_kind, given);
  }
  const std::string group = target.kind->group.empty()
                                ? "core"
                                : target.kind->group.substr(0, target.kind->group.find('.'));
  return fmt::format("converting ({}.{}) to ({}.{}): unknown conversion", short_version, given_kind,
                     group, target.kind->kind);
}

// An object that cannot be understood: what was sent, or what a patch made of the present one.
Failure undecodable(const WriteRequest& request, View object, std::string_view why) {
  const Target& target = request.target;
  if (!request.patch_type) {
    const std::string_view version = object["apiVersion"].string_or("");
    const std::string_view kind = object["kind"].string_or(target.kind->kind);
    return failures::cannot_be_handled(
        kind, version.empty() ? target.version->name : version.substr(version.find('/') + 1),
        target.kind->kind, why);
  }
  FieldErrors errors;
  const bool strategic = request.patch_type == PatchType::strategic_merge;
  const std::string shown = strategic ? objects::go_text(request.body) : objects::to_json(object);
  errors.add(FieldError::invalid("patch", Value::string(shown), std::string(why)));
  return failures::invalid("", "", "", errors);
}

// They are not taken from the caller; that they can be read is asked all the same.
Outcome<> check_server_fields(const WriteRequest& request, const Value& body) {
  if (are_readable(body["metadata"])) return {};
  const auto decoded =
      objects::admit_patched(request.target.version->schema,
                             {.object = body, .field_validation = objects::FieldValidation::ignore},
                             {.is_strategic = request.patch_type == PatchType::strategic_merge});
  if (decoded) return {};
  return undecodable(request, body, decoded.error().message);
}

Outcome<> check_type(const Context& context, const WriteRequest& request, View body) {
  const std::string why = why_type_is_wrong(context, request.target, body);
  if (why.empty()) return {};
  if (request.target.kind->style == SchemaStyle::custom) return Error::bad_request(why);
  return undecodable(request, body, why);
}

Outcome<> check_place(const Target& target, View metadata) {
  const std::string_view name = metadata["name"].string_or("");
  if (!name.empty() && name != target.name) {
    return failures::name_mismatch(name, target.name);
  }
  const std::string_view name_space = metadata["namespace"].string_or("");
  if (target.is_namespaced() && !name_space.empty() && name_space != target.name_space) {
    return failures::namespace_mismatch();
  }
  return {};
}

// What goes into admission: what admission changes belongs to nobody.
struct Begun {
  Admission admission;
  std::string managed;
};

// One object on its way through admission.
struct Preparation {
  Context& context;
  const WriteRequest& request;
  Value current;  // absent on create
  Admission admission;
  std::string managed;
  PrepareAnswer done;
};

bool spec_changed(const Target& target, View now, View before) {
  if (target.kind->style == SchemaStyle::native) {
    const bool hooks = target.kind->kind.ends_with("WebhookConfiguration");
    const std::string_view part = target.is("", "podtemplates") ? "template"
                                  : hooks                       ? "webhooks"
                                                                : "spec";
    const bool annotated = !(objects::annotations_of(now) == objects::annotations_of(before));
    if (annotated && target.is("apps", "deployments")) return true;
    if (!target.is("discovery.k8s.io", "endpointslices")) return !(now[part] == before[part]);
    if (!(objects::labels_of(now) == objects::labels_of(before))) return true;
  }
  const auto differs = [&](View a, View b) {
    for (const objects::MemberView member : a.members()) {
      if (member.key == "metadata" || member.key == "status") continue;
      if (!(member.value == b[member.key])) return true;
    }
    return false;
  };
  return differs(now, before) || differs(before, now);
}

Value with_generation(const Value& object, std::int64_t generation) {
  Builder builder;
  builder.retain(object);
  Rewrite metadata(object["metadata"]);
  metadata.set("generation", Builder::integer(generation));
  Rewrite root(object);
  root.set("metadata", metadata.finish(builder));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

// Into the storage version.
Outcome<Admission> begun(const WriteRequest& request, Admitted admitted, const Value& old) {
  const Target& target = request.target;
  Admission admission{.target = target, .identity = request.identity, .object = {}};
  admission.object =
      ALLOWED(converted(*target.kind, admitted.object, target.kind->storage_version()));
  admission.old_object = old;
  admission.errors = std::move(admitted.errors);
  admission.warnings = std::move(admitted.warnings);
  admission.operation = old.is_absent() ? Operation::create : Operation::update;
  admission.dry_run = request.dry_run;
  return admission;
}

// Whether there is a place for a new object: its namespace, and its kind.
Outcome<> check_place_stays(Context& context, const Target& target) {
  ALLOWED(check_namespace(context, target));
  return check_kind_stays(context, target);
}

// The place may have gone while admission waited. Whoever takes it away looks for what is left
// after this, so that a write of the same turn is found.
void finish(std::unique_ptr<Preparation> preparation, Outcome<> checked) {
  PrepareAnswer done = std::move(preparation->done);
  Admission& admission = preparation->admission;
  preparation->context.cache.catch_up();
  if (checked && preparation->current.is_absent()) {
    checked = check_place_stays(preparation->context, admission.target);
  }
  if (!checked) return done(std::move(checked).error());
  const Target& target = admission.target;
  const Value& current = preparation->current;
  if (!current.is_absent() && !target.is_status() && traits_of(*target.kind).has_generation &&
      spec_changed(target, admission.object, current)) {
    admission.object = with_generation(admission.object, objects::generation_of(current) + 1);
  }
  done(Prepared{stored_form(admission.object), std::move(preparation->managed),
                std::move(admission.warnings), std::move(admission.hold)});
}

void apply_rules(std::unique_ptr<Preparation> preparation, Outcome<> changed) {
  Context& context = preparation->context;
  Admission& admission = preparation->admission;
  if (changed) changed = admit(context, admission);
  if (changed && !admission.errors.empty()) {
    const Target& target = admission.target;
    if (target.kind->style == SchemaStyle::native) {
      const objects::SchemaNode root = target.version->schema.root();
      admission.errors = objects::in_peer_order(root, std::move(admission.errors));
    }
    changed = invalid(target, admission.errors);
  }
  if (!changed) return finish(std::move(preparation), std::move(changed));
  check_on_admission(context, admission,
                     [preparation = std::move(preparation)](Outcome<> checked) mutable {
                       finish(std::move(preparation), std::move(checked));
                     });
}

void go_through_admission(Context& context, const WriteRequest& request, Outcome<Begun> begun,
                          const Value& current, PrepareAnswer done) {
  if (!begun) return done(std::move(begun).error());
  auto preparation = std::make_unique<Preparation>(
      Preparation{context, request, current, std::move(begun->admission), std::move(begun->managed),
                  std::move(done)});
  Admission& admission = preparation->admission;
  change_on_admission(context, admission,
                      [preparation = std::move(preparation)](Outcome<> changed) mutable {
                        apply_rules(std::move(preparation), std::move(changed));
                      });
}

}  // namespace

Outcome<Value> converted(const Kind& kind, const Value& object, const KindVersion& to) {
  const bool is_stored = &to == &kind.storage_version();
  const std::string& group = is_stored ? kind.stored_kind().group : kind.group;
  const std::string expected = group.empty() ? to.name : fmt::format("{}/{}", group, to.name);
  if (object["apiVersion"].string_or("") == expected) return object;
  if (kind.stored_as != nullptr) {
    const auto event = TRY(objects::decode(to.schema, objects::convert_event(object, expected),
                                           objects::FieldValidation::ignore));
    return objects::apply_defaults(to.schema, event.object);
  }
  const std::string_view conversion = kind.definition["spec"]["x-muster-conversion"].string_or("");
  const Value other = TRY(objects::convert(conversion, object, to.name));
  const auto decoded = TRY(objects::decode(to.schema, other, objects::FieldValidation::ignore));
  return objects::apply_defaults(to.schema, decoded.object);
}

namespace {

Outcome<Admitted> by_schema_with_owners_once(const WriteRequest& request, const Value& object,
                                             const Value& old, bool is_patched) {
  std::vector<std::string> warnings;
  Admitted admitted =
      ALLOWED(by_schema(request, with_owners_once(object, is_patched, warnings), old));
  for (std::string& warning : warnings) admitted.warnings.push_back(std::move(warning));
  return admitted;
}

// What a configuration made cannot be decoded: its schema leaves a few places open, such as those
// of a number or a text. The peer says that without a reason, and without the place.
Failure unconvertible(const Target& target, View object, const Failure& failure) {
  constexpr std::string_view field = " into Go struct field ";
  constexpr std::string_view type = " of type ";
  const std::size_t why = failure.message.find("json: ");
  const std::size_t at = failure.message.find(field);
  const std::size_t of = failure.message.find(type, at == std::string::npos ? 0 : at);
  if (why == std::string::npos || at == std::string::npos || of == std::string::npos) {
    return failure;
  }
  const std::string version = target.api_version();
  const std::string what =
      fmt::format("{}{}, Kind={}", version.find('/') == std::string::npos ? "/" : "", version,
                  target.kind->kind);
  Failure out;
  out.message = fmt::format(
      "failed to convert new object ({}/{}; {}) to proper version: unable to convert unstructured "
      "object to {}: {} into Go value{}",
      objects::namespace_of(object), objects::name_of(object), what, what,
      failure.message.substr(why, at - why), failure.message.substr(of));
  return out;
}

Outcome<Begun> begin_create(Context& context, const WriteRequest& request,
                            std::optional<std::string> owners) {
  const Target& target = request.target;
  ALLOWED(check_type(context, request, request.body));
  const bool complete = can_be_completed(request.body);
  if (complete) {
    const View metadata = request.body["metadata"];
    ALLOWED(check_place(target, metadata));
    if (!owners && !metadata["resourceVersion"].string_or("").empty()) {
      Failure failure;  // the peer says so without a reason
      failure.message = "resourceVersion should not be set on objects to be created";
      return failure;
    }
  }
  if (complete && !owners) ALLOWED(check_server_fields(request, request.body));
  auto decoded = complete ? by_schema_with_owners_once(request, completed_new(context, request),
                                                       Value(), owners.has_value())
                          : by_schema(request, request.body, Value());
  if (!decoded && owners) return unconvertible(target, request.body, decoded.error());
  Admitted admitted = ALLOWED(std::move(decoded));
  if (!complete) return Error::bad_request("metadata must be an object");
  ALLOWED(check_place_stays(context, target));
  std::string managed = owners ? std::move(*owners)
                               : owners_of_created(request, admitted.object, context.clock.wall());
  Admission admission = ALLOWED(begun(request, std::move(admitted), Value()));
  return Begun{std::move(admission), std::move(managed)};
}

Outcome<Begun> begin_update(Context& context, const WriteRequest& request, const Value& body,
                            const Value& current, Ownership owners) {
  const Target& target = request.target;
  const bool patches = request.patch_type || owners.decided;
  ALLOWED(check_type(context, request, body));
  if (!can_be_completed(body)) {
    ALLOWED(by_schema(request, body, Value()));
    return Error::bad_request("metadata must be an object");
  }
  ALLOWED(check_place(target, body["metadata"]));
  if (!patches && objects::name_of(body).empty()) {
    return Error::bad_request(fmt::format(
        "the name of the object ({} based on URL) was undeterminable: name must be provided",
        target.name));
  }
  auto identity = check_identity(request, patches, body, current);
  if (!identity && !patches) ALLOWED(check_sent(context, request));
  const FieldErrors immutable = ALLOWED(std::move(identity));
  const Value old = ALLOWED(converted(*target.kind, current, *target.version));
  if (!owners.decided) ALLOWED(check_server_fields(request, body));
  auto decoded = by_schema_with_owners_once(
      request, completed_next(request, body, old, context.clock.wall()), old, patches);
  if (!decoded && owners.decided) return unconvertible(target, body, decoded.error());
  Admitted admitted = ALLOWED(std::move(decoded));
  admitted.errors = told_on_update(*target.kind, immutable, admitted.errors);
  std::string managed = owners.decided ? std::move(*owners.decided)
                                       : owners_of_updated(request, body, old, admitted.object,
                                                           owners.before, context.clock.wall());
  Admission admission = ALLOWED(begun(request, std::move(admitted), current));
  return Begun{std::move(admission), std::move(managed)};
}

// Its scale is looked at after the schema, and before the sentence about rules that were skipped.
FieldErrors with_scale_errors(const Target& target, FieldErrors errors, View object) {
  FieldErrors scale = check_scale(target, object);
  if (scale.empty()) return errors;
  const bool skipped = !errors.empty() && errors[errors.size() - 1].path.empty();
  if (!skipped) {
    errors.add_all(std::move(scale));
    return errors;
  }
  FieldError last = errors[errors.size() - 1];
  errors.truncate(errors.size() - 1);
  errors.add_all(std::move(scale));
  errors.add(std::move(last));
  return errors;
}

}  // namespace

Outcome<Admitted> by_schema(const WriteRequest& request, const Value& object, const Value& old) {
  const Target& target = request.target;
  auto admitted =
      objects::admit_patched(target.version->schema,
                             {.object = object,
                              .old_object = old,
                              .field_validation = request.field_validation,
                              .scope = target.kind->scope,
                              .duplicate_fields = request.duplicate_fields},
                             {.complaints = request.text_complaints,
                              .is_strategic = request.patch_type == PatchType::strategic_merge});
  if (!admitted) {
    return undecodable(request, object, admitted.error().message);
  }
  if (target.kind->style == SchemaStyle::native) {
    admitted->errors = objects::with_empty_values(object, std::move(admitted->errors));
  }
  if (target.kind->style == SchemaStyle::custom) {
    admitted->errors = with_scale_errors(target, std::move(admitted->errors), admitted->object);
  }
  if (target.kind->group == objects::resources::kueue_group) {
    admitted->errors.add_all(core::check_invented_fields(object));
  }
  return std::move(admitted).take();
}

Outcome<> check_sent(const Context& context, const WriteRequest& request) {
  ALLOWED(check_type(context, request, request.body));
  const auto decoded = objects::decode(request.target.version->schema, request.body,
                                       request.field_validation, request.duplicate_fields);
  if (!decoded) return undecodable(request, request.body, decoded.error().message);
  return check_place(request.target, request.body["metadata"]);
}

void prepare_create(Context& context, const WriteRequest& request, PrepareAnswer done,
                    std::optional<std::string> owners) {
  go_through_admission(context, request, begin_create(context, request, std::move(owners)), Value(),
                       std::move(done));
}

void prepare_update(Context& context, const WriteRequest& request, const Value& body,
                    const Value& current, Ownership owners, PrepareAnswer done) {
  go_through_admission(context, request,
                       begin_update(context, request, body, current, std::move(owners)), current,
                       std::move(done));
}

Outcome<Value> in_version(const Target& target, const Value& stored) {
  const Value shown = ALLOWED(converted(*target.kind, stored, *target.version));
  if (target.kind->is_built_in) return shown;
  const auto revision = parse_revision(objects::resource_version_of(stored));
  if (revision && revision->value > target.kind->since_revision) return shown;
  // Written under another definition: fields that are not known now are not shown, new defaults
  // are.
  return objects::apply_defaults(target.version->schema, shown);
}

}  // namespace muster::server
