// SPDX-License-Identifier: Apache-2.0
#include "objects/convert_kueue_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "objects/convert_kueue_hostnames.h"
#include "objects/json.h"
#include "objects/limits.h"
#include "objects/rewrite.h"

namespace muster::objects {

namespace {

constexpr std::string_view hostname_level = "kubernetes.io/hostname";

struct Domain {
  View values;  // a string for each level
  std::int64_t count = 0;
};

std::string_view value_at(const Domain& domain, std::size_t level) {
  return domain.values[level].string_or("");
}

bool has_value_for_each_level(View values, std::size_t levels) {
  for (std::size_t level = 0; level < levels; ++level) {
    if (!values[level].is_string()) return false;
  }
  return true;
}

Result<std::vector<Domain>> read_domains(View assignment) {
  const std::size_t levels = assignment["levels"].size();
  std::vector<Domain> domains;
  domains.reserve(assignment["domains"].size());
  for (const View view : assignment["domains"].elements()) {
    if (!has_value_for_each_level(view["values"], levels)) {
      return Error::invalid(fmt::format("must have a value for each of the {} levels", levels),
                            fmt::format("topologyAssignment.domains[{}].values", domains.size()));
    }
    domains.push_back({view["values"], view["count"].integer_or(0)});
  }
  return domains;
}

// UTF-8 continues a letter with bytes 10xxxxxx.
bool is_inside_letter(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
}

// What all values have in common at both ends, without overlap.
struct CommonEnds {
  std::size_t prefix;
  std::size_t suffix;
  bool all_equal;
};

CommonEnds common_ends(std::span<const Domain> domains, std::size_t level) {
  const std::string_view first = value_at(domains.front(), level);
  CommonEnds common{first.size(), first.size(), true};
  std::size_t shortest = first.size();
  for (const Domain& domain : domains.subspan(1)) {
    const std::string_view value = value_at(domain, level);
    shortest = std::min(shortest, value.size());
    common.all_equal = common.all_equal && value == first;
    const auto ahead = std::mismatch(first.begin(), first.end(), value.begin(), value.end());
    common.prefix = std::min(common.prefix, static_cast<std::size_t>(ahead.first - first.begin()));
    const auto behind = std::mismatch(first.rbegin(), first.rend(), value.rbegin(), value.rend());
    common.suffix =
        std::min(common.suffix, static_cast<std::size_t>(behind.first - first.rbegin()));
  }
  // Kueue cuts between bytes, and its JSON encoder then replaces the halves of a letter. Topology
  // values are labels, which have none of those; whatever else comes is cut between letters.
  while (common.prefix > 0 && is_inside_letter(first, common.prefix)) --common.prefix;
  while (common.suffix > 0 && is_inside_letter(first, first.size() - common.suffix)) {
    --common.suffix;
  }
  // In {ababa, aba} both ends want the same letters: the suffix has them.
  common.prefix = std::min(common.prefix, shortest - std::min(shortest, common.suffix));
  return common;
}

Node pack_level(Builder& builder, std::span<const Domain> domains, std::size_t level) {
  const CommonEnds common = common_ends(domains, level);
  if (common.all_equal) {
    const Node::Member universal[] = {
        {Builder::literal("universal"), domains.front().values[level].node()}};
    return builder.object(universal);
  }
  std::vector<Node> roots;
  roots.reserve(domains.size());
  for (const Domain& domain : domains) {
    const std::string_view value = value_at(domain, level);
    roots.push_back(
        builder.text(value.substr(common.prefix, value.size() - common.prefix - common.suffix)));
  }
  const std::string_view first = value_at(domains.front(), level);
  std::vector<Node::Member> members;
  if (common.prefix > 0) {
    members.push_back({Builder::literal("prefix"), builder.text(first.substr(0, common.prefix))});
  }
  if (common.suffix > 0) {
    members.push_back(
        {Builder::literal("suffix"), builder.text(first.substr(first.size() - common.suffix))});
  }
  members.push_back({Builder::literal("roots"), builder.array(roots)});
  const Node::Member individual[] = {{Builder::literal("individual"), builder.object(members)}};
  return builder.object(individual);
}

Node pack_counts(Builder& builder, std::span<const Domain> domains) {
  const bool same = std::ranges::all_of(
      domains, [&](const Domain& domain) { return domain.count == domains.front().count; });
  if (same) {
    const Node::Member universal[] = {
        {Builder::literal("universal"), Builder::integer(domains.front().count)}};
    return builder.object(universal);
  }
  std::vector<Node> counts;
  counts.reserve(domains.size());
  for (const Domain& domain : domains) counts.push_back(Builder::integer(domain.count));
  const Node::Member individual[] = {{Builder::literal("individual"), builder.array(counts)}};
  return builder.object(individual);
}

Node pack_slice(Builder& builder, std::span<const Domain> domains, std::size_t levels) {
  std::vector<Node> values;
  values.reserve(levels);
  for (std::size_t level = 0; level < levels; ++level) {
    values.push_back(pack_level(builder, domains, level));
  }
  const Node::Member members[] = {{Builder::literal("domainCount"),
                                   Builder::integer(static_cast<std::int64_t>(domains.size()))},
                                  {Builder::literal("valuesPerLevel"), builder.array(values)},
                                  {Builder::literal("podCounts"), pack_counts(builder, domains)}};
  return builder.object(members);
}

// One slice for each run, cut where a slice would have too many domains.
Node pack_runs(Builder& builder, std::span<const Domain> domains,
               std::span<const std::size_t> run_ends, std::size_t levels) {
  std::vector<Node> slices;
  std::size_t begin = 0;
  for (const std::size_t end : run_ends) {
    while (begin < end) {
      const std::size_t count = std::min(end - begin, slice_domains_max);
      slices.push_back(pack_slice(builder, domains.subspan(begin, count), levels));
      begin += count;
    }
  }
  return builder.array(slices);
}

Node with_slices(Builder& builder, View assignment, const Node& slices) {
  Rewrite result(assignment);
  result.drop("domains");
  result.set("slices", slices.size == 0 ? Node() : slices);
  return result.finish(builder);
}

std::vector<std::size_t> hostname_runs(View assignment, std::span<const Domain> domains) {
  const std::size_t levels = assignment["levels"].size();
  const bool by_hostname =
      levels > 0 && assignment["levels"][levels - 1].string_or("") == hostname_level;
  if (domains.size() < 2 || !by_hostname) return {domains.size()};
  std::vector<std::string_view> hostnames;
  hostnames.reserve(domains.size());
  for (const Domain& domain : domains) hostnames.push_back(value_at(domain, levels - 1));
  return runs_by_hostname_prefix(hostnames);
}

}  // namespace

Result<Node> pack_topology_assignment(Builder& builder, View assignment, bool by_prefix) {
  const std::vector<Domain> domains = TRY(read_domains(assignment));
  const std::size_t levels = assignment["levels"].size();
  if (domains.empty()) return with_slices(builder, assignment, Node());
  if (!by_prefix) {
    const Node slice[] = {pack_slice(builder, domains, levels)};
    return with_slices(builder, assignment, builder.array(slice));
  }

  const Node runs = pack_runs(builder, domains, hostname_runs(assignment, domains), levels);
  if (runs.size > 1 && domains.size() <= slice_domains_max) {
    const std::size_t everything[] = {domains.size()};
    const Node single = pack_runs(builder, domains, everything, levels);
    if (json_size_in_go(View(&single)) < json_size_in_go(View(&runs))) {
      return with_slices(builder, assignment, single);
    }
  }
  return with_slices(builder, assignment, runs);
}

namespace {

// The value of one domain at one level of a slice.
Result<Node> unpack_value(Builder& builder, View values, std::size_t index) {
  if (values["universal"].is_string()) return values["universal"].node();
  const View individual = values["individual"];
  const View root = individual["roots"][index];
  if (!root.is_string()) {
    return Error::invalid("must have a root for each of its slice's domains",
                          "topologyAssignment.slices.valuesPerLevel.individual.roots");
  }
  const std::string_view prefix = individual["prefix"].string_or("");
  const std::string_view suffix = individual["suffix"].string_or("");
  if (prefix.empty() && suffix.empty()) return root.node();
  return builder.text(fmt::format("{}{}{}", prefix, *root.string(), suffix));
}

Result<Node> unpack_count(View counts, std::size_t index) {
  const View count =
      counts["universal"].is_integer() ? counts["universal"] : counts["individual"][index];
  if (!count.is_integer()) {
    return Error::invalid("must have a count for each of its slice's domains",
                          "topologyAssignment.slices.podCounts");
  }
  return count.node();
}

Result<Node> unpack_domain(Builder& builder, View slice, std::size_t levels, std::size_t index) {
  std::vector<Node> values;
  values.reserve(levels);
  for (std::size_t level = 0; level < levels; ++level) {
    values.push_back(TRY(unpack_value(builder, slice["valuesPerLevel"][level], index)));
  }
  const Node count = TRY(unpack_count(slice["podCounts"], index));
  const Node::Member members[] = {{Builder::literal("values"), builder.array(values)},
                                  {Builder::literal("count"), count}};
  return builder.object(members);
}

}  // namespace

Result<Node> unpack_topology_assignment(Builder& builder, View assignment) {
  const std::size_t levels = assignment["levels"].size();
  std::vector<Node> domains;
  for (const View slice : assignment["slices"].elements()) {
    const std::int64_t count = slice["domainCount"].integer_or(0);
    const auto room = static_cast<std::int64_t>(topology_domains_max - domains.size());
    if (count > room) {
      return Error::too_large(fmt::format("stands for more than {} domains", topology_domains_max),
                              "topologyAssignment.slices");
    }
    for (std::int64_t index = 0; index < count; ++index) {
      domains.push_back(
          TRY(unpack_domain(builder, slice, levels, static_cast<std::size_t>(index))));
    }
  }
  Rewrite result(assignment);
  result.drop("slices");
  result.set("domains", builder.array(domains));
  return result.finish(builder);
}

}  // namespace muster::objects
