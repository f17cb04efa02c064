// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/image_name.h"

#include <algorithm>

namespace muster::agent {

namespace {

constexpr std::size_t name_bytes_max = 255;
constexpr std::size_t tag_bytes_max = 128;
constexpr std::size_t sha256_digits = 64;
constexpr std::string_view default_registry = "docker.io";

bool is_lower(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_word(char c) {
  return is_lower(c) || is_upper(c) || c == '_';
}

Error bad_format() {
  return Error::bad_request("invalid reference format");
}

// Words of small letters and digits, between them `.`, `_`, `__` or hyphens.
bool is_path_component(std::string_view text) {
  if (text.empty() || !is_lower(text.front()) || !is_lower(text.back())) return false;
  for (std::size_t i = 0; i < text.size();) {
    if (is_lower(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && text[i] == text[begin]) ++i;
    const std::size_t count = i - begin;
    const char separator = text[begin];
    const bool well =
        (separator == '.' && count == 1) || (separator == '_' && count <= 2) || separator == '-';
    if (!well || !is_lower(text[i])) return false;
  }
  return true;
}

bool is_path(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    if (!is_path_component(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool is_host_label(std::string_view label) {
  const auto is_letter = [](char c) { return is_lower(c) || is_upper(c); };
  return !label.empty() && is_letter(label.front()) && is_letter(label.back()) &&
         std::all_of(label.begin(), label.end(), [&](char c) { return is_letter(c) || c == '-'; });
}

bool is_port(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A name or address with an optional port; an address of version 6 stands in brackets.
bool is_registry(std::string_view text) {
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos || end < 2) return false;
    const std::string_view address = text.substr(1, end - 1);
    const bool well = std::all_of(address.begin(), address.end(), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':';
    });
    port = text.substr(end + 1);
    return well && (port.empty() || (port.front() == ':' && is_port(port.substr(1))));
  }
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && !is_port(text.substr(colon + 1))) return false;
  std::string_view host = text.substr(0, colon);
  while (true) {
    const std::size_t dot = host.find('.');
    if (!is_host_label(host.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    host.remove_prefix(dot + 1);
  }
}

bool is_tag(std::string_view text) {
  return !text.empty() && text.size() <= tag_bytes_max && is_word(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_word(c) || c == '.' || c == '-'; });
}

// Whether what stands before the first slash is a registry, and no part of a path.
bool names_registry(std::string_view first) {
  return first.find_first_of(".:") != std::string_view::npos || first == "localhost" ||
         std::any_of(first.begin(), first.end(), is_upper);
}

Result<std::string> repository_of(std::string_view text) {
  const std::size_t slash = text.find('/');
  std::string registry(default_registry);
  std::string path(text);
  if (slash != std::string_view::npos && names_registry(text.substr(0, slash))) {
    registry = text.substr(0, slash);
    path = text.substr(slash + 1);
  }
  if (registry == "index.docker.io") registry = default_registry;
  if (registry == default_registry && path.find('/') == std::string::npos) path = "library/" + path;
  if (!is_registry(registry)) return bad_format();
  if (!is_path(path)) {
    std::string lower = path;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; });
    if (lower != path && is_path(lower)) {
      return Error::bad_request("invalid reference format: repository name (" + path +
                                ") must be lowercase");
    }
    return bad_format();
  }
  return registry + "/" + path;
}

}  // namespace

bool is_sha256_digest(std::string_view text) {
  constexpr std::string_view prefix = "sha256:";
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return text.size() == sha256_digits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string ImageName::to_string() const {
  return digest.empty() ? repository + ":" + tag : repository + "@" + digest;
}

Result<ImageName> parse_image_name(std::string_view text) {
  ImageName name;
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    name.digest = text.substr(at + 1);
    if (!is_sha256_digest(name.digest)) return bad_format();
    text = text.substr(0, at);
  }
  // A colon before the last slash is a port's.
  const std::size_t colon = text.rfind(':');
  const std::size_t slash = text.rfind('/');
  const bool has_tag =
      colon != std::string_view::npos && (slash == std::string_view::npos || colon > slash);
  if (has_tag) {
    name.tag = text.substr(colon + 1);
    if (!is_tag(name.tag)) return bad_format();
    text = text.substr(0, colon);
  } else if (name.digest.empty()) {
    name.tag = "latest";
  }
  if (text.empty()) return bad_format();
  name.repository = TRY(repository_of(text));
  if (name.repository.size() > name_bytes_max) {
    return Error::bad_request("repository name must not be more than 255 characters");
  }
  return name;
}

}  // namespace muster::agent
