// SPDX-License-Identifier: Apache-2.0
#include "cli/image.h"

#include <fmt/format.h>

#include <vector>

#include "agent/oci/image_fetch.h"
#include "agent/oci/image_store.h"
#include "agent/oci/registry_credentials.h"
#include "base/age.h"
#include "base/os/files.h"
#include "base/os/folders.h"
#include "base/os/process.h"
#include "base/os/system_clock.h"
#include "base/timestamp.h"
#include "cli/settings.h"
#include "cli/table_text.h"
#include "objects/builder.h"
#include "objects/json.h"

namespace muster::cli {

namespace {

using agent::ImageStore;
using agent::StoredImage;

constexpr std::size_t short_id_begin = 7;  // behind "sha256:"
constexpr std::size_t short_id_digits = 12;

Result<ImageStore> open_store(const ImageOptions& options) {
  const std::string data = TRY(data_folder(options.data));
  TRY(make_private_folder(data));
  return ImageStore(data + "/images", data + "/pods");
}

std::string short_id(const std::string& id) {
  return id.substr(short_id_begin, short_id_digits);
}

// As docker and crictl write it: 1.98MB.
std::string size_text(std::int64_t bytes) {
  constexpr std::int64_t thousand = 1000;
  if (bytes < thousand) return fmt::format("{}B", bytes);
  auto amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  constexpr std::string_view units = "BkMGTP";
  while (amount >= thousand && unit + 1 < units.size()) {
    amount /= thousand;
    ++unit;
  }
  return fmt::format("{:.3g}{}B", amount, units[unit]);
}

void tell_stored(const StoredImage& image, const Output& output) {
  output.out(
      fmt::format("{} is here: {}, {}\n", image.name, short_id(image.id), size_text(image.bytes)));
}

std::string json_text(const std::vector<StoredImage>& images) {
  objects::Builder builder;
  std::vector<objects::Node> nodes;
  for (const StoredImage& image : images) {
    const objects::Node pairs[] = {objects::Builder::literal("name"),
                                   builder.text(image.name),
                                   objects::Builder::literal("id"),
                                   builder.text(image.id),
                                   objects::Builder::literal("digest"),
                                   builder.text(image.digest),
                                   objects::Builder::literal("size"),
                                   objects::Builder::integer(image.bytes),
                                   objects::Builder::literal("stored"),
                                   builder.text(format_time(Timestamp::of(image.stored)))};
    nodes.push_back(builder.object_of_pairs(pairs));
  }
  const objects::Node pairs[] = {objects::Builder::literal("images"), builder.array(nodes)};
  const objects::Node root = builder.object_of_pairs(pairs);
  return objects::to_pretty_json(std::move(builder).finish(root));
}

}  // namespace

int image_import(const ImageOptions& options, const Output& output) {
  auto store = open_store(options);
  if (!store) return fail(output, store.error());
  std::optional<agent::ImageName> name;
  if (!options.name.empty()) {
    auto parsed = agent::parse_image_name(options.name);
    if (!parsed) {
      return fail(output, Error::bad_request(fmt::format("couldn't parse image name \"{}\": {}",
                                                         options.name, parsed.error().message),
                                             "--name"));
    }
    name = std::move(*parsed);
  }
  const auto path = canonical_path(options.path);
  const auto images =
      agent::import_images(*store, path.value_or(options.path), name, SystemClock().wall());
  if (!images) return fail(output, images.error());
  for (const StoredImage& image : *images) tell_stored(image, output);
  return exit_done;
}

namespace {

// What comes in by standard input is kept in memory only, under a path that skopeo can open.
struct Credentials {
  Descriptor memory;
  std::string path;
};

Result<Credentials> credentials_of(const std::string& authfile) {
  if (authfile != "-") return Credentials{Descriptor(), authfile};
  const std::string text = TRY(read_standard_input(agent::credentials_bytes_max));
  Descriptor memory = TRY(make_memory_file("credentials", text));
  std::string path = fmt::format("/proc/{}/fd/{}", process_id(), memory.number());
  return Credentials{std::move(memory), std::move(path)};
}

}  // namespace

int image_pull(const ImageOptions& options, const Output& output) {
  auto store = open_store(options);
  if (!store) return fail(output, store.error());
  const auto credentials = credentials_of(options.authfile);
  if (!credentials) return fail(output, credentials.error());
  const auto name = agent::parse_image_name(options.name);
  if (!name) {
    return fail(output, Error::bad_request(fmt::format("couldn't parse image name \"{}\": {}",
                                                       options.name, name.error().message)));
  }
  const auto image = agent::pull_image(*store, *name, credentials->path, SystemClock().wall());
  if (!image) {
    return fail(output,
                {image.error().code, fmt::format("failed to pull image \"{}\": {}",
                                                 name->to_string(), image.error().message)});
  }
  tell_stored(*image, output);
  return exit_done;
}

int image_list(const ImageOptions& options, const Output& output) {
  const auto store = open_store(options);
  if (!store) return fail(output, store.error());
  const auto images = store->list();
  if (!images) return fail(output, images.error());
  if (options.format == "json") {
    output.out(json_text(*images) + "\n");
    return exit_done;
  }
  if (images->empty()) {
    output.error("No images are here: muster image import FILE --name NAME:TAG\n");
    return exit_done;
  }
  const Instant now = SystemClock().wall();
  std::vector<std::vector<std::string>> rows = {{"IMAGE", "ID", "SIZE", "AGE"}};
  for (const StoredImage& image : *images) {
    rows.push_back(
        {image.name, short_id(image.id), size_text(image.bytes), human_age(image.stored, now)});
  }
  output.out(aligned_rows(rows));
  return exit_done;
}

int image_remove(const ImageOptions& options, const Output& output) {
  auto store = open_store(options);
  if (!store) return fail(output, store.error());
  if (const auto removed = store->remove(options.name); !removed) {
    return fail(output, removed.error());
  }
  output.out(fmt::format("{} is removed\n", options.name));
  return exit_done;
}

}  // namespace muster::cli
