// ImageDesk: the images of this machine's store for the agent of its nodes. Files are read on the
// machine's loop, and an image is pulled by a process of its own (`muster image pull`), which may
// take as long as it takes.
//
//   ImageDesk images(house, machine, {.data = data, .host_images = "muster.dev/*"});
//
// Assumes: house and machine outlive it, and the machine has stopped when it is destroyed; a pull
// that runs then runs on, and the next platform finds what it brought.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/host_images.h"
#include "agent/images.h"
#include "agent/oci/image_store.h"
#include "base/executor.h"
#include "base/os/child_process.h"
#include "base/os/poll_loop.h"

namespace muster::agent {

struct ImageDeskOptions {
  std::string data;              // holds images/ and pods/
  std::string host_images = {};  // --host-images
  std::string cannot_run = {};   // why this machine runs no images; empty: it does
  // What pulls an image, its name excepted.
  std::vector<std::string> pull_command = {"/proc/self/exe", "image", "pull"};
};

class ImageDesk final : public Images {
 public:
  ImageDesk(Executor& house, PollLoop& machine, ImageDeskOptions options);
  ~ImageDesk() override;

  bool is_of_machine(std::string_view image) const override { return host_images_.match(image); }
  void look_up(const std::string& image, Found found) override;
  void pull(const std::string& image, const std::string& credentials, Found found) override;
  std::vector<NodeImage> list() override;

 private:
  // What the machine's tasks tell the house; gone when the desk is.
  struct House {
    std::map<std::string, std::vector<Found>, std::less<>> pulls;  // under way, by key
    std::vector<NodeImage> images;
  };
  struct Pull;
  // Whoever wants the same with the same credentials waits for the same pull.
  struct Wish {
    ImageName name;
    std::string image;  // as the pod has it
    std::string credentials;
    std::string key;
  };

  Result<ImageFacts> facts_of(const ImageName& name) const;
  void answer(Found found, Result<ImageFacts> facts) const;
  void begin_pull(const Wish& wish);
  Result<> spawn_pull(const Wish& wish);
  void end_pull(const Wish& wish, Pull& pull);
  void finish_pull(const std::string& key, Result<ImageFacts> facts);

  Executor& executor_;
  PollLoop& machine_;
  const ImageDeskOptions options_;
  const HostImages host_images_;
  const ImageStore store_;
  std::shared_ptr<House> house_;
  std::map<std::string, std::unique_ptr<Pull>, std::less<>> processes_;  // on the machine
};

}  // namespace muster::agent
