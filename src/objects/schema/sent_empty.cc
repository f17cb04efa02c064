// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/sent_empty.h"

#include <charconv>
#include <cstddef>
#include <string_view>
#include <utility>

namespace muster::objects {

namespace {

// What lies at `spec.containers[0].ports`; absent where the path goes on as none of ours does.
View at_path(View value, std::string_view path) {
  while (!path.empty()) {
    if (path.front() == '[') {
      const std::size_t end = path.find(']');
      if (end == std::string_view::npos) return {};
      std::size_t index = 0;
      const auto read = std::from_chars(path.data() + 1, path.data() + end, index);
      if (read.ec != std::errc() || read.ptr != path.data() + end) return {};
      value = index < value.size() && value.is_array() ? value[index] : View();
      path.remove_prefix(end + 1);
    } else {
      if (path.front() == '.') path.remove_prefix(1);
      const std::string_view key = path.substr(0, path.find_first_of(".["));
      if (key.empty()) return {};
      value = value[key];
      path.remove_prefix(key.size());
    }
  }
  return value;
}

}  // namespace

FieldErrors with_empty_values(View sent, FieldErrors errors) {
  bool any = false;
  for (const FieldError& error : errors) any = any || error.value == "null";
  if (!any) return errors;
  FieldErrors shown;
  for (FieldError& error : std::move(errors).take()) {
    // Of a whole spec the peer shows the part that it misses, which is none.
    if (error.value == "null" && error.path != "spec") {
      const View value = at_path(sent, error.path);
      if (value.is_array() && value.empty()) error.value = "[]";
      if (value.is_object() && value.empty()) error.value = "{}";
    }
    shown.add(std::move(error));
  }
  return shown;
}

}  // namespace muster::objects
