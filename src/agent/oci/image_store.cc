// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/image_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "agent/pod_folder.h"
#include "agent/shim_protocol.h"
#include "base/os/detached_process.h"
#include "base/os/files.h"
#include "base/os/folders.h"
#include "base/os/process.h"
#include "objects/builder.h"
#include "objects/json.h"

namespace muster::agent {

namespace {

using objects::Builder;
using objects::Node;
using objects::View;

constexpr std::size_t names_bytes_max = std::size_t{16} << 20;
constexpr std::string_view incoming_prefix = "incoming-";
constexpr std::string_view removed_prefix = "removed-";
constexpr std::string_view nameless_prefix = "<none>@";
constexpr Span lock_patience = Span::of_seconds(60);
constexpr Span lock_look_every = Span::of_milliseconds(5);
constexpr std::size_t digest_prefix_bytes = 7;  // "sha256:"

std::string names_path(const std::string& folder) {
  return folder + "/names.json";
}

Node image_node(Builder& builder, const StoredImage& image) {
  const std::pair<std::string_view, Node> members[] = {
      {"name", builder.text(image.name)},
      {"id", builder.text(image.id)},
      {"digest", builder.text(image.digest)},
      {"bytes", Builder::integer(image.bytes)},
      {"stored", Builder::integer(image.stored.nanoseconds)}};
  std::vector<Node::Member> list;
  for (const auto& [key, value] : members) list.push_back({Builder::literal(key), value});
  return builder.object(list);
}

bool is_named(const StoredImage& image, const ImageName& name) {
  if (image.name == name.to_string()) return true;
  // What was pulled by its tag is there under its digest as well.
  return !name.digest.empty() && image.digest == name.digest &&
         image.name.starts_with(name.repository) &&
         image.name.find_first_of(":@", name.registry().size() + 1) == name.repository.size();
}

void remove_abandoned(const std::string& folder) {
  const auto names = names_in_folder(folder);
  if (!names) return;
  for (const std::string& name : *names) {
    const bool is_temporary = name.starts_with(incoming_prefix) || name.starts_with(removed_prefix);
    if (!is_temporary) continue;
    std::int64_t process = 0;
    const std::string_view number = std::string_view(name).substr(name.find('-') + 1);
    std::from_chars(number.data(), number.data() + number.size(), process);
    if (process != process_id() && process_exists(process)) continue;
    static_cast<void>(remove_folder_tree(fmt::format("{}/{}", folder, name)));
  }
}

}  // namespace

std::string StoredImage::image_id() const {
  if (digest.empty()) return id;
  const auto parsed = parse_image_name(name);
  return parsed ? parsed->repository + "@" + digest : id;
}

std::string ImageStore::folder_of(std::string_view id) const {
  return fmt::format("{}/{}", folder_, id.substr(std::min(id.size(), digest_prefix_bytes)));
}

Result<std::vector<StoredImage>> ImageStore::list() const {
  std::vector<StoredImage> images;
  const auto text = read_whole_file(names_path(folder_), names_bytes_max);
  if (!text) {
    if (text.error().code == ErrorCode::not_found) return images;
    return text.error();
  }
  const objects::Value value = TRY(objects::parse_json(*text, {.bytes_max = names_bytes_max}));
  for (const View each : value["images"].elements()) {
    StoredImage image{.name = std::string(each["name"].string_or("")),
                      .id = std::string(each["id"].string_or("")),
                      .digest = std::string(each["digest"].string_or("")),
                      .bytes = each["bytes"].integer_or(0),
                      .stored = {each["stored"].integer_or(0)}};
    if (!is_sha256_digest(image.id)) continue;
    image.root_folder = folder_of(image.id) + "/rootfs";
    images.push_back(std::move(image));
  }
  return images;
}

Result<std::optional<StoredImage>> ImageStore::find(const ImageName& name) const {
  for (StoredImage& image : TRY(list())) {
    if (is_named(image, name)) return std::optional(std::move(image));
  }
  return std::optional<StoredImage>();
}

Result<ImageConfig> ImageStore::config(const StoredImage& image) const {
  const std::string text =
      TRY(read_whole_file(folder_of(image.id) + "/config.json", image_document_bytes_max));
  return parse_image_config(text);
}

Result<std::string> ImageStore::begin() {
  TRY(make_folders(folder_));
  remove_abandoned(folder_);
  for (const StoredImage& image : TRY(list())) {
    if (image.name.starts_with(nameless_prefix)) static_cast<void>(remove(image.id));
  }
  std::string incoming = fmt::format("{}/{}{}", folder_, incoming_prefix, process_id());
  TRY(make_folders(incoming));
  return incoming;
}

// Whoever holds it only renames.
Result<Descriptor> ImageStore::lock() const {
  TRY(make_folders(folder_));
  for (Span waited; waited < lock_patience; waited = waited + lock_look_every) {
    auto lock = lock_file(folder_ + "/lock");
    if (lock || lock.error().code != ErrorCode::conflict) return lock;
    pause_thread(lock_look_every);
  }
  return Error{ErrorCode::timeout,
               fmt::format("somebody has held the lock {}/lock for a minute", folder_)};
}

Result<> ImageStore::save(std::vector<StoredImage> images) const {
  std::sort(images.begin(), images.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  Builder builder;
  std::vector<Node> nodes;
  nodes.reserve(images.size());
  for (const StoredImage& image : images) nodes.push_back(image_node(builder, image));
  const Node::Member member{Builder::literal("images"), builder.array(nodes)};
  const Node root = builder.object({&member, 1});
  return replace_file(names_path(folder_), objects::to_json(std::move(builder).finish(root)),
                      Durable::yes);
}

Result<StoredImage> ImageStore::add(const ImageName& name, const std::string& incoming,
                                    StoredImage image) {
  image.name = name.to_string();
  const Descriptor held = TRY(lock());
  const std::string folder = folder_of(image.id);
  if (path_exists(folder)) {
    TRY(remove_folder_tree(incoming));
  } else {
    TRY(rename_file(incoming, folder));
  }
  image.root_folder = folder + "/rootfs";
  std::vector<StoredImage> images = TRY(list());
  for (StoredImage& each : images) {
    // A pod may run on what had this name; the next fetch takes it away.
    if (each.name == image.name) each.name = fmt::format("{}{}", nameless_prefix, each.id);
  }
  std::erase_if(images, [&](const StoredImage& each) {
    return each.name.starts_with(nameless_prefix) &&
           (each.id == image.id ||
            std::any_of(images.begin(), images.end(), [&](const auto& other) {
              return other.id == each.id && !other.name.starts_with(nameless_prefix);
            }));
  });
  if (images.size() >= stored_images_max) return Error::too_large("the store has too many images");
  images.push_back(image);
  TRY(save(std::move(images)));
  return image;
}

Result<> ImageStore::remove(std::string_view name_or_id) {
  const bool is_id = is_sha256_digest(name_or_id);
  const ImageName name = is_id ? ImageName{} : TRY(parse_image_name(name_or_id));
  const Descriptor held = TRY(lock());
  std::vector<StoredImage> images = TRY(list());
  const auto found = std::find_if(images.begin(), images.end(), [&](const StoredImage& each) {
    return is_id ? each.id == name_or_id : is_named(each, name);
  });
  if (found == images.end()) {
    return Error{ErrorCode::not_found,
                 fmt::format("no image {} is here: `muster image list` says which are",
                             is_id ? std::string(name_or_id) : name.to_string())};
  }
  const StoredImage image = *found;
  std::erase_if(images, [&](const StoredImage& each) {
    return is_id ? each.id == image.id : each.name == image.name;
  });
  const bool is_last = std::none_of(images.begin(), images.end(),
                                    [&](const auto& each) { return each.id == image.id; });
  if (!is_last) return save(std::move(images));
  const std::string folder = folder_of(image.id);
  const std::string away = fmt::format("{}/{}{}", folder_, removed_prefix, process_id());
  TRY(remove_folder_tree(away));
  // Renamed before anybody is asked whether he uses it: a pod that is written down after the
  // question finds it gone, and one that was written down before is found.
  if (path_exists(folder)) TRY(rename_file(folder, away));
  if (const auto user = pod_that_uses(image.root_folder, pods_folder_)) {
    if (path_exists(away)) TRY(rename_file(away, folder));
    return Error{ErrorCode::conflict, fmt::format("{} is in use: {}", image.name, *user)};
  }
  TRY(save(std::move(images)));
  return remove_folder_tree(away);
}

std::optional<std::string> pod_that_uses(const std::string& root_folder,
                                         const std::string& pods_folder) {
  for (const std::string& uid : names_in_folder(pods_folder).value_or(std::vector<std::string>{})) {
    const std::string folder = fmt::format("{}/{}", pods_folder, uid);
    const auto text = read_whole_file(pod_folder::spec_path(folder), shim_file_bytes_max);
    if (!text || text->find(root_folder) == std::string::npos) continue;
    const auto spec = parse_shim_spec(*text);
    if (!spec) continue;
    const auto state = read_whole_file(pod_folder::state_path(folder), shim_file_bytes_max);
    const auto parsed = state ? parse_shim_state(*state) : Result<ShimState>(ShimState{});
    if (parsed && parsed->has_ended() && parsed->is_stopped) continue;
    return fmt::format("pod {}/{} runs on it; delete the pod first", spec->pod.name_space,
                       spec->pod.name);
  }
  return std::nullopt;
}

}  // namespace muster::agent
