// SPDX-License-Identifier: Apache-2.0
#include "cli/object_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "cli/table_text.h"
#include "objects/builder.h"
#include "objects/edit.h"
#include "objects/json.h"
#include "objects/metadata.h"
#include "objects/yaml.h"

namespace muster::cli {

using objects::Builder;
using objects::JsonPath;
using objects::MissingKeys;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

Error wrong(std::string sentence) {
  return Error::bad_request("error: " + std::move(sentence));
}

Value list_of(const std::vector<std::pair<ServedKind, Value>>& objects) {
  Builder builder;
  std::vector<Node> items;
  items.reserve(objects.size());
  for (const auto& [kind, object] : objects) items.push_back(builder.embed(object));
  const Node version_key = Builder::literal("resourceVersion");
  const Node metadata =
      builder.object(std::vector<Node::Member>{{version_key, Builder::literal("")}});
  const std::vector<Node::Member> members = {
      {Builder::literal("apiVersion"), Builder::literal("v1")},
      {Builder::literal("items"), builder.array(items)},
      {Builder::literal("kind"), Builder::literal("List")},
      {Builder::literal("metadata"), metadata}};
  const Node root = builder.object(members);
  return std::move(builder).finish(root);
}

Result<std::vector<std::pair<std::string, JsonPath>>> parse_columns(std::string_view text) {
  std::vector<std::pair<std::string, JsonPath>> columns;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view one = text.substr(0, comma);
    const std::size_t colon = one.find(':');
    if (colon == std::string_view::npos) {
      return wrong(fmt::format(
          "unexpected custom-columns spec: {}, expected <header>:<json-path-expr>", one));
    }
    auto path = JsonPath::parse_relaxed(one.substr(colon + 1), MissingKeys::allow);
    if (!path) return wrong(path.error().message);
    columns.emplace_back(std::string(one.substr(0, colon)), std::move(*path));
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  if (columns.empty()) return wrong("custom-columns format specified but no custom columns given");
  return columns;
}

// The same value with all members in order of their keys.
Node in_order(Builder& builder, View value) {
  if (value.is_array()) {
    std::vector<Node> elements;
    for (const View element : value.elements()) elements.push_back(in_order(builder, element));
    return builder.array(elements);
  }
  if (!value.is_object()) return builder.copy(value);
  std::map<std::string_view, View> members;
  for (const objects::MemberView member : value.members()) members[member.key] = member.value;
  std::vector<Node> pairs;
  for (const auto& [key, member] : members) {
    pairs.push_back(builder.text(key));
    pairs.push_back(in_order(builder, member));
  }
  return builder.object_of_pairs(pairs);
}

// As kubectl prints it: keys in order, four spaces for each level.
std::string wide_json(View value) {
  Builder builder;
  const Node root = in_order(builder, value);
  const std::string text = objects::to_pretty_json(std::move(builder).finish(root));
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t indent = text.find_first_not_of(' ', at) - at;
    out.append(indent, ' ');
    out.append(text, at, end - at);
    out += '\n';
    at = end + 1;
  }
  return out;
}

}  // namespace

Value without_managed_fields(const Value& object) {
  if (object["metadata"]["managedFields"].is_absent()) return object;
  return objects::without(object, {"metadata", "managedFields"}).value_or(object);
}

Result<ObjectText> ObjectText::parse(std::string_view form) {
  ObjectText made;
  const std::size_t equals = form.find('=');
  const std::string_view name = form.substr(0, equals);
  const std::string_view rest = equals == std::string_view::npos ? "" : form.substr(equals + 1);
  if (form.empty()) return made;
  if (name == "wide") {
    made.form_ = Form::wide;
  } else if (name == "yaml") {
    made.form_ = Form::yaml;
  } else if (name == "json") {
    made.form_ = Form::json;
  } else if (name == "name") {
    made.form_ = Form::name;
  } else if (name == "jsonpath") {
    made.form_ = Form::json_path;
    auto path = JsonPath::parse(rest, MissingKeys::allow);
    if (!path)
      return wrong(fmt::format("error parsing jsonpath {}, {}", rest, path.error().message));
    made.path_ = std::move(*path);
  } else if (name == "custom-columns") {
    made.form_ = Form::custom_columns;
    made.columns_ = TRY(parse_columns(rest));
  } else {
    return wrong(
        fmt::format("unable to match a printer suitable for the output format \"{}\", allowed "
                    "formats are: custom-columns,json,jsonpath,name,wide,yaml",
                    name));
  }
  return made;
}

Result<std::string> ObjectText::text(const std::vector<std::pair<ServedKind, Value>>& objects,
                                     bool is_list) const {
  if (form_ == Form::name) {
    std::string lines;
    for (const auto& [kind, object] : objects) {
      lines += fmt::format("{}/{}\n", kind.qualified(), objects::name_of(object));
    }
    return lines;
  }
  if (form_ == Form::custom_columns) return columns_text(objects);
  const Value whole = is_list || objects.size() != 1 ? list_of(objects) : objects.front().second;
  switch (form_) {
    case Form::yaml:
      return objects::to_yaml(whole);
    case Form::json:
      return wide_json(whole);
    default:
      return path_->print(whole);
  }
}

Result<std::string> ObjectText::columns_text(
    const std::vector<std::pair<ServedKind, Value>>& objects) const {
  std::vector<std::vector<std::string>> rows(1);
  for (const auto& column : columns_) rows.front().push_back(column.first);
  for (const auto& entry : objects) {
    std::vector<std::string> row;
    for (const auto& column : columns_) {
      const auto found = TRY(column.second.find(entry.second));
      std::string text;
      for (const View each : found) {
        text += text.empty() ? "" : ",";
        text += each.is_string() ? std::string(each.string_or("")) : objects::to_json(each);
      }
      row.push_back(text.empty() ? "<none>" : text);
    }
    rows.push_back(std::move(row));
  }
  return aligned_rows(rows);
}

}  // namespace muster::cli
