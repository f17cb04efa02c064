// DiskVolumeFiles: the files of volumes on this machine's disk, written on the disk's background
// lane, away from the house thread.
//
//   DiskVolumeFiles files(disk, house);
//
// Assumes: disk and house outlive it. Volumes are not synced: a machine that lost power starts its
// pods anew and writes them again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "agent/volume_files.h"
#include "base/disk.h"

namespace muster::agent {

class DiskVolumeFiles final : public VolumeFiles {
 public:
  DiskVolumeFiles(Disk& disk, Executor& house) : disk_(disk), house_(house) {}

  void write(std::vector<VolumeContents> volumes, Written written) override;
  void discard(std::string folder) override;
  void measure(std::vector<std::string> folders, Measured measured) override;

 private:
  Disk& disk_;
  Executor& house_;
};

}  // namespace muster::agent
