// SPDX-License-Identifier: Apache-2.0
#include "cli/plan/plan_objects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "cli/plan/limits.h"
#include "core/model/claims.h"
#include "core/model/quota_pod.h"
#include "core/queueing/shape.h"
#include "core/queueing/validate_kueue.h"
#include "objects/admit.h"
#include "objects/convert.h"
#include "objects/edit.h"
#include "objects/metadata.h"

namespace muster::cli {

using objects::Value;
using objects::View;

namespace {

namespace resources = objects::resources;

constexpr std::string_view muster_group = "muster.dev";

struct GroupKind {
  std::string_view group;
  std::string_view kind;
};

// Read, and without a say in any decision: they are not reported as ignored.
constexpr std::array<GroupKind, 3> silent_kinds{{
    {resources::kueue_group, "MultiKueueCluster"},
    {resources::kueue_group, "MultiKueueConfig"},
    {resources::kueue_group, "ProvisioningRequestConfig"},
}};

// Kinds of Kubernetes that decisions look at; they are taken as they are.
constexpr std::array<objects::Resource, 10> plain_kinds{
    resources::namespaces,   resources::nodes,           resources::pods,
    resources::limit_ranges, resources::runtime_classes, resources::priority_classes,
    core::resource_quotas,   core::persistent_volumes,   resources::persistent_volume_claims,
    core::storage_classes};

// A container without a name in a pod template decides nothing.
bool is_template_gap(const objects::FieldError& error) {
  return error.type == objects::FieldError::Type::required &&
         error.path.find(".template.") != std::string::npos;
}

struct ApiVersion {
  std::string_view group;
  std::string_view version;
};

ApiVersion split_api_version(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {"", text};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

// One reading of all sources; mistakes are collected, so that a person sees them all.
class Reading {
 public:
  Reading(const objects::KindRegistry& registry, const core::FeatureGates& gates)
      : registry_(registry), gates_(gates) {}

  void take(const PlanSource& source) {
    const View object = source.object;
    const std::string_view kind = object["kind"].string_or("");
    const std::string_view api_version = object["apiVersion"].string_or("");
    if (!object.is_object() || kind.empty() || api_version.empty()) {
      return blame(source, "", "an object needs apiVersion and kind");
    }
    const ApiVersion version = split_api_version(api_version);
    for (const GroupKind& silent : silent_kinds) {
      if (silent.group == version.group && silent.kind == kind) return;
    }
    if (version.group == muster_group && kind == "Policy") return take_policy(source);
    const objects::Resource* resource = find_kind(version.group, kind);
    if (resource == nullptr) return ignore(source, {}, {});
    if (!is_named(source) || !is_first(source, *resource)) return;
    if (version.group == resources::kueue_group) return take_kueue(source, *resource, version);
    if (core::find_shape(*resource) != nullptr) return take_job(source, *resource, version);
    take_plain(source, *resource, version);
  }

  Result<PlanObjects> finish() {
    if (errors_.empty()) return std::move(read_);
    const std::size_t rest = errors_.size() - std::min(errors_.size(), plan_errors_max);
    errors_.resize(errors_.size() - rest);
    if (rest > 0) errors_.push_back(fmt::format("… and {} more", rest));
    return Error::bad_request(fmt::format("{}", fmt::join(errors_, "\n")));
  }

 private:
  static const objects::Resource* find_kind(std::string_view group, std::string_view kind) {
    for (const objects::Resource& plain : plain_kinds) {
      if (plain.group == group && plain.kind == kind) return &plain;
    }
    const objects::Resource* resource = objects::find_resource(group, kind);
    if (resource == nullptr) return nullptr;
    const bool is_read = group == resources::kueue_group || core::find_shape(*resource) != nullptr;
    return is_read ? resource : nullptr;
  }

  void blame(const PlanSource& source, std::string_view field, std::string_view cause) {
    errors_.push_back(fmt::format("{}: {}: {}{}{}", source.place(field), source.title(), field,
                                  field.empty() ? "" : ": ", cause));
  }

  static IgnoredObject named(const PlanSource& source, std::string field, std::string reason) {
    const View object = source.object;
    return {.kind = std::string(object["kind"].string_or("")),
            .name_space = std::string(objects::namespace_of(object)),
            .name = std::string(objects::name_of(object)),
            .file = source.file,
            .field = std::move(field),
            .reason = std::move(reason)};
  }

  void ignore(const PlanSource& source, std::string field, std::string reason) {
    read_.ignored.push_back(named(source, std::move(field), std::move(reason)));
  }

  bool is_named(const PlanSource& source) {
    if (!objects::name_of(source.object).empty()) return true;
    blame(source, "metadata.name", "Required value");
    return false;
  }

  bool is_first(const PlanSource& source, const objects::Resource& resource) {
    const std::string key = fmt::format("{}/{}/{}", resource.plural, resource.group,
                                        objects::key_of(source.object).to_string());
    if (seen_.insert(key).second) return true;
    blame(source, "", "occurs twice");
    return false;
  }

  void take_policy(const PlanSource& source) {
    if (read_.policy) return blame(source, "", "there is more than one Policy");
    read_.policy = source.object;
  }

  // The registry's version of the object, or nothing with the blame written.
  const objects::KindVersion* find_version(const PlanSource& source, const objects::Kind& kind,
                                           std::string_view name) {
    const objects::KindVersion* version = kind.version(name);
    if (version == nullptr) {
      blame(source, "apiVersion", fmt::format("there is no version {} of {}", name, kind.kind));
    }
    return version;
  }

  void take_kueue(const PlanSource& source, const objects::Resource& resource,
                  const ApiVersion& api_version) {
    const auto kind = registry_.find(resource.group, resource.kind);
    for (const objects::FieldError& error : core::check_invented_fields(source.object)) {
      blame(source, error.path, error.body());
    }
    const auto* version = find_version(source, *kind, api_version.version);
    if (version == nullptr) return;
    auto object = admitted(source, *version, kind->scope);
    if (!object) return;
    if (api_version.version != resource.version) object = converted(source, *kind, *object);
    if (!object) return;
    warn_of_webhook(source, resource, *object);
    read_.objects.push_back({resource, *std::move(object), source.file});
  }

  // The scheduler takes what the schema lets pass, and so does a plan: clusters have objects that
  // are older than the rules of today. Workloads are made by controllers: nobody is warned of them.
  void warn_of_webhook(const PlanSource& source, const objects::Resource& resource,
                       const Value& object) {
    if (resource == resources::workloads) return;
    const auto report =
        core::check_kueue({.kind = resource.kind, .object = object, .gates = gates_});
    for (const objects::FieldError& error : report.errors) {
      if (error.path.starts_with("status")) continue;
      // A queue whose selector says nothing is one that Kueue's scheduler cannot take either.
      if (error.path.starts_with("spec.namespaceSelector")) {
        blame(source, error.path, error.body());
        continue;
      }
      read_.warnings.push_back(named(source, error.path, error.body()));
    }
  }

  void take_job(const PlanSource& source, const objects::Resource& resource,
                const ApiVersion& api_version) {
    const auto kind = registry_.find(resource.group, resource.kind);
    const auto* version = find_version(source, *kind, api_version.version);
    if (version == nullptr) return;
    if (auto object = admitted(source, *version, kind->scope)) {
      read_.objects.push_back({resource, *std::move(object), source.file});
    }
  }

  void take_plain(const PlanSource& source, const objects::Resource& resource,
                  const ApiVersion& api_version) {
    const auto kind = registry_.find(resource.group, resource.kind);
    const auto* version = find_version(source, *kind, api_version.version);
    if (version == nullptr) return;
    const auto decoded =
        objects::decode(version->schema, source.object, objects::FieldValidation::ignore);
    if (!decoded) return blame(source, decoded.error().field, decoded.error().message);
    // As it was written: an API server would round its quantities to thousandths.
    read_.objects.push_back({resource, source.object, source.file});
  }

  std::optional<Value> admitted(const PlanSource& source, const objects::KindVersion& version,
                                objects::Scope scope) {
    auto admitted = objects::admit(version.schema, {.object = source.object, .scope = scope});
    if (!admitted) {
      blame(source, admitted.error().field, admitted.error().message);
      return std::nullopt;
    }
    objects::FieldErrors errors = std::move(admitted->errors);
    // A status is what somebody saw, and need not be complete: the rest is asked without it.
    const bool is_status_wrong = std::ranges::any_of(
        errors, [](const objects::FieldError& error) { return error.path.starts_with("status"); });
    if (is_status_wrong) {
      const Value rest = objects::without(admitted->object, {"status"}).must();
      errors = objects::validate(version.schema, rest, View(), scope);
    }
    bool is_valid = true;
    for (const objects::FieldError& error : errors) {
      // A namespace may be left out, and that rules were not asked is nobody's mistake.
      const bool is_note = error.path.empty() && error.detail.starts_with("some validation rules");
      if (is_note || error.path == "metadata.namespace" || is_template_gap(error)) continue;
      blame(source, error.path, error.body());
      is_valid = false;
    }
    if (!is_valid) return std::nullopt;
    for (const std::string& warning : admitted->warnings) {
      const std::size_t begin = warning.find('"') + 1;
      const std::size_t end = warning.rfind('"');
      if (!warning.starts_with("unknown field") || begin == 0 || end <= begin) continue;
      ignore(source, warning.substr(begin, end - begin), "unknown field");
    }
    return std::move(admitted->object);
  }

  std::optional<Value> converted(const PlanSource& source, const objects::Kind& kind,
                                 const Value& object) {
    const objects::KindVersion& stored = kind.storage_version();
    const auto name = kind.definition["spec"]["x-muster-conversion"].string_or("");
    auto other = objects::convert(name, object, stored.name);
    if (!other) {
      blame(source, other.error().field, other.error().message);
      return std::nullopt;
    }
    auto decoded = objects::decode(stored.schema, *other, objects::FieldValidation::ignore);
    if (!decoded) {
      blame(source, decoded.error().field, decoded.error().message);
      return std::nullopt;
    }
    return objects::apply_defaults(stored.schema, decoded->object);
  }

  const objects::KindRegistry& registry_;
  const core::FeatureGates& gates_;
  std::set<std::string> seen_;
  std::vector<std::string> errors_;
  PlanObjects read_;
};

}  // namespace

Result<PlanObjects> PlanReader::read(std::span<const PlanSource> sources) const {
  Reading reading(registry_, gates_);
  for (const PlanSource& source : sources) reading.take(source);
  return reading.finish();
}

}  // namespace muster::cli
