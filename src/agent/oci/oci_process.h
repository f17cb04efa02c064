// OciProcess: a container that runc makes from a bundle and leaves behind as a child of this
// process. One program a start: `runc run --detach`, which goes away when the container runs.
//
//   auto process = TRY(OciProcess::start({.root = …, .bundle = …, .id = "main"}, streams));
//
// Assumes: this process adopts orphans and is in the namespaces that the container shall share.
// runc's own notes about it lie in `root`, which whoever made it takes away.
//
//   runc runs ──► it ended well: the container is ours ──► it has ended
//        └────── it says why not
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/container_process.h"
#include "base/os/child_process.h"
#include "base/os/descriptor.h"
#include "base/result.h"

namespace muster::agent {

struct OciStart {
  std::string root;    // runc's folder
  std::string bundle;  // holds config.json; ours to write in
  std::string id;      // of the container in `root`
  bool has_terminal = false;
};

// None for the output: the terminal has it.
struct OciStreams {
  Descriptor input = Descriptor();
  Descriptor output = Descriptor();
  Descriptor error = Descriptor();
};

class OciProcess final : public ContainerProcess {
 public:
  static Result<std::unique_ptr<OciProcess>> start(OciStart start, const OciStreams& streams);

  std::int64_t process_id() const override { return container_ ? container_->id() : 0; }
  void release() override {}
  int ready_descriptor() const override { return -1; }
  int started_descriptor() const override { return runc_.descriptor(); }
  std::optional<StartFailure> take_start() override;
  int ended_descriptor() const override { return container_ ? container_->descriptor() : -1; }
  ExitStatus take_end() override { return container_->reap_wait(); }
  void ask_to_end(int signal) override;
  void kill_tree() override;

  // The master of its terminal, once, after its start.
  Descriptor take_terminal() { return std::move(terminal_); }

 private:
  OciProcess(OciStart start, ChildProcess runc)
      : start_(std::move(start)), runc_(std::move(runc)) {}

  Result<> take_over();

  OciStart start_;
  ChildProcess runc_;
  std::optional<ChildProcess> container_;
  Descriptor console_;  // where runc sends the terminal
  Descriptor folder_;   // by which it finds that place
  Descriptor terminal_;
  int waiting_signal_ = 0;
};

// What `muster enter` runs to visit the container: a command in it, by its own rights.
std::vector<std::string> oci_visit_arguments(const OciStart& start, const std::string& process_file,
                                             const std::string& log,
                                             const std::vector<std::string>& command);

// What runc complained about in its log, one JSON object a line; empty: nothing.
std::string runc_complaint(std::string_view log);

}  // namespace muster::agent
