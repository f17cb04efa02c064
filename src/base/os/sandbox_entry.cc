// SPDX-License-Identifier: Apache-2.0
#include "base/os/sandbox_entry.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "base/os/files.h"
#include "base/os/internet_socket.h"
#include "base/os/pipe.h"
#include "base/os/process.h"
#include "base/os/sandbox_program.h"
#include "base/os/system_error.h"
#include "base/os/terminal.h"

namespace muster {

namespace {

constexpr std::size_t piece_bytes = 32'768;

struct NamespaceKind {
  const char* name;
  int flag;
};

// In the order in which they are entered: rights first, this process' view of files last.
constexpr std::array<NamespaceKind, 6> kinds = {{{"user", CLONE_NEWUSER},
                                                 {"ipc", CLONE_NEWIPC},
                                                 {"uts", CLONE_NEWUTS},
                                                 {"net", CLONE_NEWNET},
                                                 {"pid", CLONE_NEWPID},
                                                 {"mnt", CLONE_NEWNS}}};

bool is_same_file(const Descriptor& one, const Descriptor& other) {
  struct stat a {};
  struct stat b {};
  return ::fstat(one.number(), &a) == 0 && ::fstat(other.number(), &b) == 0 &&
         a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

Result<Descriptor> open_path(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return system_error("open", path, errno);
  return file;
}

// All of them are opened before the first is entered: afterwards paths lead elsewhere.
Result<> enter_namespaces_of(std::int64_t process) {
  std::vector<std::pair<Descriptor, int>> wanted;
  for (const NamespaceKind& kind : kinds) {
    Descriptor theirs = TRY(open_path(fmt::format("/proc/{}/ns/{}", process, kind.name)));
    const Descriptor ours = TRY(open_path(fmt::format("/proc/self/ns/{}", kind.name)));
    if (!is_same_file(theirs, ours)) wanted.emplace_back(std::move(theirs), kind.flag);
  }
  for (const auto& [descriptor, flag] : wanted) {
    if (::setns(descriptor.number(), flag) < 0) {
      return system_error("enter the namespaces of process", fmt::to_string(process), errno);
    }
  }
  return {};
}

[[noreturn]] void run_visitor(const SandboxVisit& visit, const Terminal& terminal, int started) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  ::setsid();
  if (visit.has_terminal) {
    ::ioctl(terminal.slave.number(), TIOCSCTTY, 0);
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
      ::dup2(terminal.slave.number(), number);
    }
  }
  const int kept = ::fcntl(started, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  for (int number = STDERR_FILENO + 1; number < kept; ++number) ::close(number);
  ::close_range(static_cast<unsigned>(kept) + 1, ~0U, 0);
  const StartFailure failure =
      visit.process_file.empty()
          ? become_program(visit.arguments, visit.environment, visit.working_folder, visit.user)
          : execute_as_is(visit.arguments, visit.environment);
  const std::string text = static_cast<char>(failure.kind) + failure.message;
  [[maybe_unused]] const auto written = ::write(kept, text.data(), text.size());
  ::_exit(1);
}

void write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = retry([&] { return ::write(to, bytes.data(), bytes.size()); });
    if (count <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void resize(const Descriptor& master, const std::string& line) {
  unsigned columns = 0;
  unsigned rows = 0;
  if (std::sscanf(line.c_str(), "%5u %5u", &columns, &rows) != 2) return;
  resize_terminal(master, static_cast<int>(columns), static_cast<int>(rows));
}

// Between the terminal, the standard descriptors and the control channel, until the program ended.
// Writing to standard output may wait: then nothing is read from the terminal either.
class Attendant {
 public:
  Attendant(const SandboxVisit& visit, const Terminal& terminal, pid_t program)
      : visit_(visit), terminal_(terminal), program_(program) {
    is_input_open_ = visit.has_terminal;
    ::fcntl(terminal.master.number(), F_SETFL, O_NONBLOCK);
  }

  int attend() {
    int status = 0;
    while (retry([&] { return ::waitpid(program_, &status, WNOHANG); }) == 0) look();
    if (visit_.has_terminal) {
      while (read_terminal()) {
      }
    }
    return status;
  }

 private:
  void look() {
    std::array<pollfd, 3> questions{};
    questions[0] = {.fd = visit_.control, .events = POLLIN, .revents = 0};
    questions[1] = {.fd = visit_.has_terminal ? terminal_.master.number() : -1,
                    .events = static_cast<short>(POLLIN | (waiting_.empty() ? 0 : POLLOUT)),
                    .revents = 0};
    questions[2] = {.fd = is_input_open_ && waiting_.empty() ? STDIN_FILENO : -1,
                    .events = POLLIN,
                    .revents = 0};
    constexpr int look_again_milliseconds = 20;  // at whether the program has ended
    if (::poll(questions.data(), questions.size(), look_again_milliseconds) <= 0) return;
    if (questions[0].revents != 0) read_control();
    if (questions[2].revents != 0) read_input();
    if ((questions[1].revents & (POLLIN | POLLHUP)) != 0) read_terminal();
    if (!waiting_.empty()) write_terminal();
  }

  void read_control() {
    std::array<char, 256> buffer{};
    const ssize_t count =
        retry([&] { return ::read(visit_.control, buffer.data(), buffer.size()); });
    if (count <= 0) {  // nobody wants it any more
      kill_inside();
      ::kill(-program_, SIGKILL);
      ::kill(program_, SIGKILL);
      return;
    }
    lines_.append(buffer.data(), static_cast<std::size_t>(count));
    for (auto end = lines_.find('\n'); end != std::string::npos; end = lines_.find('\n')) {
      if (visit_.has_terminal) resize(terminal_.master, lines_.substr(0, end));
      lines_.erase(0, end + 1);
    }
  }

  // The program that went in does not take along what it started there.
  void kill_inside() const {
    constexpr std::size_t number_bytes_max = 64;
    if (visit_.process_file.empty()) return;
    const auto text = read_whole_file(visit_.process_file, number_bytes_max);
    pid_t inside = 0;
    if (text) std::from_chars(text->data(), text->data() + text->size(), inside);
    if (inside > 0) ::kill(inside, SIGKILL);
  }

  void read_input() {
    std::array<char, piece_bytes> buffer;
    const ssize_t count = retry([&] { return ::read(STDIN_FILENO, buffer.data(), buffer.size()); });
    is_input_open_ = count > 0;
    if (count > 0) waiting_.append(buffer.data(), static_cast<std::size_t>(count));
  }

  void write_terminal() {
    const ssize_t count =
        retry([&] { return ::write(terminal_.master.number(), waiting_.data(), waiting_.size()); });
    if (count > 0) waiting_.erase(0, static_cast<std::size_t>(count));
  }

  bool read_terminal() {
    std::array<char, piece_bytes> buffer;
    const ssize_t count =
        retry([&] { return ::read(terminal_.master.number(), buffer.data(), buffer.size()); });
    if (count <= 0) return false;
    write_all(STDOUT_FILENO, {buffer.data(), static_cast<std::size_t>(count)});
    return true;
  }

  const SandboxVisit& visit_;
  const Terminal& terminal_;
  const pid_t program_;
  bool is_input_open_ = false;
  std::string waiting_;  // for the terminal
  std::string lines_;    // of the control channel
};

Result<Descriptor> begin_connecting(std::int64_t process_id, const std::string& shared_address,
                                    std::uint16_t port) {
  const Descriptor ours = TRY(open_path("/proc/thread-self/ns/net"));
  const Descriptor theirs = TRY(open_path(fmt::format("/proc/{}/ns/net", process_id)));
  if (is_same_file(ours, theirs)) return connect_stream(shared_address, port);
  if (::setns(theirs.number(), CLONE_NEWNET) < 0) {
    return system_error("enter the network of process", fmt::to_string(process_id), errno);
  }
  auto socket = connect_stream("127.0.0.1", port);
  if (::setns(ours.number(), CLONE_NEWNET) < 0) {
    exit_hard("this thread cannot return to its own network");
  }
  return socket;
}

// Within one machine the answer comes at once; whoever does not take calls is not waited for.
Result<> finish_connecting(const Descriptor& socket, std::uint16_t port) {
  constexpr int patience_milliseconds = 200;
  pollfd question{.fd = socket.number(), .events = POLLOUT, .revents = 0};
  retry([&] { return ::poll(&question, 1, patience_milliseconds); });
  int failure = 0;
  socklen_t size = sizeof failure;
  ::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &failure, &size);
  if (failure == 0) return {};
  return system_error("connect to port", fmt::to_string(port), failure);
}

}  // namespace

Result<VisitEnd> visit_sandbox(const SandboxVisit& visit) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  if (visit.process_file.empty()) TRY(enter_namespaces_of(visit.init_id));
  Terminal terminal;
  if (visit.has_terminal) terminal = TRY(open_terminal());
  Pipe started = TRY(make_pipe());
  const pid_t program = ::fork();
  if (program < 0) return system_error("make a process", "", errno);
  if (program == 0) run_visitor(visit, terminal, started.write.number());
  started.write = Descriptor();
  terminal.slave = Descriptor();
  std::string failure;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count =
        retry([&] { return ::read(started.read.number(), buffer.data(), buffer.size()); });
    if (count <= 0) break;
    failure.append(buffer.data(), static_cast<std::size_t>(count));
  }
  if (!visit.has_terminal) {  // so that their ends are seen
    for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) ::close(number);
  }
  const int status = Attendant(visit, terminal, program).attend();
  if (failure.empty()) return VisitEnd{.status = exit_status_of(status)};
  return VisitEnd{
      .failure = StartFailure{static_cast<StartFailure::Kind>(failure.front()), failure.substr(1)}};
}

Result<Descriptor> connect_inside(std::int64_t process_id, const std::string& shared_address,
                                  std::uint16_t port) {
  Descriptor socket = TRY(begin_connecting(process_id, shared_address, port));
  TRY(finish_connecting(socket, port));
  return socket;
}

}  // namespace muster
