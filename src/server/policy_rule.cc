// SPDX-License-Identifier: Apache-2.0
#include "server/policy_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "objects/builder.h"
#include "objects/field_error.h"
#include "server/limits.h"

namespace muster::server {

using objects::Builder;
using objects::Node;
using objects::Value;
using objects::View;

namespace {

using Texts = std::vector<std::string>;

bool has(const Texts& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

bool has_or_star(const Texts& texts, std::string_view text) {
  return has(texts, "*") || has(texts, text);
}

Texts read_texts(View list) {
  Texts texts;
  for (const View text : list.elements()) texts.emplace_back(text.string_or(""));
  return texts;
}

// `*/scale` speaks of `deployments/scale`.
bool is_any_subresource(std::string_view rule, std::string_view subresource) {
  return rule.size() == subresource.size() + 2 && rule.starts_with("*/") &&
         rule.ends_with(subresource);
}

bool resource_matches(std::string_view rule, const Access& access) {
  if (rule == "*") return true;
  if (access.subresource.empty()) return rule == access.resource;
  if (is_any_subresource(rule, access.subresource)) return true;
  return rule.size() == access.resource.size() + 1 + access.subresource.size() &&
         rule.starts_with(access.resource) && rule[access.resource.size()] == '/' &&
         rule.ends_with(access.subresource);
}

bool path_covers(std::string_view rule, std::string_view path) {
  if (rule == path) return true;
  if (!rule.ends_with('*')) return false;
  while (rule.ends_with('*')) rule.remove_suffix(1);
  return path.starts_with(rule);
}

// A rule about one thing at most.
bool resource_covers(const Texts& owned, const Texts& asked) {
  if (asked.empty() || has(owned, "*")) return true;
  const std::string_view resource = asked.front();
  if (has(owned, resource)) return true;
  const std::size_t slash = resource.find('/');
  return slash != std::string_view::npos && has(owned, fmt::format("*{}", resource.substr(slash)));
}

bool covers(const PolicyRule& owned, const PolicyRule& asked) {
  const auto one_of = [](const Texts& owner, const Texts& one) {
    return one.empty() || has_or_star(owner, one.front());
  };
  const bool names =
      owned.resource_names.empty() ||
      (!asked.resource_names.empty() && has(owned.resource_names, asked.resource_names.front()));
  const bool paths =
      asked.paths.empty() || std::ranges::any_of(owned.paths, [&](const std::string& path) {
        return path_covers(path, asked.paths.front());
      });
  return names && paths && one_of(owned.verbs, asked.verbs) && one_of(owned.groups, asked.groups) &&
         resource_covers(owned.resources, asked.resources);
}

bool is_covered(std::span<const PolicyRule> owned, const PolicyRule& asked) {
  return std::any_of(owned.begin(), owned.end(),
                     [&](const PolicyRule& rule) { return covers(rule, asked); });
}

// One verb on one resource, of each name.
void add_resource_gaps(std::span<const PolicyRule> owned, const PolicyRule& rule,
                       const PolicyRule& one, std::vector<PolicyRule>& gaps) {
  const auto add = [&](PolicyRule next) {
    if (gaps.size() < escalation_gaps_max && !is_covered(owned, next)) {
      gaps.push_back(std::move(next));
    }
  };
  if (rule.resource_names.empty()) return add(one);
  for (const std::string& name : rule.resource_names) {
    PolicyRule named = one;
    named.resource_names = {name};
    add(std::move(named));
  }
}

void add_gaps(std::span<const PolicyRule> owned, const PolicyRule& rule,
              std::vector<PolicyRule>& gaps) {
  for (const std::string& group : rule.groups) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& verb : rule.verbs) {
        if (gaps.size() >= escalation_gaps_max) return;
        add_resource_gaps(owned, rule,
                          {.verbs = {verb}, .groups = {group}, .resources = {resource}}, gaps);
      }
    }
  }
  for (const std::string& path : rule.paths) {
    for (const std::string& verb : rule.verbs) {
      if (gaps.size() >= escalation_gaps_max) return;
      PolicyRule one{.verbs = {verb}, .paths = {path}};
      if (!is_covered(owned, one)) gaps.push_back(std::move(one));
    }
  }
}

