// SPDX-License-Identifier: Apache-2.0
#include "objects/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "objects/builder.h"
#include "objects/convert_kueue.h"
#include "objects/rewrite.h"

namespace muster::objects {

namespace {

using ConvertKueue = Result<Node> (*)(Builder&, View, KueueConversion);

struct Conversion {
  std::string_view name;
  ConvertKueue convert;
};

constexpr std::array<Conversion, 5> conversions = {{
    {"kueue-cluster-queue", convert_kueue_cluster_queue},
    {"kueue-cohort", convert_kueue_cohort},
    {"kueue-local-queue", convert_kueue_local_queue},
    {"kueue-multi-kueue-cluster", convert_kueue_multi_kueue_cluster},
    {"kueue-workload", convert_kueue_workload},
}};

std::optional<KueueConversion> direction(std::string_view from, std::string_view to) {
  if (from == "v1beta1" && to == "v1beta2") return KueueConversion::to_v1beta2;
  if (from == "v1beta2" && to == "v1beta1") return KueueConversion::to_v1beta1;
  return std::nullopt;
}

Result<Node> convert_named(std::string_view name, Builder& builder, View object,
                           std::string_view from, std::string_view to) {
  if (name.empty()) return object.node();
  const auto* found = std::ranges::find(conversions, name, &Conversion::name);
  if (found == conversions.end()) {
    return Error{ErrorCode::not_found, fmt::format("there is no conversion named {}", name)};
  }
  const auto which = direction(from, to);
  if (!which) {
    return Error{ErrorCode::not_found,
                 fmt::format("{} does not convert from {} to {}", name, from, to)};
  }
  return found->convert(builder, object, *which);
}

}  // namespace

Result<Value> convert(std::string_view conversion, const Value& object,
                      std::string_view to_version) {
  const std::string_view api_version = object["apiVersion"].string_or("");
  const std::size_t slash = api_version.rfind('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash + 1);
  const std::string_view from_version = api_version.substr(group.size());
  if (from_version.empty()) return Error::invalid("must be set", "apiVersion");
  if (from_version == to_version) return object;

  Builder builder;
  builder.retain(object);
  const Node converted = TRY(convert_named(conversion, builder, object, from_version, to_version));
  Rewrite root((View(&converted)));
  root.set("apiVersion", builder.text(fmt::format("{}{}", group, to_version)));
  const Node finished = root.finish(builder);
  return std::move(builder).finish(finished);
}

}  // namespace muster::objects
