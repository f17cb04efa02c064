// SPDX-License-Identifier: Apache-2.0
#include "bench/bare_gang.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>
#include <vector>

namespace muster::bench {

namespace {

using Stopwatch = std::chrono::steady_clock;

struct Member {
  pid_t process = -1;
  int words = -1;  // its standard output
};

Member make_member(const std::string& command, const std::array<int, 2>& gate) {
  std::array<int, 2> words{};
  if (::pipe(words.data()) < 0) return {};
  const pid_t process = ::fork();
  if (process == 0) {
    ::setsid();
    ::dup2(words[1], STDOUT_FILENO);
    ::close(gate[1]);
    char nothing = 0;
    [[maybe_unused]] const auto opened = ::read(gate[0], &nothing, 1);
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    ::_exit(1);
  }
  ::close(words[1]);
  return {process, words[0]};
}

double hear_all(const std::vector<Member>& members) {
  std::vector<pollfd> waits;
  for (const Member& member : members) waits.push_back({member.words, POLLIN, 0});
  std::vector<Stopwatch::time_point> heard;
  while (heard.size() < waits.size()) {
    if (::poll(waits.data(), waits.size(), -1) < 0) return -1;
    for (pollfd& each : waits) {
      if (each.fd < 0 || each.revents == 0) continue;
      heard.push_back(Stopwatch::now());
      each.fd = -1;
    }
  }
  return std::chrono::duration<double, std::milli>(heard.back() - heard.front()).count();
}

}  // namespace

double bare_skew_milliseconds(const std::string& command, int count) {
  std::array<int, 2> gate{};
  if (::pipe(gate.data()) < 0) return -1;
  std::vector<Member> members;
  for (int i = 0; i < count; ++i) members.push_back(make_member(command, gate));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // until all of them wait
  ::close(gate[0]);
  ::close(gate[1]);
  const double skew = hear_all(members);
  for (const Member& member : members) {
    ::kill(-member.process, SIGKILL);
    ::waitpid(member.process, nullptr, 0);
    ::close(member.words);
  }
  return skew;
}

}  // namespace muster::bench
