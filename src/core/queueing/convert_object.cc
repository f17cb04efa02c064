// SPDX-License-Identifier: Apache-2.0
#include "core/queueing/convert_object.h"

#include <fmt/format.h>

#include "objects/convert.h"
#include "objects/go_structs.h"
#include "objects/resource.h"

namespace muster::core {

using objects::GoType;
using objects::Value;

Result<Value> convert_object(const objects::KindRegistry& registry, const Value& object,
                             std::string_view to) {
  const std::size_t slash = to.find('/');
  const std::string_view group = to.substr(0, slash);
  const std::string_view version =
      slash == std::string_view::npos ? std::string_view() : to.substr(slash + 1);
  if (group != objects::resources::kueue_group || (version != "v1beta1" && version != "v1beta2")) {
    return Error::bad_request(
        fmt::format("kueue.x-k8s.io/v1beta1 or kueue.x-k8s.io/v1beta2, not {}", to), "--to");
  }
  const std::string_view api_version = object["apiVersion"].string_or("");
  const std::string_view name = object["kind"].string_or("");
  if (api_version.empty() || name.empty()) {
    return Error::bad_request("apiVersion and kind are required");
  }
  const std::string_view from = api_version.starts_with(fmt::format("{}/", group))
                                    ? api_version.substr(group.size() + 1)
                                    : "";
  const auto kind = registry.find(group, name);
  if (from.empty() || kind == nullptr || kind->version(from) == nullptr) {
    return Error::bad_request(fmt::format("{} {} has no conversion", api_version, name));
  }
  const auto type_in = [&](std::string_view of) {
    return objects::go_type(fmt::format("kueue.{}.{}", of, name));
  };
  const GoType type = type_in(from);
  if (!objects::decodes(type, object, objects::WholeReals::refused)) {
    return Error::bad_request(
        fmt::format("a value of this {} has the wrong type; muster validate says which", name));
  }
  if (from == version) return objects::encoded_form(type, object);
  const std::string_view conversion = kind->definition["spec"]["x-muster-conversion"].string_or("");
  // Versions of one shape go through their text.
  const Value form = conversion.empty() ? objects::encoded_form(type, object)
                                        : objects::decoded_form(type, object);
  return objects::encoded_form(type_in(version), TRY(objects::convert(conversion, form, version)));
}

}  // namespace muster::core
