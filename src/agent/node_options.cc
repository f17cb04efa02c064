// SPDX-License-Identifier: Apache-2.0
#include "agent/node_options.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "agent/limits.h"
#include "objects/schema/formats.h"

namespace muster::agent {

namespace {

// The parts between the separators; one empty part for the empty text.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Error wrong(std::string_view part, std::string_view why) {
  return Error::bad_request(fmt::format("--node: \"{}\": {}", part, why));
}

// The first of the sentences, if there is one.
Result<> accepted(std::string_view part, const std::vector<std::string>& violations) {
  if (violations.empty()) return {};
  return wrong(part, violations.front());
}

struct KeyAndValue {
  std::string_view key;
  std::string_view value;
};

Result<KeyAndValue> key_and_value(std::string_view part) {
  const std::size_t equals = part.find('=');
  if (equals == std::string_view::npos || equals == 0) return wrong(part, "must be key=value");
  return KeyAndValue{.key = part.substr(0, equals), .value = part.substr(equals + 1)};
}

Result<> read_labels(std::string_view part, std::string_view text, NodeOptions& options) {
  for (const std::string_view each : split(text, ';')) {
    const KeyAndValue label = TRY(key_and_value(each));
    TRY(accepted(part, objects::qualified_name_violations(label.key)));
    TRY(accepted(part, objects::label_value_violations(label.value)));
    options.labels[std::string(label.key)] = label.value;
  }
  return {};
}

// `key=value:Effect` or `key:Effect`, as kubectl taint writes them.
Result<> read_taints(std::string_view part, std::string_view text, NodeOptions& options) {
  for (const std::string_view each : split(text, ';')) {
    const std::size_t colon = each.rfind(':');
    if (colon == std::string_view::npos) return wrong(part, "a taint must be key=value:Effect");
    const std::string_view effect = each.substr(colon + 1);
    if (effect != "NoSchedule" && effect != "PreferNoSchedule" && effect != "NoExecute") {
      return wrong(part, "the effect must be NoSchedule, PreferNoSchedule or NoExecute");
    }
    const std::string_view name = each.substr(0, colon);
    const std::size_t equals = name.find('=');
    const std::string_view key = name.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : name.substr(equals + 1);
    TRY(accepted(part, objects::qualified_name_violations(key)));
    TRY(accepted(part, objects::label_value_violations(value)));
    options.taints.push_back(
        {.key = std::string(key), .value = std::string(value), .effect = std::string(effect)});
  }
  return {};
}

Result<> read_resource(std::string_view part, KeyAndValue resource, NodeOptions& options) {
  TRY(accepted(part, objects::qualified_name_violations(resource.key)));
  auto quantity = Quantity::parse(resource.value);
  if (!quantity) return wrong(part, quantity.error().message);
  if (quantity->sign() < 0) return wrong(part, "must not be negative");
  const bool is_extended = resource.key.find('/') != std::string_view::npos;
  if (resource.key != "cpu" && !quantity->value()) return wrong(part, "is too large");
  if (is_extended) options.devices_are_simulated = true;
  if (options.capacity.size() >= node_resources_max) {
    return wrong(part, fmt::format("a node has at most {} resources", node_resources_max));
  }
  const bool is_new =
      options.capacity.emplace(std::string(resource.key), std::move(*quantity)).second;
  if (!is_new) return wrong(part, "is there twice");
  return {};
}

Result<> read_part(std::string_view part, NodeOptions& options) {
  const KeyAndValue pair = TRY(key_and_value(part));
  if (pair.key == "labels") return read_labels(part, pair.value, options);
  if (pair.key == "taints") return read_taints(part, pair.value, options);
  if (pair.key == "name") {
    TRY(accepted(part, objects::dns_subdomain_violations(pair.value)));
    options.name = pair.value;
    return {};
  }
  if (pair.key == "podCIDR") {
    if (!objects::has_format(objects::Format::cidr, pair.value)) {
      return wrong(part, "must be a range of addresses such as 10.64.1.0/24");
    }
    options.pod_cidr = pair.value;
    return {};
  }
  if (pair.key == "address") {
    if (!objects::has_format(objects::Format::ipv4, pair.value)) {
      return wrong(part, "must be an IPv4 address");
    }
    options.address = pair.value;
    return {};
  }
  if (pair.key == "runtime") {
    if (pair.value != "host" && pair.value != "pretend") {
      return wrong(part, "must be host or pretend");
    }
    options.is_pretended = pair.value == "pretend";
    return {};
  }
  return read_resource(part, pair, options);
}

}  // namespace

Result<NodeOptions> parse_node_option(std::string_view text) {
  if (text.size() > node_option_bytes_max) {
    return Error::bad_request(
        fmt::format("--node: is longer than {} bytes", node_option_bytes_max));
  }
  NodeOptions options;
  for (const std::string_view part : split(text, ',')) TRY(read_part(part, options));
  if (options.name.empty()) return wrong(text, "must have a name=…");
  for (const std::string_view needed : {"cpu", "memory"}) {
    if (!options.capacity.contains(std::string(needed))) {
      return wrong(text, fmt::format("must say how much {} it has, as in {}={}", needed, needed,
                                     needed == "cpu" ? "8" : "16Gi"));
    }
  }
  return options;
}

Result<std::vector<NodeOptions>> parse_node_options(std::span<const std::string> texts) {
  std::vector<NodeOptions> nodes;
  std::set<std::string> names;
  for (const std::string& text : texts) {
    nodes.push_back(TRY(parse_node_option(text)));
    if (!names.insert(nodes.back().name).second) return wrong(text, "the name is there twice");
  }
  return nodes;
}

std::string node_name_of(std::string_view host_name) {
  constexpr std::size_t label_bytes_max = 63;  // it is the value of kubernetes.io/hostname
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string name;
  for (const char letter : host_name.substr(0, label_bytes_max)) {
    const bool is_large = letter >= 'A' && letter <= 'Z';
    const char small = is_large ? static_cast<char>(letter - 'A' + 'a') : letter;
    // Each part between dots begins and ends with a letter or a digit.
    const bool begins = name.empty() || name.back() == '.';
    if (small == '.' && !begins) {
      name.erase(name.find_last_of(letters) + 1);
      name += '.';
    } else if (letters.find(small) != std::string_view::npos) {
      name += small;
    } else if (!begins) {
      name += '-';
    }
  }
  name.erase(name.find_last_of(letters) + 1);
  return name.empty() ? "localhost" : name;
}

}  // namespace muster::agent
