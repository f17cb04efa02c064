// SPDX-License-Identifier: Apache-2.0
#include "server/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "objects/apply/managed_fields.h"
#include "objects/apply/path_element.h"
#include "objects/builder.h"
#include "objects/label_selector.h"
#include "objects/metadata.h"
#include "objects/patch/go_text.h"
#include "objects/patch/patch.h"
#include "server/commit.h"
#include "server/stored_object.h"

namespace muster::server {

using objects::Builder;
using objects::FieldError;
using objects::FieldErrors;
using objects::KindVersion;
using objects::Node;
using objects::PatchType;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view scale_version = "autoscaling/v1";
constexpr std::int64_t replicas_max = 2'147'483'647;

struct ScalePaths {
  std::string_view wanted = ".spec.replicas";
  std::string_view present = ".status.replicas";
  std::string_view selector = {};  // empty: spec.selector, as Kubernetes' own kinds have it
};

ScalePaths paths_of(const KindVersion& version) {
  const View scale = version.definition["subresources"]["scale"];
  ScalePaths paths;
  paths.wanted = scale["specReplicasPath"].string_or(paths.wanted);
  paths.present = scale["statusReplicasPath"].string_or(paths.present);
  paths.selector = scale["labelSelectorPath"].string_or("");
  return paths;
}

// `.spec.replicas`: names between dots.
std::vector<std::string_view> steps_of(std::string_view path) {
  std::vector<std::string_view> steps;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = path.find('.');
    steps.push_back(path.substr(0, end));
    path = end == std::string_view::npos ? std::string_view() : path.substr(end);
  }
  return steps;
}

View at_path(View object, std::string_view path) {
  for (const std::string_view step : steps_of(path)) object = object[step];
  return object;
}

std::string accessor_error(std::string_view path, View found, std::string_view expected) {
  return fmt::format("{} accessor error: {} is of the type {}, expected {}", path,
                     objects::go_text(found), objects::go_type(found), expected);
}

struct Found {
  View value = {};
  std::string trouble = {};  // something on the way is no object
};

Found find_at(View object, std::string_view path) {
  std::string walked;
  for (const std::string_view step : steps_of(path)) {
    walked += fmt::format(".{}", step);
    if (object.is_absent() || object.is_null()) return {};
    if (!object.is_object()) {
      return {.trouble = accessor_error(walked, object, "map[string]interface{}")};
    }
    object = object[step];
  }
  return {.value = object};
}

void check_replicas(View object, std::string_view path, FieldErrors& errors) {
  const Found found = find_at(object, path);
  const auto refuse = [&](std::int64_t value, std::string why) {
    errors.add(FieldError::invalid(std::string(path), Value::integer(value), std::move(why)));
  };
  if (!found.trouble.empty()) return refuse(0, found.trouble);
  if (found.value.is_absent()) return;
  if (!found.value.is_integer()) return refuse(0, accessor_error(path, found.value, "int64"));
  const std::int64_t replicas = found.value.integer_or(0);
  if (replicas < 0) return refuse(replicas, "should be a non-negative integer");
  if (replicas > replicas_max) {
    refuse(replicas, fmt::format("should be less than or equal to {}", replicas_max));
  }
}

std::string selector_of(const ScalePaths& paths, View object) {
  if (!paths.selector.empty()) return std::string(at_path(object, paths.selector).string_or(""));
  const View written = object["spec"]["selector"];
  // A ReplicationController has a plain map of labels there.
  const bool is_map = !written["matchLabels"] && !written["matchExpressions"];
  const auto selector =
      is_map ? objects::LabelSelector::of(Value::object({{"matchLabels", Value::copy_of(written)}}))
             : objects::LabelSelector::of(written);
  return selector && !written.empty() ? selector->to_string() : std::string();
}

// {a: {b: value}} for `.a.b`.
Node nested(Builder& builder, std::string_view path, Node value) {
  const auto steps = steps_of(path);
  for (std::size_t i = steps.size(); i > 0; --i) {
    const Node::Member member[] = {{builder.text(steps[i - 1]), value}};
    value = builder.object(member);
  }
  return value;
}

