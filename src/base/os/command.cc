// SPDX-License-Identifier: Apache-2.0
#include "base/os/command.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/os/folders.h"
#include "base/os/pipe.h"
#include "base/os/process.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

constexpr std::string_view usual_path =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// Both at once: a program that fills one pipe while nobody reads it would wait for ever.
void read_both(Pipe& output, Pipe& error, CommandEnd& end) {
  std::array<pollfd, 2> questions{};
  questions[0] = {.fd = output.read.number(), .events = POLLIN, .revents = 0};
  questions[1] = {.fd = error.read.number(), .events = POLLIN, .revents = 0};
  while (questions[0].fd >= 0 || questions[1].fd >= 0) {
    if (retry([&] { return ::poll(questions.data(), questions.size(), -1); }) < 0) return;
    for (std::size_t i = 0; i < questions.size(); ++i) {
      if (questions[i].fd < 0 || questions[i].revents == 0) continue;
      std::string& into = i == 0 ? end.output : end.error;
      if (!read_available(i == 0 ? output.read : error.read, into)) questions[i].fd = -1;
      if (into.size() > command_output_bytes_max) into.resize(command_output_bytes_max);
    }
  }
}

}  // namespace

Result<std::string> find_program(std::string_view name) {
  const std::string path =
      fmt::format("{}:{}", environment_variable("PATH").value_or(""), usual_path);
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string candidate = fmt::format("{}/{}", path.substr(begin, end - begin), name);
    if (end > begin && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    begin = end + 1;
  }
  return Error{ErrorCode::not_found, fmt::format("the program {} is not installed", name)};
}

Result<CommandEnd> run_command(const std::vector<std::string>& arguments) {
  Pipe output = TRY(make_pipe());
  Pipe error = TRY(make_pipe());
  const Descriptor null = TRY(open_null());
  const std::string program = TRY(find_program(arguments.front()));
  SpawnOptions options{
      .program = program, .arguments = arguments, .environment = own_environment()};
  options.descriptors = {{null.number(), 0}, {output.write.number(), 1}, {error.write.number(), 2}};
  ChildProcess child = TRY(ChildProcess::spawn(options));
  output.write = Descriptor();
  error.write = Descriptor();
  CommandEnd end;
  read_both(output, error, end);
  end.status = child.reap_wait();
  return end;
}

}  // namespace muster
