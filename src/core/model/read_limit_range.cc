// SPDX-License-Identifier: Apache-2.0
#include "core/model/read_limit_range.h"

namespace muster::core {

using objects::View;

namespace {

Result<> add_item(LimitSummary::Limits& into, View item, ResourceNames& names) {
  into.present = true;
  keep_smaller(into.max, TRY(read_quantities(item["max"], names)));
  keep_greater(into.min, TRY(read_quantities(item["min"], names)));
  fill_in(into.default_limits, TRY(read_quantities(item["default"], names)));
  fill_in(into.default_requests, TRY(read_quantities(item["defaultRequest"], names)));
  return {};
}

}  // namespace

Result<LimitSummary> summarize_limit_ranges(std::span<const objects::Value> ranges,
                                            ResourceNames& names) {
  LimitSummary summary;
  for (const objects::Value& range : ranges) {
    for (const View item : range["spec"]["limits"].elements()) {
      const std::string_view type = item["type"].string_or("");
      if (type == "Container") TRY(add_item(summary.container, item, names));
      if (type == "Pod") TRY(add_item(summary.pod, item, names));
    }
  }
  return summary;
}

}  // namespace muster::core
