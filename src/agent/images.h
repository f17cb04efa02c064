// Images: where a node looks for the images of its pods, and how it gets those that it has not.
//
//   if (images.is_of_machine("muster.dev/demo")) …              // it runs on the machine's files
//   images.look_up("busybox", [](Result<ImageFacts> found) { … });   // not_found: it is not here
//   images.pull("busybox", credentials, [](Result<ImageFacts> pulled) { … });
//
// Assumes: the house thread; answers come there, never from inside a call. bad_request: that is no
// name of an image. unavailable: it is here, and this machine cannot run it; the sentence says why.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/oci/image_config.h"
#include "base/result.h"
#include "base/unique_function.h"

namespace muster::agent {

// An image of this machine, with all that decides how it is run.
struct ImageFacts {
  std::string name = {};         // in full
  std::string id = {};           // as a container's status has it
  std::string root_folder = {};  // its files
  bool is_imported = false;      // no registry knows it: nobody need be asked for a newer one
  std::int64_t bytes = 0;
  ImageConfig config = {};
  std::string users = {};   // the text of its /etc/passwd
  std::string groups = {};  // and of its /etc/group
};

// One image as a Node's status lists it.
struct NodeImage {
  std::vector<std::string> names;
  std::int64_t bytes = 0;
};

class Images {
 public:
  using Found = UniqueFunction<void(Result<ImageFacts>)>;

  virtual ~Images() = default;

  virtual bool is_of_machine(std::string_view image) const = 0;
  virtual void look_up(const std::string& image, Found found) = 0;
  // The credentials are docker's configuration (oci/registry_credentials.h); empty: none.
  virtual void pull(const std::string& image, const std::string& credentials, Found found) = 0;

  // What was here when somebody last looked; looks again for the next one who asks.
  virtual std::vector<NodeImage> list() = 0;
};

}  // namespace muster::agent
