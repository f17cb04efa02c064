// SPDX-License-Identifier: Apache-2.0
#include "cli/one_object.h"

#include <fmt/format.h>

#include <vector>

#include "base/os/files.h"
#include "objects/limits.h"
#include "objects/yaml.h"

namespace muster::cli {

using objects::Value;
using objects::View;

namespace {

// Lists hold lists at most so deep.
constexpr int list_depth_max = 8;

void flatten(const Value& document, int depth, std::vector<Value>& out) {
  const bool is_list = document["kind"].string_or("").ends_with("List");
  const View items = document.is_array() ? document.view() : document["items"];
  if (depth >= list_depth_max || !items.is_array() || !(document.is_array() || is_list)) {
    out.push_back(document);
    return;
  }
  for (const View item : items.elements()) flatten(document.part(item), depth + 1, out);
}

}  // namespace

Result<Value> read_one_object(std::string_view flag, const std::string& path) {
  const auto text = path == "-" ? read_standard_input(objects::document_bytes_max)
                                : read_whole_file(path, objects::document_bytes_max);
  if (!text) return Error::bad_request(text.error().to_string(), std::string(flag));
  const auto documents = objects::parse_yaml(*text);
  if (!documents) {
    return Error::bad_request(fmt::format("{}: {}", path, documents.error().to_string()),
                              std::string(flag));
  }
  std::vector<Value> objects;
  for (const objects::YamlDocument& document : *documents) flatten(document.value, 0, objects);
  if (objects.size() != 1) {
    return Error::bad_request(
        fmt::format("{}: one object is expected, not {}", path, objects.size()), std::string(flag));
  }
  return objects[0];
}

}  // namespace muster::cli
