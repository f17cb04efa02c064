// SPDX-License-Identifier: Apache-2.0
#include "cli/table_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "objects/json.h"
#include "objects/metadata.h"

namespace muster::cli {

using objects::View;

namespace {

constexpr std::size_t gap = 3;
constexpr std::size_t width_min = 6;

// Letters, not bytes.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string upper(std::string_view text) {
  std::string made(text);
  std::transform(made.begin(), made.end(), made.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return made;
}

// One line: what breaks it is cut, as kubectl does.
std::string cell_text(View cell) {
  if (cell.is_absent() || cell.is_null()) return "";
  std::string text(cell.is_string() ? std::string(cell.string_or("")) : objects::to_json(cell));
  const std::size_t end = text.find_first_of("\n\r\f");
  if (end != std::string::npos) text = text.substr(0, end) + "...";
  return text;
}

std::string labels_text(View object) {
  std::string text;
  for (const auto& [key, value] : objects::labels_of(object).members()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value.string_or(""));
  }
  return text.empty() ? "<none>" : text;
}

std::string align(const std::vector<std::vector<std::string>>& rows,
                  std::vector<std::size_t>& widths) {
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), width_min);
    for (std::size_t at = 0; at < row.size(); ++at) {
      widths[at] = std::max(widths[at], width_of(row[at]) + gap);
    }
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t at = 0; at < row.size(); ++at) {
      text += row[at];
      if (at + 1 < row.size()) text.append(widths[at] - width_of(row[at]), ' ');
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::vector<std::string> TableText::cells_of(View row) const {
  std::vector<std::string> made;
  if (form_.with_namespace) made.emplace_back(objects::namespace_of(row["object"]));
  for (const Column& column : columns_) {
    std::string text = cell_text(row["cells"][column.index]);
    if (column.name == "Name") text.insert(0, form_.name_prefix);
    made.push_back(std::move(text));
  }
  if (form_.with_labels) made.push_back(labels_text(row["object"]));
  return made;
}

std::string TableText::lines(View table) {
  const View definitions = table["columnDefinitions"];
  if (definitions.size() > 0) {
    columns_.clear();
    for (std::size_t at = 0; at < definitions.size(); ++at) {
      if (definitions[at]["priority"].integer_or(0) > 0 && !form_.is_wide) continue;
      columns_.push_back({std::string(definitions[at]["name"].string_or("")), at});
    }
  }
  std::vector<std::vector<std::string>> rows;
  if (form_.with_headers && !has_head_ && table["rows"].size() > 0) {
    std::vector<std::string> head;
    if (form_.with_namespace) head.emplace_back("NAMESPACE");
    for (const Column& column : columns_) head.push_back(upper(column.name));
    if (form_.with_labels) head.emplace_back("LABELS");
    rows.push_back(std::move(head));
    has_head_ = true;
  }
  for (View row : table["rows"].elements()) rows.push_back(cells_of(row));
  return aligned(rows);
}

std::string TableText::aligned(const std::vector<std::vector<std::string>>& rows) {
  return align(rows, widths_);
}

std::string aligned_rows(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  return align(rows, widths);
}

}  // namespace muster::cli
