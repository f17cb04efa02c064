// SPDX-License-Identifier: Apache-2.0
#include "agent/enter.h"

#include <fmt/format.h>

#include <charconv>

#include "agent/oci/image_fetch.h"
#include "agent/oci/oci_process.h"
#include "agent/pod_folder.h"
#include "agent/shim.h"
#include "base/os/command.h"
#include "base/os/control_group.h"
#include "base/os/files.h"
#include "base/os/pipe.h"
#include "base/os/process.h"
#include "base/os/sandbox_entry.h"

namespace muster::agent {

namespace {

constexpr std::string_view exit_word = "exit ";
constexpr std::string_view failed_word = "failed ";
constexpr std::size_t arguments_min = 5;

// runc knows the container's rights, groups and devices, and gives the command the same.
Result<VisitEnd> visit_image(const std::string& folder, const ContainerSpec& container,
                             SandboxVisit visit) {
  const auto program = find_program("runc");
  if (!program) return missing_program("runc", "to run containers from images");
  const std::string notes = fmt::format("{}/visit-{}", folder, process_id());
  const std::string log = notes + ".log";
  visit.process_file = notes;
  visit.arguments = oci_visit_arguments({.root = pod_folder::runc_path(folder),
                                         .bundle = {},
                                         .id = container.name,
                                         .has_terminal = visit.has_terminal},
                                        notes, log, visit.arguments);
  visit.arguments.front() = *program;
  visit.environment.clear();
  auto end = visit_sandbox(visit);
  const auto complaints = read_whole_file(log, shim_file_bytes_max);
  for (const std::string& path : {notes, log}) static_cast<void>(remove_file(path));
  if (!end || end->failure || !complaints) return end;
  const std::string complaint = runc_complaint(*complaints);
  if (complaint.empty()) return end;
  return Error{ErrorCode::internal,
               fmt::format("failed to exec in container: OCI runtime exec failed: {}", complaint)};
}

Result<VisitEnd> visit(std::span<const char* const> arguments) {
  const std::string folder = arguments[0];
  const std::string name = arguments[1];
  const std::string text = TRY(read_whole_file(pod_folder::spec_path(folder), shim_file_bytes_max));
  const ShimSpec spec = TRY(parse_shim_spec(text));
  SandboxVisit visit{.control = enter_control_descriptor};
  const std::string_view number = arguments[2];
  std::from_chars(number.data(), number.data() + number.size(), visit.init_id);
  visit.has_terminal = std::string_view(arguments[3]) == "terminal";
  for (const char* word : arguments.subspan(arguments_min - 1)) visit.arguments.emplace_back(word);
  for (const ContainerSpec& container : spec.pod.containers) {
    if (container.name != name) continue;
    visit.user = user_of(container);
    for (const auto& [variable, value] : container.environment) {
      visit.environment.push_back(fmt::format("{}={}", variable, value));
    }
    visit.working_folder =
        container.working_folder == "/" ? workspace_target : container.working_folder;
  }
  for (const ContainerSpec& container : spec.pod.containers) {
    if (container.name == name && container.image_run.is_given()) {
      return visit_image(folder, container, std::move(visit));
    }
  }
  if (visit.has_terminal) visit.environment.emplace_back("TERM=xterm");
  // A container without limits has no group.
  static_cast<void>(ControlGroups::find().named(shim_group_name(spec.pod.uid, name)).join());
  return visit_sandbox(visit);
}

std::string line_of(const Result<VisitEnd>& end) {
  if (!end) return fmt::format("{}{}\n", failed_word, end.error().message);
  if (end->failure) return fmt::format("{}{}\n", failed_word, end->failure->message);
  return fmt::format("{}{}\n", exit_word, end->status.code);
}

}  // namespace

int enter_main(std::span<const char* const> arguments) {
  if (arguments.size() < arguments_min) return 2;
  const Descriptor status(enter_status_descriptor);
  close_descriptors_from(enter_control_descriptor + 1);
  static_cast<void>(write_available(status, line_of(visit(arguments))));
  return 0;
}

VisitOutcome parse_visit_line(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  VisitOutcome outcome;
  if (line.starts_with(exit_word)) {
    line.remove_prefix(exit_word.size());
    const auto read = std::from_chars(line.data(), line.data() + line.size(), outcome.exit_code);
    if (read.ec == std::errc() && read.ptr == line.data() + line.size()) return outcome;
  }
  if (line.starts_with(failed_word)) line.remove_prefix(failed_word.size());
  outcome.failure = line.empty() ? "the command was killed with its node" : std::string(line);
  return outcome;
}

}  // namespace muster::agent
