// VolumeFiles: where the files of pods' volumes are written. The house thread does not block, so
// the answer comes later.
//
//   files.write(plan.volumes, [](Result<> written) { … });
//   files.discard("/data/pods/<uid>");        // a pod that was prepared and never started
//
// Assumes: called on the house thread, answers come there, never from inside the call. The folder
// of a pod that was started belongs to its runtime, whose remove() takes it away.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "agent/volumes.h"
#include "base/executor.h"
#include "base/result.h"
#include "base/unique_function.h"

namespace muster::agent {

class VolumeFiles {
 public:
  using Written = UniqueFunction<void(Result<>)>;

  virtual ~VolumeFiles() = default;

  // False: nobody will ever read what is written, and it need not be known.
  virtual bool are_read() const { return true; }

  // Also for a pod that runs: what is there already and the same stays.
  virtual void write(std::vector<VolumeContents> volumes, Written written) = 0;
  virtual void discard(std::string folder) = 0;

  // What the files below each of the folders take; no answer comes where nobody reads them.
  using Measured = UniqueFunction<void(std::vector<std::uint64_t>)>;
  virtual void measure(std::vector<std::string> folders, Measured measured) = 0;
};

// For pretend pods, which look at no files.
class NoVolumeFiles final : public VolumeFiles {
 public:
  explicit NoVolumeFiles(Executor& house) : house_(house) {}

  bool are_read() const override { return false; }
  void write(std::vector<VolumeContents> /*volumes*/, Written written) override {
    house_.post([written = std::move(written)]() mutable { written({}); });
  }
  void discard(std::string /*folder*/) override {}
  void measure(std::vector<std::string> /*folders*/, Measured /*measured*/) override {}

 private:
  Executor& house_;
};

}  // namespace muster::agent