std::string gap_text(const PolicyRule& rule) {
  std::string text;
  const auto add = [&](std::string_view name, const Texts& texts) {
    if (texts.empty()) return;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}:{}", name, quoted_list(texts));
  };
  add("APIGroups", rule.groups);
  add("Resources", rule.resources);
  add("NonResourceURLs", rule.paths);
  add("ResourceNames", rule.resource_names);
  add("Verbs", rule.verbs);
  return "{" + text + "}";
}

Node texts_node(Builder& builder, const Texts& texts) {
  std::vector<Node> nodes;
  nodes.reserve(texts.size());
  for (const std::string& text : texts) nodes.push_back(builder.text(text));
  return builder.array(nodes);
}

Node rule_node(Builder& builder, const PolicyRule& rule) {
  std::vector<Node> pairs = {Builder::literal("verbs"), texts_node(builder, rule.verbs)};
  const auto add = [&](std::string_view name, const Texts& texts) {
    if (texts.empty()) return;
    pairs.push_back(Builder::literal(name));
    pairs.push_back(texts_node(builder, texts));
  };
  add("apiGroups", rule.groups);
  add("resources", rule.resources);
  add("resourceNames", rule.resource_names);
  add("nonResourceURLs", rule.paths);
  return builder.object_of_pairs(pairs);
}

}  // namespace

std::vector<PolicyRule> read_policy_rules(View rules) {
  std::vector<PolicyRule> read;
  read.reserve(rules.size());
  for (const View rule : rules.elements()) {
    read.push_back({.verbs = read_texts(rule["verbs"]),
                    .groups = read_texts(rule["apiGroups"]),
                    .resources = read_texts(rule["resources"]),
                    .resource_names = read_texts(rule["resourceNames"]),
                    .paths = read_texts(rule["nonResourceURLs"])});
  }
  return read;
}

Value policy_rules_value(std::span<const PolicyRule> rules) {
  Builder builder;
  std::vector<Node> nodes;
  nodes.reserve(rules.size());
  for (const PolicyRule& rule : rules) nodes.push_back(rule_node(builder, rule));
  const Node list = builder.array(nodes);
  return std::move(builder).finish(list);
}

bool allows(const PolicyRule& rule, const Access& access) {
  if (!has_or_star(rule.verbs, access.verb)) return false;
  if (access.resource.empty()) {
    return std::ranges::any_of(
        rule.paths, [&](const std::string& path) { return path_covers(path, access.path); });
  }
  return has_or_star(rule.groups, access.group) &&
         std::ranges::any_of(
             rule.resources,
             [&](const std::string& resource) { return resource_matches(resource, access); }) &&
         (rule.resource_names.empty() || has(rule.resource_names, access.name));
}

std::vector<PolicyRule> not_covered(std::span<const PolicyRule> owned,
                                    std::span<const PolicyRule> asked) {
  std::vector<PolicyRule> gaps;
  for (const PolicyRule& rule : asked) add_gaps(owned, rule, gaps);
  return gaps;
}

// Rules of one resource that differ in their verbs alone become one.
std::vector<std::string> describe_gaps(std::span<const PolicyRule> gaps) {
  std::map<std::tuple<Texts, Texts, Texts>, PolicyRule> merged;
  std::vector<std::string> lines;
  for (const PolicyRule& gap : gaps) {
    if (!gap.paths.empty()) {
      lines.push_back(gap_text(gap));
      continue;
    }
    const auto [place, is_new] =
        merged.try_emplace({gap.groups, gap.resources, gap.resource_names}, gap);
    std::vector<std::string>& verbs = place->second.verbs;
    if (!is_new) verbs.insert(verbs.end(), gap.verbs.begin(), gap.verbs.end());
  }
  for (const auto& [key, rule] : merged) lines.push_back(gap_text(rule));
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

std::string quoted_list(std::span<const std::string> texts) {
  std::string text = "[";
  for (const std::string& one : texts) {
    if (text.size() > 1) text += ' ';
    text += objects::go_quoted(one);
  }
  return text + "]";
}

}  // namespace muster::server
