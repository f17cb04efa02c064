// SPDX-License-Identifier: Apache-2.0
#include "agent/downward.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ascii.h"
#include "base/checked.h"
#include "base/utf8.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::View;

constexpr std::size_t hostname_bytes_max = 63;

// As Go quotes a string: printable text as it is, the rest escaped.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (point.size == 0) {
      out += fmt::format("\\x{:02x}", byte);
    } else if (point.value == '"' || point.value == '\\') {
      out += '\\';
      out += static_cast<char>(point.value);
    } else if (point.value == '\n') {
      out += "\\n";
    } else if (point.value == '\t') {
      out += "\\t";
    } else if (point.value == '\r') {
      out += "\\r";
    } else if (point.value < ' ' || point.value == 0x7f) {
      out += fmt::format("\\x{:02x}", point.value);
    } else {
      out += text.substr(0, point.size);
    }
    text.remove_prefix(std::max<std::size_t>(point.size, 1));
  }
  return out + "\"";
}

// key="value" lines in the order of their keys.
std::string lines_of(View texts) {
  std::map<std::string_view, std::string_view> sorted;
  for (const auto& [key, value] : texts.members()) sorted[key] = value.string_or("");
  std::string out;
  for (const auto& [key, value] : sorted) {
    if (!out.empty()) out += '\n';
    out += fmt::format("{}={}", key, quoted(value));
  }
  return out;
}

Quantity quantity_of(View field, const Quantity& fallback) {
  const auto text = field.string();
  if (!text) {
    const auto number = field.integer();
    return number ? Quantity::of(*number) : fallback;
  }
  return Quantity::parse_field(*text).value_or(fallback);
}

}  // namespace

View container_named(View pod, std::string_view name) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (View container : pod["spec"][list].elements()) {
      if (container["name"].string_or("") == name) return container;
    }
  }
  return {};
}

std::string hostname_of(View pod) {
  std::string_view name = pod["spec"]["hostname"].string_or("");
  if (name.empty()) name = objects::name_of(pod);
  name = name.substr(0, hostname_bytes_max);
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.remove_suffix(1);
  return std::string(name);
}

Result<std::string> field_of(View pod, std::string_view path, const Surroundings& surroundings) {
  const View metadata = pod["metadata"];
  if (path.ends_with("']")) {
    for (const std::string_view texts : {"labels", "annotations"}) {
      const std::string opening = fmt::format("metadata.{}['", texts);
      if (!path.starts_with(opening)) continue;
      const std::string_view key = path.substr(opening.size(), path.size() - opening.size() - 2);
      return std::string(metadata[texts][key].string_or(""));
    }
  }
  if (path == "metadata.name" || path == "metadata.namespace" || path == "metadata.uid") {
    return std::string(metadata[path.substr(path.find('.') + 1)].string_or(""));
  }
  if (path == "metadata.labels") return lines_of(metadata["labels"]);
  if (path == "metadata.annotations") return lines_of(metadata["annotations"]);
  if (path == "spec.nodeName") return surroundings.node.name;
  if (path == "spec.serviceAccountName") {
    return std::string(pod["spec"]["serviceAccountName"].string_or(""));
  }
  if (path == "status.hostIP" || path == "status.hostIPs") return surroundings.node.address;
  if (path == "status.podIP" || path == "status.podIPs") return surroundings.address;
  return Error::invalid(fmt::format("unsupported fieldPath: {}", path));
}

Result<std::string> resource_field_of(View container, View reference, const NodeOptions& node) {
  const std::string_view wanted = reference["resource"].string_or("");
  const std::size_t dot = wanted.find('.');
  const std::string_view list = wanted.substr(0, dot);
  const std::string_view name =
      dot == std::string_view::npos ? std::string_view() : wanted.substr(dot + 1);
  const bool is_usual = name == "cpu" || name == "memory" || name == "ephemeral-storage";
  const bool is_known = is_usual || name.starts_with("hugepages-");
  if ((list != "limits" && list != "requests") || !is_known) {
    return Error::invalid(fmt::format("unsupported container resource : {}", wanted));
  }
  Quantity amount = quantity_of(container["resources"][list][name], Quantity());
  if (list == "limits" && is_usual && amount.is_zero()) {
    const auto found = node.capacity.find(std::string(name));
    if (found != node.capacity.end()) amount = found->second;
  }
  Quantity divisor = quantity_of(reference["divisor"], Quantity());
  if (divisor.is_zero()) divisor = Quantity::of(1);
  const QuantityScale scale = name == "cpu" ? QuantityScale::milli : QuantityScale::unit;
  const auto units =
      checked_divide_up(amount.saturated_value(scale), divisor.saturated_value(scale));
  if (!units) return Error::invalid("the divisor of a resource must be positive");
  return std::to_string(*units);
}

}  // namespace muster::agent
