// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/image_config.h"

#include <algorithm>

#include "agent/oci/image_name.h"
#include "base/checked.h"
#include "objects/json.h"
#include "objects/value.h"

namespace muster::agent {

namespace {

using objects::Value;
using objects::View;

Result<Value> document(std::string_view text) {
  return objects::parse_json(text, {.duplicate_keys = objects::DuplicateKeys::last_wins,
                                    .bytes_max = image_document_bytes_max});
}

Result<std::vector<std::string>> texts_of(View array, const char* field) {
  if (array.size() > image_entries_max) return Error::too_large("too many entries", field);
  std::vector<std::string> texts;
  for (const View each : array.elements()) {
    const auto text = each.string();
    if (!text || text->find('\0') != std::string_view::npos) {
      return Error::invalid("must be texts", field);
    }
    texts.emplace_back(*text);
  }
  return texts;
}

Result<std::string> text_of(View object, const char* key) {
  const std::string_view text = object[key].string_or("");
  if (text.find('\0') != std::string_view::npos) return Error::invalid("must be a text", key);
  return std::string(text);
}

}  // namespace

Result<ImageManifest> parse_image_manifest(std::string_view text) {
  const Value value = TRY(document(text));
  ImageManifest manifest{.config_digest = std::string(value["config"]["digest"].string_or(""))};
  if (!is_sha256_digest(manifest.config_digest)) {
    return Error::invalid("the manifest names no configuration: this is not an image");
  }
  const auto add = [&](View blob) {
    const std::int64_t bytes = std::max<std::int64_t>(0, blob["size"].integer_or(0));
    manifest.bytes = checked_add(manifest.bytes, bytes).value_or(manifest.bytes);
  };
  add(value["config"]);
  for (const View layer : value["layers"].elements()) add(layer);
  return manifest;
}

Result<ImageConfig> parse_image_config(std::string_view text) {
  const Value value = TRY(document(text));
  if (!value.view().is_object()) return Error::invalid("the configuration is no object");
  const View run = value["config"];
  ImageConfig config;
  config.entrypoint = TRY(texts_of(run["Entrypoint"], "config.Entrypoint"));
  config.command = TRY(texts_of(run["Cmd"], "config.Cmd"));
  for (const std::string& entry : TRY(texts_of(run["Env"], "config.Env"))) {
    const std::size_t equals = entry.find('=');
    if (equals == 0 || equals == std::string::npos) continue;
    config.environment.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
  }
  config.working_folder = TRY(text_of(run, "WorkingDir"));
  config.user = TRY(text_of(run, "User"));
  config.stop_signal = TRY(text_of(run, "StopSignal"));
  return config;
}

Result<std::vector<LayoutEntry>> parse_layout_index(std::string_view text) {
  const Value value = TRY(document(text));
  if (!value["manifests"].is_array()) return Error::invalid("index.json lists no manifests");
  if (value["manifests"].size() > image_entries_max) return Error::too_large("too many manifests");
  std::vector<LayoutEntry> entries;
  for (const View each : value["manifests"].elements()) {
    LayoutEntry entry{.digest = std::string(each["digest"].string_or(""))};
    for (const char* key : {"io.containerd.image.name", "org.opencontainers.image.ref.name"}) {
      if (entry.name.empty()) entry.name = each["annotations"][key].string_or("");
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::vector<std::string>> parse_archive_tags(std::string_view text) {
  const Value value = TRY(document(text));
  if (!value.view().is_array()) return Error::invalid("manifest.json is no list");
  std::vector<std::string> tags;
  for (const View image : value.view().elements()) {
    for (std::string& tag : TRY(texts_of(image["RepoTags"], "RepoTags"))) {
      tags.push_back(std::move(tag));
    }
  }
  return tags;
}

}  // namespace muster::agent