Failure not_a_scale(View body) {
  const std::string_view version = body["apiVersion"].string_or("");
  const std::string_view kind = body["kind"].string_or("");
  const std::string_view short_version = version.substr(version.find('/') + 1);
  return Error::bad_request(
      fmt::format("{} in version \"{}\" cannot be handled as a Scale: converting ({}.{}) to "
                  "(autoscaling.Scale): unknown conversion",
                  kind, short_version, short_version, kind));
}

Outcome<> check_type(const WriteRequest& request, View scale, bool applies) {
  const std::string_view version = scale["apiVersion"].string_or("");
  const std::string_view kind = scale["kind"].string_or("");
  const bool fits = (version == scale_version || (!applies && version.empty())) &&
                    (kind == "Scale" || (!applies && kind.empty()));
  if (fits) {
    const std::string_view name = objects::name_of(scale);
    if (!name.empty() && name != request.target.name) {
      return failures::name_mismatch(name, request.target.name);
    }
    return {};
  }
  if (!applies) return not_a_scale(scale);
  const bool core = version.find('/') == std::string_view::npos;
  return Error::bad_request(
      fmt::format("invalid object type: {}{}, Kind={}", core ? "/" : "", version, kind));
}

Outcome<std::int64_t> wanted_replicas(const WriteRequest& request, View scale) {
  const View replicas = scale["spec"]["replicas"];
  if (replicas && !replicas.is_null() && !replicas.is_integer()) {
    return failures::cannot_be_handled("Scale", "v1", "Scale",
                                       "json: cannot unmarshal into Go struct field "
                                       "ScaleSpec.spec.replicas of type int32");
  }
  const std::int64_t count = replicas.integer_or(0);
  if (count >= 0 && count <= replicas_max) return count;
  FieldErrors errors;
  errors.add(FieldError::invalid("spec.replicas", Value::integer(count),
                                 "must be greater than or equal to 0"));
  return failures::invalid("autoscaling", "Scale", request.target.name, errors);
}

PatchType patch_type_of(PatchForm form) {
  return form == PatchForm::json              ? PatchType::json
         : form == PatchForm::strategic_merge ? PatchType::strategic_merge
                                              : PatchType::merge;
}

// The change of the object that a Scale stands for: a merge patch, or a configuration.
Value object_change(const WriteRequest& request, std::int64_t replicas, View version,
                    bool applies) {
  const Target& target = request.target;
  Builder builder;
  const ScalePaths paths = paths_of(*target.version);
  const Node change = nested(builder, paths.wanted, Builder::integer(replicas));
  std::vector<Node::Member> members(change.members, change.members + change.size);
  std::vector<Node::Member> metadata;
  if (version.is_string()) {
    metadata.push_back({Builder::literal("resourceVersion"), builder.copy(version)});
  }
  if (applies) {
    members.push_back({Builder::literal("apiVersion"), builder.text(target.api_version())});
    members.push_back({Builder::literal("kind"), builder.text(target.kind->kind)});
    metadata.push_back({Builder::literal("name"), builder.text(target.name)});
  }
  if (!metadata.empty()) {
    members.push_back({Builder::literal("metadata"), builder.object(metadata)});
  }
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

// Owners of a Scale speak its version, not that of the object.
void rename_version(const Target& target, Failure& failure) {
  const std::string from = " using " + target.api_version();
  const std::string to = fmt::format(" using {}", scale_version);
  const auto rename = [&](std::string& text) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
      text.replace(at, from.size(), to);
    }
  };
  rename(failure.message);
  if (!failure.details) return;
  for (StatusCause& cause : failure.details->causes) rename(cause.message);
}

Outcome<Value> change_of(const WriteRequest& request, std::optional<PatchForm> patch,
                         const Present& now) {
  const bool applies = patch == PatchForm::apply;
  if (!now) return not_found(request.target);
  Value scale = request.body;
  View version = request.body["metadata"]["resourceVersion"];
  if (patch && !applies) {
    const Value stored = with_revision(now.tree, now.cached->revision);
    const Value shown = ALLOWED(in_version(request.target, stored));
    auto patched = objects::apply_patch(patch_type_of(*patch), scale_of(request.target, shown),
                                        request.body, objects::PlainPatchSchema());
    if (!patched) return patched.error();
    scale = std::move(patched).take();
    if (*patch != PatchForm::json) version = request.body["metadata"]["resourceVersion"];
  }
  ALLOWED(check_type(request, scale, applies));
  const std::int64_t replicas = ALLOWED(wanted_replicas(request, scale));
  if (version.string_or("").empty()) version = View();
  return object_change(request, replicas, version, applies);
}

}  // namespace

