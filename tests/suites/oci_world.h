// A world for containers that run from images: HostWorld, whose containers have busybox for a root
// instead of this machine's filesystem.
//
//   OciWorld world;                            // machine_has_runc() says whether it can
//   world.runtime().start(world.pod({"sh", "-c", "exit 3"}));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/os/command.h"
#include "tests/suites/host_world.h"

namespace muster::suites {

inline bool machine_has_runc() {
  return probe_isolation() == Isolation::full && find_program("runc") &&
         std::filesystem::exists("/bin/busybox");
}

// The files of an image: busybox under the names that tests use.
inline void make_busybox_root(const std::filesystem::path& root) {
  std::filesystem::create_directories(root / "bin");
  std::filesystem::create_directories(root / "etc");
  std::filesystem::create_directories(root / "tmp");
  std::filesystem::permissions(root / "tmp", std::filesystem::perms(01777));
  std::filesystem::copy_file("/bin/busybox", root / "bin" / "busybox");
  for (const char* name :
       {"sh",    "cat",   "echo",  "false", "hostname", "id",   "ip",     "kill",    "ls",
        "mkdir", "mknod", "mount", "nc",    "printenv", "ps",   "pwd",    "rm",      "sleep",
        "stty",  "tail",  "tar",   "test",  "touch",    "true", "tty",    "umount",  "unshare",
        "wget",  "yes",   "grep",  "head",  "wc",       "dd",   "setsid", "readlink"}) {
    std::filesystem::create_symlink("busybox", root / "bin" / name);
  }
  std::ofstream(root / "etc" / "passwd") << "root:x:0:0::/root:/bin/sh\n"
                                            "trainer:x:1000:100::/:/bin/sh\n";
  std::ofstream(root / "etc" / "group") << "root:x:0:\nusers:x:100:\nvideo:x:44:trainer\n";
}

class OciWorld final : public HostWorld {
 public:
  explicit OciWorld(bool bridged = false) : HostWorld(bridged, Isolation::full) {
    make_busybox_root(root());
  }

  std::filesystem::path root() const { return std::filesystem::path(folder()) / "image"; }

  agent::PodSpec pod(std::vector<std::string> arguments) override {
    agent::PodSpec spec = HostWorld::pod(std::move(arguments));
    spec.containers[0].image = "docker.io/library/busybox:latest";
    spec.containers[0].environment = {{"PATH", "/bin"}};
    spec.containers[0].image_run = {
        .root_folder = root().string(),
        .capabilities = {"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL",
                         "CAP_SETGID", "CAP_SETUID", "CAP_SETPCAP", "CAP_NET_BIND_SERVICE",
                         "CAP_NET_RAW", "CAP_SYS_CHROOT", "CAP_MKNOD", "CAP_AUDIT_WRITE",
                         "CAP_SETFCAP"}};
    return spec;
  }

  // The program is the first of its container: signals that it does not handle do not reach it.
  std::vector<std::string> arguments_of(PodProgram program) const override {
    if (program == PodProgram::runs_on) {
      return {"sh", "-c", "trap 'exit 143' TERM; echo ready; while :; do sleep 0.05; done"};
    }
    return HostWorld::arguments_of(program);
  }

  bool hears_signals_late(PodProgram program) const override {
    return program == PodProgram::runs_on || HostWorld::hears_signals_late(program);
  }

  agent::PodSpec spec(PodProgram program) override {
    agent::PodSpec made = HostWorld::spec(program);
    if (program == PodProgram::has_no_image) made.containers[0].image_run = {};
    return made;
  }
};

}  // namespace muster::suites
