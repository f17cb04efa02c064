// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/oci_process.h"

#include <fmt/format.h>

#include <charconv>

#include "agent/oci/image_fetch.h"
#include "base/os/command.h"
#include "base/os/files.h"
#include "base/os/folders.h"
#include "base/os/process.h"
#include "base/os/unix_socket.h"
#include "objects/json.h"

namespace muster::agent {

namespace {

constexpr std::size_t log_bytes_max = std::size_t{1} << 20;
constexpr std::size_t number_bytes_max = 64;
constexpr int signal_kill = 9;
constexpr const char* console_name = "console";

std::string process_path(const OciStart& start) {
  return start.bundle + "/process";
}
std::string log_path(const OciStart& start) {
  return start.bundle + "/runc.log";
}

Result<std::string> runc_program() {
  auto found = find_program("runc");
  if (found) return found;
  return missing_program("runc", "to run containers from images");
}

// runc says "runc run failed: …"; what is behind it stands at the same place of a kubelet's words.
std::string failure_text(const std::string& complaint) {
  constexpr std::string_view prefix = "runc run failed: ";
  std::string_view said = complaint;
  if (said.starts_with(prefix)) said.remove_prefix(prefix.size());
  if (said.empty()) said = "runc ended without a word";
  return fmt::format(
      "failed to create shim task: OCI runtime create failed: runc create failed: {}", said);
}

}  // namespace

std::string runc_complaint(std::string_view log) {
  std::string complaint;
  while (!log.empty()) {
    const std::size_t end = log.find('\n');
    const auto line = objects::parse_json(log.substr(0, end));
    if (line && (*line)["level"].string_or("") == "error") {
      complaint = (*line)["msg"].string_or("");
    }
    if (end == std::string_view::npos) break;
    log.remove_prefix(end + 1);
  }
  return complaint;
}

// The socket of the terminal is named by the descriptor of its folder: the kernel gives a hundred
// bytes to the name of a socket, and folders may lie deep.
Result<std::unique_ptr<OciProcess>> OciProcess::start(OciStart start, const OciStreams& streams) {
  const std::string program = TRY(runc_program());
  SpawnOptions options{.program = program,
                       .arguments = {"runc", "--root", start.root, "--log", log_path(start),
                                     "--log-format", "json", "run", "--detach", "--pid-file",
                                     process_path(start), "--bundle", start.bundle}};
  Descriptor console;
  Descriptor folder;
  const Descriptor null = TRY(open_null());
  if (start.has_terminal) {
    console = TRY(listen_in(start.bundle, console_name));
    folder = TRY(open_folder(start.bundle));
    options.arguments.emplace_back("--console-socket");
    options.arguments.push_back(
        fmt::format("/proc/{}/fd/{}/{}", muster::process_id(), folder.number(), console_name));
  }
  options.arguments.push_back(start.id);
  const auto number = [&](const Descriptor& stream) {
    return stream ? stream.number() : null.number();
  };
  options.descriptors = {
      {number(streams.input), 0}, {number(streams.output), 1}, {number(streams.error), 2}};
  options.new_session = true;
  ChildProcess runc = TRY(ChildProcess::spawn(options));
  auto process = std::unique_ptr<OciProcess>(new OciProcess(std::move(start), std::move(runc)));
  process->console_ = std::move(console);
  process->folder_ = std::move(folder);
  return process;
}

Result<> OciProcess::take_over() {
  const std::string text = TRY(read_whole_file(process_path(start_), number_bytes_max));
  std::int64_t id = 0;
  std::from_chars(text.data(), text.data() + text.size(), id);
  if (id <= 0) return Error::internal("runc left no process id");
  container_ = TRY(ChildProcess::adopted(id));
  if (!start_.has_terminal) return {};
  const auto peer = accept_from(console_.number());
  if (!peer) return Error::internal("runc sent no terminal");
  terminal_ = TRY(receive_descriptor(*peer));
  return {};
}

std::optional<StartFailure> OciProcess::take_start() {
  const ExitStatus status = runc_.reap_wait();
  if (status.code != 0) {
    const auto log = read_whole_file(log_path(start_), log_bytes_max);
    return StartFailure{.message = failure_text(runc_complaint(log.value_or("")))};
  }
  if (const auto taken = take_over(); !taken) {
    if (container_) kill_tree();
    return StartFailure{.message = taken.error().message};
  }
  if (waiting_signal_ != 0) ask_to_end(waiting_signal_);
  return std::nullopt;
}

void OciProcess::ask_to_end(int signal) {
  if (container_) return container_->send_signal(signal);
  if (waiting_signal_ != signal_kill) waiting_signal_ = signal;
}

// The first process of a pid namespace takes all others with it.
void OciProcess::kill_tree() {
  ask_to_end(signal_kill);
}

std::vector<std::string> oci_visit_arguments(const OciStart& start, const std::string& process_file,
                                             const std::string& log,
                                             const std::vector<std::string>& command) {
  std::vector<std::string> arguments = {"runc",       "--root",       start.root, "--log",
                                        log,          "--log-format", "json",     "exec",
                                        "--pid-file", process_file};
  if (start.has_terminal) {
    arguments.insert(arguments.end(), {"--tty", "--env", "TERM=xterm"});
  }
  arguments.push_back(start.id);
  arguments.insert(arguments.end(), command.begin(), command.end());
  return arguments;
}

}  // namespace muster::agent
