// SPDX-License-Identifier: Apache-2.0
#include "objects/convert_kueue_hostnames.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "objects/json.h"

namespace muster::objects {

namespace {

// Ends of the prefixes of a host name, shortest first: "a-b-1" has "a-" and "a-b-".
std::vector<std::size_t> prefix_ends(std::string_view hostname) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at + 1 < hostname.size(); ++at) {
    if (hostname[at] == '-') ends.push_back(at + 1);
  }
  return ends;
}

struct PrefixIndex {
  std::vector<std::vector<std::size_t>> ends;  // by host name
  std::unordered_map<std::string_view, std::size_t> occurrences;
  std::size_t depth_max = 0;
};

PrefixIndex index_prefixes(std::span<const std::string_view> hostnames) {
  PrefixIndex index;
  index.ends.reserve(hostnames.size());
  for (const std::string_view hostname : hostnames) {
    index.ends.push_back(prefix_ends(hostname));
    for (const std::size_t end : index.ends.back()) ++index.occurrences[hostname.substr(0, end)];
    index.depth_max = std::max(index.depth_max, index.ends.back().size());
  }
  return index;
}

// The longest prefix of at most `depth` parts that another host name has too; else empty.
std::string_view reusable_prefix(const PrefixIndex& index, std::string_view hostname,
                                 std::span<const std::size_t> ends, std::size_t depth) {
  for (std::size_t part = std::min(depth, ends.size()); part > 0; --part) {
    const std::string_view prefix = hostname.substr(0, ends[part - 1]);
    if (index.occurrences.at(prefix) > 1) return prefix;
  }
  return {};
}

std::vector<std::size_t> runs_at_depth(const PrefixIndex& index,
                                       std::span<const std::string_view> hostnames,
                                       std::size_t depth) {
  std::vector<std::size_t> run_ends;
  std::string_view run_prefix;
  for (std::size_t at = 0; at < hostnames.size(); ++at) {
    const std::string_view prefix = reusable_prefix(index, hostnames[at], index.ends[at], depth);
    if (at > 0 && prefix != run_prefix) run_ends.push_back(at);
    run_prefix = prefix;
  }
  run_ends.push_back(hostnames.size());
  return run_ends;
}

std::size_t slices_of(std::span<const std::size_t> run_ends) {
  std::size_t slices = 0;
  std::size_t begin = 0;
  for (const std::size_t end : run_ends) {
    slices += (end - begin + slice_domains_max - 1) / slice_domains_max;
    begin = end;
  }
  return slices;
}

// Go escapes what could end a script element, too.
std::size_t text_size_in_go(std::string_view text) {
  std::size_t size = 2;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool short_escape = byte == '"' || byte == '\\' || byte == '\b' || byte == '\f' ||
                              byte == '\n' || byte == '\r' || byte == '\t';
    if (short_escape) {
      size += 2;
    } else if (byte < 0x20 || byte == '<' || byte == '>' || byte == '&') {
      size += 6;
    } else if (text.substr(at, 3) == "\xe2\x80\xa8" || text.substr(at, 3) == "\xe2\x80\xa9") {
      size += 6;
      at += 2;
    } else {
      size += 1;
    }
  }
  return size;
}

}  // namespace

std::vector<std::size_t> runs_by_hostname_prefix(std::span<const std::string_view> hostnames) {
  const PrefixIndex index = index_prefixes(hostnames);
  for (std::size_t depth = index.depth_max; depth > 0; --depth) {
    std::vector<std::size_t> run_ends = runs_at_depth(index, hostnames, depth);
    if (slices_of(run_ends) <= slices_max) return run_ends;
  }
  return {hostnames.size()};
}

std::size_t json_size_in_go(View view) {
  const std::size_t separators = view.empty() ? 0 : view.size() - 1;
  std::size_t size = 2 + separators;
  switch (view.type()) {
    case Type::string:
      return text_size_in_go(*view.string());
    case Type::array:
      for (const View element : view.elements()) size += json_size_in_go(element);
      return size;
    case Type::object:
      for (const auto [key, value] : view.members()) {
        size += text_size_in_go(key) + 1 + json_size_in_go(value);
      }
      return size;
    default:
      return to_json(view).size();
  }
}

}  // namespace muster::objects
