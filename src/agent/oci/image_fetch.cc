// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/image_fetch.h"

#include <fmt/format.h>

#include <utility>

#include "base/os/command.h"
#include "base/os/files.h"
#include "base/os/folders.h"
#include "base/sha256.h"

namespace muster::agent {

namespace {

constexpr std::string_view layout_tag = "image";

// Where skopeo finds an image: "docker://busybox:latest", "oci:folder:tag".
struct Source {
  std::string transport;
  bool is_plain = false;      // over a connection that nobody protects
  std::string authfile = {};  // empty: skopeo's own
};

Result<std::string> run_tool(const std::vector<std::string>& arguments, std::string_view purpose) {
  auto end = run_command(arguments);
  if (!end) {
    if (end.error().code == ErrorCode::not_found) {
      return missing_program(arguments.front(), purpose);
    }
    return end.error();
  }
  if (end->status.code == 0) return std::move(end->output);
  return Error{ErrorCode::unavailable, last_complaint(end->error)};
}

std::string blob_path(const std::string& layout, std::string_view digest) {
  return fmt::format("{}/blobs/sha256/{}", layout, digest.substr(digest.find(':') + 1));
}

// Leaves rootfs and config.json in the folder, and nothing else.
Result<StoredImage> fetch(const Source& source, const std::string& incoming) {
  const std::string layout = incoming + "/layout";
  std::vector<std::string> copy = {"skopeo", "--insecure-policy", "copy", "--quiet"};
  if (source.is_plain) copy.emplace_back("--src-tls-verify=false");
  if (!source.authfile.empty()) copy.push_back("--authfile=" + source.authfile);
  copy.push_back(source.transport);
  copy.push_back(fmt::format("oci:{}:{}", layout, layout_tag));
  TRY(run_tool(copy, "to fetch images"));
  const std::string list = TRY(read_whole_file(layout + "/index.json", image_document_bytes_max));
  const std::vector<LayoutEntry> index = TRY(parse_layout_index(list));
  if (index.size() != 1 || !is_sha256_digest(index.front().digest)) {
    return Error::internal("skopeo left a layout without an image");
  }
  const std::string text =
      TRY(read_whole_file(blob_path(layout, index.front().digest), image_document_bytes_max));
  const ImageManifest manifest = TRY(parse_image_manifest(text));
  const std::string config =
      TRY(read_whole_file(blob_path(layout, manifest.config_digest), image_document_bytes_max));
  TRY(parse_image_config(config));
  TRY(run_tool({"umoci", "raw", "unpack", "--image", fmt::format("{}:{}", layout, layout_tag),
                incoming + "/rootfs"},
               "to unpack images"));
  TRY(replace_file(incoming + "/config.json", config, Durable::yes));
  TRY(remove_folder_tree(layout));
  return StoredImage{.name = {}, .id = manifest.config_digest, .bytes = manifest.bytes};
}

Result<StoredImage> fetch_and_add(ImageStore& store, const Source& source, const ImageName& name,
                                  const std::string& digest, Instant now) {
  const std::string incoming = TRY(store.begin());
  auto fetched = fetch(source, incoming);
  if (!fetched) {
    static_cast<void>(remove_folder_tree(incoming));
    return fetched.error();
  }
  fetched->digest = digest;
  fetched->stored = now;
  return store.add(name, incoming, std::move(*fetched));
}

// What an archive holds, and how skopeo is told which of it.
struct Offer {
  std::string name;  // empty: it has none
  std::string transport;
};

Result<std::vector<Offer>> offers_of_layout(std::string_view transport, const std::string& path,
                                            const std::string& index) {
  std::vector<Offer> offers;
  const auto entries = TRY(parse_layout_index(index));
  for (const LayoutEntry& entry : entries) {
    // A word alone is a tag, as umoci gives it, and says nothing of the image.
    const bool is_name = entry.name.find_first_of("/:") != std::string::npos;
    offers.push_back({is_name ? entry.name : "",
                      entries.size() == 1 ? fmt::format("{}:{}", transport, path)
                                          : fmt::format("{}:{}:{}", transport, path, entry.name)});
  }
  return offers;
}

Result<std::vector<Offer>> offers_of(const std::string& path) {
  if (!path_exists(path)) {
    return Error{ErrorCode::not_found, fmt::format("{}: there is no such file or folder", path)};
  }
  if (path.find(':') != std::string::npos) {
    return Error::bad_request(fmt::format("{}: a path with a colon cannot be imported", path));
  }
  if (path_exists(path + "/.")) {
    auto index = read_whole_file(path + "/index.json", image_document_bytes_max);
    if (index) return offers_of_layout("oci", path, *index);
    return Error::bad_request(fmt::format(
        "{}: no image is in this folder: it has no index.json, as the OCI image layout wants it",
        path));
  }
  if (const auto list = run_command({"tar", "-xOf", path, "manifest.json"});
      list && list->status.code == 0) {
    std::vector<Offer> offers;
    for (const std::string& tag : TRY(parse_archive_tags(list->output))) {
      offers.push_back({tag, fmt::format("docker-archive:{}:{}", path, tag)});
    }
    if (offers.empty()) offers.push_back({"", "docker-archive:" + path});
    return offers;
  }
  const auto index = run_command({"tar", "-xOf", path, "index.json"});
  if (index && index->status.code == 0) return offers_of_layout("oci-archive", path, index->output);
  return Error::bad_request(fmt::format(
      "{}: no image is in this file: neither an archive of the OCI image layout nor one of "
      "`docker save`",
      path));
}

bool is_this_machine(std::string_view registry) {
  const std::string_view host = registry.substr(0, registry.rfind(':'));
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

std::string reference_of(const ImageName& name) {
  return "docker://" + name.to_string();
}

}  // namespace

Error missing_program(std::string_view program, std::string_view purpose) {
  return {ErrorCode::unavailable,
          fmt::format("{} is not installed, which Muster needs {}: "
                      "apt-get install --no-install-recommends runc skopeo umoci",
                      program, purpose)};
}

// skopeo logs `time="…" level=fatal msg="…"`, umoci a sentence; both end with what went wrong.
std::string last_complaint(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::string_view line = text.substr(text.rfind('\n') + 1);
  const std::size_t message = line.find("msg=\"");
  std::string said;
  if (message == std::string_view::npos) return std::string(line);
  line.remove_prefix(message + 5);
  for (std::size_t i = 0; i < line.size() && line[i] != '"'; ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) ++i;
    said += line[i];
  }
  // It says so of every image that it cannot look at, whatever the cause is.
  constexpr std::string_view misleading = "Error parsing image name \"";
  const std::size_t cause = said.find("\": ");
  if (said.starts_with(misleading) && cause != std::string::npos) said.erase(0, cause + 3);
  return said;
}

Result<StoredImage> pull_image(ImageStore& store, const ImageName& name,
                               const std::string& authfile, Instant now) {
  const Source source{reference_of(name), is_this_machine(name.registry()), authfile};
  std::vector<std::string> inspect = {"skopeo", "--insecure-policy", "inspect", "--raw"};
  if (source.is_plain) inspect.emplace_back("--tls-verify=false");
  if (!authfile.empty()) inspect.push_back("--authfile=" + authfile);
  inspect.push_back(source.transport);
  const std::string manifest = TRY(run_tool(inspect, "to fetch images"));
  const std::string digest = "sha256:" + hex(sha256(manifest));
  for (StoredImage& image : TRY(store.list())) {
    if (image.name == name.to_string() && image.digest == digest &&
        path_exists(image.root_folder)) {
      return std::move(image);
    }
  }
  return fetch_and_add(store, source, name, digest, now);
}

Result<std::vector<StoredImage>> import_images(ImageStore& store, const std::string& path,
                                               const std::optional<ImageName>& name, Instant now) {
  const std::vector<Offer> offers = TRY(offers_of(path));
  if (offers.empty()) return Error::bad_request(fmt::format("{}: it holds no image", path));
  if (name && offers.size() > 1) {
    return Error::bad_request(
        fmt::format("{} holds {} images: leave --name out and they keep their names", path,
                    offers.size()),
        "--name");
  }
  std::vector<StoredImage> images;
  for (const Offer& offer : offers) {
    if (!name && offer.name.empty()) {
      return Error::bad_request(fmt::format(
          "{} does not say what its image is called: muster image import {} --name NAME:TAG", path,
          path));
    }
    const ImageName called = name ? *name : TRY(parse_image_name(offer.name));
    images.push_back(TRY(fetch_and_add(store, {offer.transport}, called, "", now)));
  }
  return images;
}

}  // namespace muster::agent
