// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/definition_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "objects/limits.h"
#include "objects/schema/formats.h"

namespace muster::objects {

namespace {

constexpr std::size_t selectable_fields_max = 8;
constexpr std::size_t deprecation_warning_bytes_max = 256;

void check_json_path(std::string_view text, const std::string& path, FieldErrors& errors) {
  if (!text.starts_with('.')) {
    errors.add(FieldError::invalid(path, Value::string(text),
                                   "must be a simple json path starting with ."));
  }
}

// One path of the scale subresource, which must be in one of these places.
void check_scale_path(View value, const std::string& path,
                      std::initializer_list<std::string_view> places, std::string_view complaint,
                      FieldErrors& errors) {
  const std::string_view text = value.string_or("");
  if (!text.starts_with('.')) return check_json_path(text, path, errors);
  for (const std::string_view place : places) {
    if (text.starts_with(place)) return;
  }
  errors.add(FieldError::invalid(path, value, std::string(complaint)));
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> known) {
  return std::find(known.begin(), known.end(), text) != known.end();
}

void check_column(View column, const std::string& path, FieldErrors& errors) {
  if (column["name"].string_or("").empty()) errors.add(FieldError::required(path + ".name"));
  constexpr std::string_view types = "must be one of boolean,date,integer,number,string";
  const std::string_view type = column["type"].string_or("");
  if (type.empty()) {
    errors.add(FieldError::required(path + ".type", std::string(types)));
  } else if (!is_one_of(type, {"boolean", "date", "integer", "number", "string"})) {
    errors.add(FieldError::invalid(path + ".type", column["type"], std::string(types)));
  }
  const std::string_view format = column["format"].string_or("");
  if (!format.empty() && !is_one_of(format, {"byte", "date", "date-time", "double", "float",
                                             "int32", "int64", "password"})) {
    errors.add(FieldError::invalid(
        path + ".format", column["format"],
        "must be one of byte,date,date-time,double,float,int32,int64,password"));
  }
  const std::string_view json_path = column["jsonPath"].string_or("");
  if (json_path.empty()) {
    errors.add(FieldError::required(path + ".JSONPath"));
  } else {
    check_json_path(json_path, path + ".JSONPath", errors);
  }
}

void check_url(std::string_view url, const std::string& path, FieldErrors& errors) {
  constexpr std::string_view form = "; desired format: https://host[/path]";
  const auto refuse = [&](std::string_view value, std::string detail) {
    errors.add(FieldError::invalid(path, Value::string(value), std::move(detail)));
  };
  const std::size_t colon = url.find("://");
  const std::string_view scheme = colon == std::string_view::npos ? "" : url.substr(0, colon);
  std::string_view rest = colon == std::string_view::npos ? url : url.substr(colon + 3);
  if (scheme != "https") {
    refuse(scheme, fmt::format("'https' is the only allowed URL scheme{}", form));
  }
  const std::size_t hash = rest.find('#');
  const std::string_view fragment =
      hash == std::string_view::npos ? std::string_view() : rest.substr(hash + 1);
  rest = rest.substr(0, hash);
  const std::size_t mark = rest.find('?');
  const std::string_view query =
      mark == std::string_view::npos ? std::string_view() : rest.substr(mark + 1);
  rest = rest.substr(0, mark);
  std::string_view host = rest.substr(0, rest.find('/'));
  const std::size_t user = host.rfind('@');
  const std::string_view person =
      user == std::string_view::npos ? std::string_view() : host.substr(0, user);
  if (user != std::string_view::npos) host.remove_prefix(user + 1);
  if (host.empty()) refuse("", fmt::format("host must be specified{}", form));
  if (!person.empty()) refuse(person, "user information is not permitted in the URL");
  if (!fragment.empty()) refuse(fragment, "fragments are not permitted in the URL");
  if (!query.empty()) refuse(query, "query parameters are not permitted in the URL");
}

void check_service_path(View path_value, const std::string& path, FieldErrors& errors) {
  const std::string_view text = path_value.string_or("");
  const auto refuse = [&](std::string detail) {
    errors.add(FieldError::invalid(path, path_value, std::move(detail)));
  };
  if (text.empty() || text == "/") return;
  if (!text.starts_with('/')) refuse("must start with a '/'");
  // Whatever it is, the first character is not a part of the first segment.
  std::string_view rest = text.substr(1);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  std::size_t index = 0;
  while (true) {
    const std::size_t slash = rest.find('/');
    const std::string_view segment = rest.substr(0, slash);
    if (segment.empty()) {
      refuse(fmt::format("segment[{}] may not be empty", index));
    } else {
      for (const std::string& sentence : dns_subdomain_violations(segment)) {
        refuse(fmt::format("segment[{}]: {}", index, sentence));
      }
    }
    ++index;
    if (slash == std::string_view::npos) return;
    rest.remove_prefix(slash + 1);
  }
}

void check_service(View service, const std::string& path, FieldErrors& errors) {
  if (service["name"].string_or("").empty()) errors.add(FieldError::required(path + ".name"));
  if (service["namespace"].string_or("").empty()) {
    errors.add(FieldError::required(path + ".namespace"));
  }
  const View port = service["port"];
  const std::int64_t number = port.integer_or(443);
  if (number < 1 || number > 65535) {
    errors.add(FieldError::invalid(path + ".port", port,
                                   "port is not valid: must be between 1 and 65535, inclusive"));
  }
  if (service["path"]) check_service_path(service["path"], path + ".path", errors);
}

void check_client(View client, const std::string& path, FieldErrors& errors) {
  if (!client) {
    errors.add(FieldError::required(path, "required when strategy is set to Webhook"));
    return;
  }
  const View url = client["url"];
  const View service = client["service"];
  if (static_cast<bool>(url) == static_cast<bool>(service)) {
    errors.add(FieldError::required(path, "exactly one of url or service is required"));
  } else if (url) {
    check_url(url.string_or(""), path + ".url", errors);
  } else {
    check_service(service, path + ".service", errors);
  }
}

void check_review_versions(View versions, const std::string& path, FieldErrors& errors) {
  if (versions.empty()) {
    errors.add(FieldError::required(path));
    return;
  }
  bool known = false;
  std::set<std::string_view> seen;
  std::size_t index = 0;
  for (View version : versions.elements()) {
    const std::string at = fmt::format("{}[{}]", path, index++);
    const std::string_view name = version.string_or("");
    if (!seen.insert(name).second) {
      errors.add(FieldError::invalid(at, version, "duplicate version"));
      continue;
    }
    for (const std::string& sentence : dns1035_label_violations(name)) {
      errors.add(FieldError::invalid(at, version, sentence));
    }
    known = known || name == "v1" || name == "v1beta1";
  }
  if (!known) {
    errors.add(FieldError::invalid(path, versions, "must include at least one of v1, v1beta1"));
  }
}

}  // namespace

std::string joined_sentences(const std::vector<std::string>& sentences) {
  return fmt::format("{}", fmt::join(sentences, ","));
}

void check_columns(View columns, const std::string& path, FieldErrors& errors) {
  std::size_t index = 0;
  for (View column : columns.elements()) {
    check_column(column, fmt::format("{}[{}]", path, index++), errors);
  }
}

void check_subresources(View subresources, const std::string& path, FieldErrors& errors) {
  const View scale = subresources["scale"];
  if (!scale) return;
  struct Needed {
    std::string_view field;
    std::string_view place;
    std::string_view complaint;
  };
  constexpr Needed needed[] = {
      {"specReplicasPath", ".spec.", "should be a json path under .spec"},
      {"statusReplicasPath", ".status.", "should be a json path under .status"},
  };
  for (const Needed& each : needed) {
    const std::string at = fmt::format("{}.scale.{}", path, each.field);
    if (scale[each.field].string_or("").empty()) {
      errors.add(FieldError::required(at));
    } else {
      check_scale_path(scale[each.field], at, {each.place}, each.complaint, errors);
    }
  }
  const View selector = scale["labelSelectorPath"];
  if (selector.string_or("").empty()) return;
  check_scale_path(selector, path + ".scale.labelSelectorPath", {".spec.", ".status."},
                   "should be a json path under either .spec or .status", errors);
}

SchemaPlace follow_field_path(View schema, std::string_view path, bool allow_brackets) {
  SchemaPlace place{.schema = schema, .complaint = {}, .steps = {}};
  const auto fail = [&](std::string complaint) {
    place.schema = {};
    place.complaint = std::move(complaint);
    return place;
  };
  while (!path.empty()) {
    std::string_view key;
    if (path.starts_with('[')) {
      if (!allow_brackets) return fail("array notation is not allowed");
      const std::size_t end = path.find("']");
      if (!path.starts_with("['") || end == std::string_view::npos) {
        return fail("expected single quoted text in brackets");
      }
      key = path.substr(2, end - 2);
      path.remove_prefix(end + 2);
    } else if (path.starts_with('.')) {
      const std::size_t end = std::min(path.find_first_of(".[", 1), path.size());
      key = path.substr(1, end - 1);
      path.remove_prefix(end);
    } else {
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      return fail(fmt::format("expected [ or . but got: {}", path.substr(0, end)));
    }
    const View property = place.schema["properties"][key];
    place.schema = property ? property : place.schema["additionalProperties"];
    if (!place.schema.is_object()) return fail("does not refer to a valid field");
    place.steps.emplace_back(key);
  }
  return place;
}

void check_selectable_fields(View fields, View schema, const std::string& path,
                             FieldErrors& errors) {
  std::set<std::vector<std::string>> seen;
  std::size_t index = 0;
  for (View field : fields.elements()) {
    const std::string at = fmt::format("{}[{}].jsonPath", path, index++);
    const View json_path = field["jsonPath"];
    if (json_path.string_or("").empty()) {
      errors.add(FieldError::required(at));
      continue;
    }
    const SchemaPlace place = follow_field_path(schema, json_path.string_or(""), false);
    if (!place.schema) {
      errors.add(FieldError::invalid(at, json_path,
                                     fmt::format("is an invalid path: {}", place.complaint)));
      continue;
    }
    if (!place.steps.empty() && place.steps.front() == "metadata") {
      errors.add(FieldError::invalid(at, json_path, "must not point to fields in metadata"));
    }
    if (!is_one_of(place.schema["type"].string_or(""), {"string", "boolean", "integer"})) {
      errors.add(FieldError::invalid(at, json_path,
                                     "must point to a field of type string, boolean or integer. "
                                     "Enum string fields and strings with formats are allowed."));
    }
    if (!seen.insert(place.steps).second) errors.add(FieldError::duplicate(at, json_path));
  }
  if (seen.size() > selectable_fields_max) {
    errors.add(FieldError::too_many(path, seen.size(), selectable_fields_max));
  }
}

void check_deprecation(View version, const std::string& path, FieldErrors& errors) {
  const View warning = version["deprecationWarning"];
  if (!warning) return;
  const std::string at = path + ".deprecationWarning";
  const auto refuse = [&](std::string detail) {
    errors.add(FieldError::invalid(at, warning, std::move(detail)));
  };
  const std::string_view text = warning.string_or("");
  if (!version["deprecated"].boolean_or(false)) {
    return refuse("can only be set for deprecated versions");
  }
  if (text.size() > deprecation_warning_bytes_max) refuse("must be <= 256 characters long");
  if (text.empty()) refuse("must not be an empty string");
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != 0x7f) continue;
    return refuse(
        fmt::format("must only contain printable UTF-8 characters; non-printable "
                    "character found at index {}",
                    i));
  }
}

void check_conversion(View conversion, const std::string& path, FieldErrors& errors) {
  if (!conversion) return;
  const View strategy = conversion["strategy"];
  const std::string_view name = strategy.string_or("");
  if (name.empty()) {
    errors.add(FieldError::required(path + ".strategy"));
  } else if (name != "None" && name != "Webhook") {
    const std::string supported[] = {"None", "Webhook"};
    errors.add(FieldError::not_supported(path + ".strategy", strategy, supported));
  }
  const View webhook = conversion["webhook"];
  const std::string client_path = path + ".webhookClientConfig";
  const std::string versions_path = path + ".conversionReviewVersions";
  if (name == "Webhook") {
    check_client(webhook["clientConfig"], client_path, errors);
    check_review_versions(webhook["conversionReviewVersions"], versions_path, errors);
    return;
  }
  constexpr std::string_view unwanted = "should not be set when strategy is not set to Webhook";
  if (webhook["clientConfig"]) {
    errors.add(FieldError::forbidden(client_path, std::string(unwanted)));
  }
  if (!webhook["conversionReviewVersions"].empty()) {
    errors.add(FieldError::forbidden(versions_path, std::string(unwanted)));
  }
}

}  // namespace muster::objects
