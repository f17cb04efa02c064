// Formats: what the `format` key of a schema may say, and whether a text has it. Those of OpenAPI
// and apiextensions apply to CRDs; those of the native types (dns-label, quantity …) are ours and
// apply to built-in kinds, where a violation has kube-apiserver's own sentence.
//
//   if (auto sentence = format_violation(Format::dns_label, "P_")) …
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::objects {

enum class Format : std::uint8_t {
  none,
  // Numbers.
  int32,
  int64,
  float32,
  float64,
  // Strings of OpenAPI and apiextensions.
  byte,
  date,
  date_time,
  duration,
  email,
  hostname,
  ipv4,
  ipv6,
  cidr,
  mac,
  uri,
  uuid,
  uuid3,
  uuid4,
  uuid5,
  password,
  // Strings of the native types.
  quantity,
  micro_time,
  dns_label,
  dns_subdomain,
  dns1035_label,
  qualified_name,
  label_value,
  env_var_name,
  port_name,
  port_number_or_name,
  config_map_key,
  ip,
  absolute_path,
  path_segment,
  count_or_percentage,
  count_or_any_percentage,
};

// none for a name that is not known, as apiextensions ignores those.
Format format_of(std::string_view name);
std::string_view format_name(Format format);

// Whether CRD validation accepts the text; formats that it does not know accept everything.
bool has_format(Format format, std::string_view text);

// The sentences with which kube-apiserver refuses a text in a built-in kind; empty when it is
// accepted. Several may apply at once (too long, and a bad character).
std::vector<std::string> native_violations(Format format, std::string_view text);

// The sentences for names and labels.
std::vector<std::string> dns_label_violations(std::string_view text);
std::vector<std::string> dns_subdomain_violations(std::string_view text);
std::vector<std::string> dns1035_label_violations(std::string_view text);
std::vector<std::string> qualified_name_violations(std::string_view text);
std::vector<std::string> label_value_violations(std::string_view text);

}  // namespace muster::objects
