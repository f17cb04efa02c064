// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/image_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/os/container_mounts.h"
#include "base/os/folders.h"
#include "base/os/pipe.h"
#include "base/os/process.h"
#include "base/sha256.h"

namespace muster::agent {

namespace {

constexpr std::size_t users_bytes_max = std::size_t{1} << 20;
constexpr std::size_t complaint_bytes_max = 4096;
constexpr std::size_t node_images_max = 50;  // as many as a kubelet tells of

// Large ones first, each once, with all its names; what has lost its name runs out.
std::vector<NodeImage> node_images_of(const std::vector<StoredImage>& stored) {
  std::map<std::string, NodeImage> by_id;
  for (const StoredImage& image : stored) {
    if (image.name.starts_with('<')) continue;
    NodeImage& made = by_id[image.id];
    made.bytes = image.bytes;
    if (!image.digest.empty()) made.names.push_back(image.image_id());
    if (made.names.empty() || made.names.back() != image.name) made.names.push_back(image.name);
  }
  std::vector<NodeImage> list;
  list.reserve(by_id.size());
  for (auto& [id, image] : by_id) list.push_back(std::move(image));
  std::stable_sort(list.begin(), list.end(),
                   [](const NodeImage& a, const NodeImage& b) { return a.bytes > b.bytes; });
  if (list.size() > node_images_max) list.resize(node_images_max);
  return list;
}

// `muster: failed to pull image "…": …`, of which the last part is the cause.
std::string cause_of(std::string_view complaint) {
  while (complaint.ends_with('\n')) complaint.remove_suffix(1);
  const std::size_t cause = complaint.find("\": ");
  if (cause != std::string_view::npos) complaint.remove_prefix(cause + 3);
  return complaint.empty() ? "the pull was killed" : std::string(complaint);
}

}  // namespace

struct ImageDesk::Pull {
  ChildProcess child;
  Descriptor error;
  WatchId watch = {};
};

ImageDesk::ImageDesk(Executor& house, PollLoop& machine, ImageDeskOptions options)
    : executor_(house),
      machine_(machine),
      options_(std::move(options)),
      host_images_(options_.host_images),
      store_(options_.data + "/images", options_.data + "/pods"),
      house_(std::make_shared<House>()) {
  if (const auto stored = store_.list()) house_->images = node_images_of(*stored);
}

ImageDesk::~ImageDesk() {
  for (const auto& [name, pull] : processes_) machine_.unwatch(pull->watch);
}

void ImageDesk::answer(Found found, Result<ImageFacts> facts) const {
  executor_.post([alive = std::weak_ptr<House>(house_), found = std::move(found),
                  facts = std::move(facts)]() mutable {
    if (alive.lock()) found(std::move(facts));
  });
}

Result<ImageFacts> ImageDesk::facts_of(const ImageName& name) const {
  const auto stored = TRY(store_.find(name));
  if (!stored || !path_exists(stored->root_folder)) {
    return Error{ErrorCode::not_found, fmt::format("no image {} is here", name.to_string())};
  }
  if (!options_.cannot_run.empty()) return Error{ErrorCode::unavailable, options_.cannot_run};
  ImageFacts facts{.name = stored->name,
                   .id = stored->image_id(),
                   .root_folder = stored->root_folder,
                   .is_imported = stored->digest.empty(),
                   .bytes = stored->bytes};
  facts.config = TRY(store_.config(*stored));
  facts.users = read_file_in_root(stored->root_folder, "etc/passwd", users_bytes_max).value_or("");
  facts.groups = read_file_in_root(stored->root_folder, "etc/group", users_bytes_max).value_or("");
  return facts;
}

void ImageDesk::look_up(const std::string& image, Found found) {
  auto name = parse_image_name(image);
  if (!name) return answer(std::move(found), name.error());
  machine_.post([this, name = std::move(*name), found = std::move(found)]() mutable {
    answer(std::move(found), facts_of(name));
  });
}

// Two that want the same wait for one.
void ImageDesk::pull(const std::string& image, const std::string& credentials, Found found) {
  auto name = parse_image_name(image);
  if (!name) return answer(std::move(found), name.error());
  std::string key = fmt::format("{} {}", name->to_string(), hex(sha256(credentials)));
  auto& waiting = house_->pulls[key];
  waiting.push_back(std::move(found));
  if (waiting.size() > 1) return;
  machine_.post([this, wish = Wish{std::move(*name), image, credentials, std::move(key)}] {
    begin_pull(wish);
  });
}

void ImageDesk::begin_pull(const Wish& wish) {
  if (const auto begun = spawn_pull(wish); !begun) finish_pull(wish.key, begun.error());
}

// Credentials go through a pipe, which holds all of them: they stand on no disk and in no list of
// processes.
Result<> ImageDesk::spawn_pull(const Wish& wish) {
  Pipe error = TRY(make_pipe());
  Pipe input = TRY(make_pipe());
  const Descriptor null = TRY(open_null());
  SpawnOptions options{.program = options_.pull_command.front(),
                       .arguments = options_.pull_command,
                       .environment = own_environment()};
  options.arguments.insert(options.arguments.end(), {"--data", options_.data});
  if (!wish.credentials.empty()) {
    options.arguments.insert(options.arguments.end(), {"--authfile", "-"});
    const std::size_t taken = TRY(write_available(input.write, wish.credentials));
    if (taken < wish.credentials.size()) return Error::internal("the credentials are too long");
  }
  options.arguments.push_back(wish.name.to_string());
  options.descriptors = {{input.read.number(), 0}, {null.number(), 1}, {error.write.number(), 2}};
  options.new_session = true;
  ChildProcess child = TRY(ChildProcess::spawn(options));
  auto pull = std::make_unique<Pull>(Pull{std::move(child), std::move(error.read)});
  Pull& made = *pull;
  made.watch = machine_.watch(made.child.descriptor(), Interest::readable,
                              [this, wish, &made] { end_pull(wish, made); });
  processes_.emplace(wish.key, std::move(pull));
  return {};
}

void ImageDesk::end_pull(const Wish& wish, Pull& pull) {
  const auto status = pull.child.reap();
  if (!status) return;
  machine_.unwatch(pull.watch);
  std::string complaint;
  while (complaint.size() < complaint_bytes_max && read_available(pull.error, complaint)) {
    if (complaint.ends_with('\n')) break;
  }
  processes_.erase(wish.key);
  if (status->code == 0) return finish_pull(wish.key, facts_of(wish.name));
  finish_pull(
      wish.key,
      Error{
          ErrorCode::not_found,
          fmt::format("failed to pull and unpack image \"{}\": {}; an image that is no registry's "
                      "comes here by `muster image import FILE --name {}`, and one of this "
                      "machine's own files by `muster up --host-images '{}'`",
                      wish.name.to_string(), cause_of(complaint), wish.image, wish.image)});
}

void ImageDesk::finish_pull(const std::string& key, Result<ImageFacts> facts) {
  executor_.post([alive = std::weak_ptr<House>(house_), key, facts = std::move(facts)] {
    const auto here = alive.lock();
    if (here == nullptr) return;
    auto waiting = std::move(here->pulls[key]);
    here->pulls.erase(key);
    for (Found& found : waiting) found(facts);
  });
}

std::vector<NodeImage> ImageDesk::list() {
  machine_.post([this, alive = std::weak_ptr<House>(house_)] {
    const auto stored = store_.list();
    if (!stored) return;
    executor_.post([alive, images = node_images_of(*stored)]() mutable {
      if (const auto here = alive.lock()) here->images = std::move(images);
    });
  });
  return house_->images;
}

}  // namespace muster::agent