FieldErrors check_scale(const Target& target, View object) {
  FieldErrors errors;
  if (!has_scale(*target.version)) return errors;
  const ScalePaths paths = paths_of(*target.version);
  if (!target.is_status()) check_replicas(object, paths.wanted, errors);
  check_replicas(object, paths.present, errors);
  if (paths.selector.empty()) return errors;
  const Found selector = find_at(object, paths.selector);
  if (!selector.trouble.empty()) {
    errors.add(
        FieldError::invalid(std::string(paths.selector), Value::string(""), selector.trouble));
  } else if (selector.value && !selector.value.is_string()) {
    errors.add(FieldError::invalid(std::string(paths.selector), Value::string(""),
                                   accessor_error(paths.selector, selector.value, "string")));
  }
  return errors;
}

std::int64_t replicas_wanted(const KindVersion& version, View object) {
  return at_path(object, paths_of(version).wanted).integer_or(0);
}

bool is_scale_owned(const KindVersion& version, std::string_view managed) {
  const auto owners = objects::ManagedFields::parse(managed);
  if (!owners) return false;
  std::vector<objects::PathElement> path;
  for (const std::string_view step : steps_of(paths_of(version).wanted)) {
    path.push_back(objects::PathElement::field(step));
  }
  return std::any_of(owners->entries().begin(), owners->entries().end(),
                     [&](const objects::ManagedEntry& entry) { return entry.fields.has(path); });
}

bool has_scale(const KindVersion& version) {
  return static_cast<bool>(version.definition["subresources"]["scale"]);
}

Value scale_of(const Target& target, View object) {
  const ScalePaths paths = paths_of(*target.version);
  const View from = object["metadata"];
  Builder builder;
  std::vector<Node::Member> metadata;
  for (const std::string_view name :
       {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (from[name]) metadata.push_back({Builder::literal(name), builder.copy(from[name])});
  }
  std::vector<Node::Member> spec;
  const std::int64_t wanted = at_path(object, paths.wanted).integer_or(0);
  if (wanted != 0) spec.push_back({Builder::literal("replicas"), Builder::integer(wanted)});
  std::vector<Node::Member> status = {
      {Builder::literal("replicas"),
       Builder::integer(at_path(object, paths.present).integer_or(0))}};
  const std::string selector = selector_of(paths, object);
  if (!selector.empty()) {
    status.push_back({Builder::literal("selector"), builder.text(selector)});
  }
  const Node::Member members[] = {{Builder::literal("kind"), Builder::literal("Scale")},
                                  {Builder::literal("apiVersion"), Builder::literal(scale_version)},
                                  {Builder::literal("metadata"), builder.object(metadata)},
                                  {Builder::literal("spec"), builder.object(spec)},
                                  {Builder::literal("status"), builder.object(status)}};
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

void write_scale(Context& context, WriteRequest request, std::optional<PatchForm> patch,
                 WriteAnswer done) {
  auto change = change_of(request, patch, present(context, request.target));
  if (!change) return answer_later(context, std::move(done), std::move(change).error());
  request.body = std::move(change).take();
  const Target target = request.target;
  WriteAnswer answer = [target, done = std::move(done)](Outcome<Written> written) mutable {
    if (!written) {
      rename_version(target, written.error());
      return done(std::move(written));
    }
    auto object = in_version(target, written->object);
    if (!object) return done(std::move(object).error());
    written->object = scale_of(target, *object);
    written->bytes = {};
    written->managed.clear();
    done(std::move(written));
  };
  if (patch == PatchForm::apply) return apply(context, std::move(request), std::move(answer));
  server::patch(context, std::move(request), PatchType::merge, std::move(answer));
}

}  // namespace muster::server
