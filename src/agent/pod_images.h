// PodImages: the images of one pod's containers, by their pull policies: looked up, pulled where
// they are not here, tried again after pauses that grow, all in a kubelet's words.
//
//   PodImages images(desk, house, events, [this] { sync(); });   // something came, or failed
//   if (!images.ensure(pod, find_secret)) …images.waits()        // why, by container
//   surroundings.images = images.facts();
//
//   unknown ──► looking ──► here
//                  │  ▲ └─► absent (Never) ── look again ──┐
//                  │  └───────────────────────────────────┤
//                  └─► pulling ──► here                     │
//                         └─► failed: ErrImagePull, then ImagePullBackOff
//
// Assumes: the house thread. Who waits for an image that somebody imports meanwhile has it soon.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "agent/images.h"
#include "agent/oci/registry_credentials.h"
#include "agent/pod_events.h"
#include "agent/pod_status.h"
#include "base/instant.h"
#include "base/unique_function.h"
#include "client/lifeline.h"
#include "client/list_watch.h"
#include "objects/value.h"

namespace muster::agent {

class PodImages {
 public:
  // No images: everything runs on the machine's own files, or only pretends to run.
  PodImages(Images* images, client::House house, PodEvents& events,
            UniqueFunction<void()> on_change)
      : images_(images), house_(house), events_(events), on_change_(std::move(on_change)) {}

  using FindSecret = std::function<objects::Value(const std::string& name)>;

  // Whether every image is here; asks for what is missing or due. The pod is the newest; its
  // Secrets are looked up when something is to be pulled.
  bool ensure(const objects::Value& pod, FindSecret find_secret);

  // By container; those that run on the machine's own files are not among them.
  std::map<std::string, ImageFacts, std::less<>> facts() const;
  std::map<std::string, Waiting, std::less<>> waits() const;

  // When to look again: nothing to do before.
  std::optional<MonotonicInstant> due() const;

  // Whether it was told already that this container's image was pulled. Once.
  bool take_pulled(std::string_view container);

 private:
  enum class Stage : std::uint8_t { unknown, looking, pulling, here, failed };
  struct Image {
    Stage stage = Stage::unknown;
    std::string name = {};
    std::string policy = {};
    ImageFacts facts = {};
    Waiting waiting = {};
    std::string cause = {};  // of the last failure
    int failures = 0;
    MonotonicInstant pull_at = {};      // not before
    MonotonicInstant look_at = {};      // when to look again
    MonotonicInstant back_off_at = {};  // when it is said to back off
    MonotonicInstant begun = {};        // of the pull
    bool is_told = false;               // that it was pulled
  };

  void look(const objects::Value& pod, const std::string& container);
  void on_found(const objects::Value& pod, const std::string& container, Result<ImageFacts> found);
  void pull(const objects::Value& pod, const std::string& container);
  void on_pulled(const objects::Value& pod, const std::string& container,
                 Result<ImageFacts> pulled);
  void fail(const objects::Value& pod, const std::string& container, std::string reason,
            std::string message);
  void back_off(const objects::Value& pod, const std::string& container);
  MonotonicInstant now() const { return house_.clock.monotonic(); }

  Images* images_;
  client::House house_;
  PodEvents& events_;
  UniqueFunction<void()> on_change_;
  FindSecret find_secret_;
  std::map<std::string, Image, std::less<>> found_;  // by container
  client::Lifeline lifeline_;
};

}  // namespace muster::agent
