// SPDX-License-Identifier: Apache-2.0
#include "base/os/sandbox_program.h"

#include <fmt/format.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/os/system_call_filter.h"
#include "base/os/system_error.h"

namespace muster {

namespace {

constexpr int capability_sets_max = 64;
constexpr const char* path_default = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

void empty_bounding_set() {
  for (unsigned long capability = 0; capability < capability_sets_max; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0) break;  // past the last one
  }
}

Result<> drop_capabilities() {
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  if (::syscall(SYS_capset, &header, none.data()) < 0) {
    return system_error("drop capabilities", "", errno);
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
    return system_error("renounce privileges", "", errno);
  }
  return {};
}

// The groups of whoever made the sandbox are not those of another user.
Result<> become_user(const SandboxUser& user) {
  if (!user.is_given()) return {};
  std::vector<gid_t> groups(user.groups.begin(), user.groups.end());
  if (::setgroups(groups.size(), groups.data()) < 0) {
    return system_error("set the groups", fmt::format("{}", fmt::join(user.groups, ",")), errno);
  }
  const auto group = user.group.value_or(0);
  if (::setresgid(group, group, group) < 0) {
    return system_error("become group", fmt::to_string(group), errno);
  }
  if (!user.user) return {};
  if (::setresuid(*user.user, *user.user, *user.user) < 0) {
    return system_error("become user", fmt::to_string(*user.user), errno);
  }
  return {};
}

void reset_signals() {
  struct sigaction normal {};
  normal.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &normal, nullptr);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::vector<char*> pointers_of(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string search_path(const std::vector<std::string>& environment) {
  for (const std::string& entry : environment) {
    if (entry.starts_with("PATH=")) return entry.substr(5);
  }
  return path_default;
}

// Where the program may be: at its own path, or in each folder of the search path.
std::vector<std::string> candidates_of(const std::string& program,
                                       const std::vector<std::string>& environment) {
  if (program.find('/') != std::string::npos) return {program};
  std::vector<std::string> candidates;
  const std::string path = search_path(environment);
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin) candidates.push_back(path.substr(begin, end - begin) + "/" + program);
    begin = end + 1;
  }
  return candidates;
}

// A gate that was closed without a byte: nobody wants the program any more.
void pass(const ProgramGate& gate) {
  ::close(gate.reached);
  char go = 0;
  if (retry([&] { return ::read(gate.opens, &go, 1); }) != 1) ::_exit(1);
}

// Returns only when the program cannot be executed.
StartFailure execute(const std::vector<std::string>& argument_texts,
                     const std::vector<std::string>& environment_texts,
                     std::optional<ProgramGate> gate = std::nullopt) {
  const std::vector<char*> arguments = pointers_of(argument_texts);
  const std::vector<char*> environment = pointers_of(environment_texts);
  const std::string& program = argument_texts.front();
  const std::vector<std::string> candidates = candidates_of(program, environment_texts);
  if (gate) pass(*gate);
  int worst = ENOENT;
  for (const std::string& candidate : candidates) {
    ::execve(candidate.c_str(), arguments.data(), environment.data());
    if (errno != ENOENT && errno != ENOTDIR) worst = errno;
  }
  if (worst != ENOENT) {
    return {StartFailure::Kind::not_executable, system_error("exec", program, worst).message};
  }
  const bool has_path = program.find('/') != std::string::npos;
  return {StartFailure::Kind::not_found,
          has_path ? fmt::format("exec {}: no such file in this machine's filesystem", program)
                   : fmt::format("exec {}: executable file not found in $PATH", program)};
}

}  // namespace

StartFailure become_program(const std::vector<std::string>& arguments,
                            const std::vector<std::string>& environment,
                            const std::string& working_folder, const SandboxUser& user,
                            std::optional<ProgramGate> gate) {
  ::umask(022);
  if (::chdir(working_folder.c_str()) < 0) {
    return {StartFailure::Kind::not_executable,
            system_error("enter working folder", working_folder, errno).message};
  }
  empty_bounding_set();  // while the right to do so is there
  if (const auto become = become_user(user); !become) {
    return {StartFailure::Kind::set_up, become.error().message};
  }
  if (const auto dropped = drop_capabilities(); !dropped) {
    return {StartFailure::Kind::set_up, dropped.error().message};
  }
  reset_signals();
  if (const auto filtered = refuse_dangerous_calls(); !filtered) {
    return {StartFailure::Kind::set_up, filtered.error().message};
  }
  return execute(arguments, environment, gate);
}

StartFailure execute_as_is(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment) {
  reset_signals();
  return execute(arguments, environment);
}

Result<> give_up_rights() {
  empty_bounding_set();
  TRY(drop_capabilities());
  return refuse_dangerous_calls();
}

}  // namespace muster
