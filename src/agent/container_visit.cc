// SPDX-License-Identifier: Apache-2.0
#include "agent/container_visit.h"

#include <fmt/format.h>

#include <utility>

#include "agent/enter.h"
#include "base/os/pipe.h"

namespace muster::agent {

// Standard input that nobody writes to ends at once.
Result<RelayEnds> begin_visit(const VisitWish& wish) {
  Pipe input = TRY(make_pipe());
  Pipe output = TRY(make_pipe());
  Pipe error = TRY(make_pipe());
  Pipe status = TRY(make_pipe());
  Pipe control = TRY(make_pipe());
  SpawnOptions options{
      .program = "/proc/self/exe",
      .arguments = {"muster", "enter", wish.folder, wish.container, fmt::to_string(wish.process_id),
                    wish.has_terminal ? "terminal" : "plain"}};
  options.arguments.insert(options.arguments.end(), wish.command.begin(), wish.command.end());
  options.descriptors = {{input.read.number(), 0},
                         {output.write.number(), 1},
                         {error.write.number(), 2},
                         {status.write.number(), enter_status_descriptor},
                         {control.read.number(), enter_control_descriptor}};
  options.new_session = true;
  RelayEnds ends{.output = std::move(output.read),
                 .error = std::move(error.read),
                 .control = std::move(control.write),
                 .status = std::move(status.read)};
  if (wish.has_input) ends.input = std::move(input.write);
  ends.child = TRY(ChildProcess::spawn(options));
  return ends;
}

}  // namespace muster::agent
