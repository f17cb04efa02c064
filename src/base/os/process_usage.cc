// SPDX-License-Identifier: Apache-2.0
#include "base/os/process_usage.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/files.h"
#include "base/os/folders.h"

namespace muster {

namespace {

constexpr std::size_t proc_bytes_max = std::size_t{1} << 20;
constexpr std::size_t processes_max = 100'000;  // of one tree: beyond it the rest is not counted

// Numbers of a text in order; words that are none read as 0.
std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \n");
    if (begin == std::string_view::npos) return numbers;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    std::int64_t number = 0;
    std::from_chars(text.data(), text.data() + end, number);
    numbers.push_back(number);
    text.remove_prefix(end);
  }
}

Span span_of_ticks(std::int64_t ticks) {
  static const std::int64_t per_second = ::sysconf(_SC_CLK_TCK);
  return Span::of_nanoseconds(ticks * (1'000'000'000 / (per_second > 0 ? per_second : 100)));
}

// utime, stime, cutime and cstime; they stand behind the name, which may hold anything.
Result<Span> processor_time_of(std::int64_t process) {
  const std::string text =
      TRY(read_whole_file(fmt::format("/proc/{}/stat", process), proc_bytes_max));
  const std::size_t name_end = text.rfind(')');
  const auto numbers =
      numbers_in(name_end == std::string::npos ? std::string_view()
                                               : std::string_view(text).substr(name_end + 1));
  constexpr std::size_t user_time = 11;
  if (numbers.size() < user_time + 4) return Error::internal("/proc/stat of a process is short");
  std::int64_t ticks = 0;
  for (std::size_t i = user_time; i < user_time + 4; ++i) ticks += numbers[i];
  return span_of_ticks(ticks);
}

std::int64_t resident_bytes_of(std::int64_t process) {
  const auto text = read_whole_file(fmt::format("/proc/{}/statm", process), proc_bytes_max);
  const auto pages = text ? numbers_in(*text) : std::vector<std::int64_t>();
  return pages.size() < 2 ? 0 : pages[1] * ::sysconf(_SC_PAGESIZE);
}

void add_children(std::int64_t process, std::vector<std::int64_t>& all) {
  const std::string folder = fmt::format("/proc/{}/task", process);
  const auto threads = names_in_folder(folder);
  if (!threads) return;
  for (const std::string& thread : *threads) {
    const auto text =
        read_whole_file(fmt::format("{}/{}/children", folder, thread), proc_bytes_max);
    if (!text) continue;
    for (const std::int64_t child : numbers_in(*text)) all.push_back(child);
  }
}

}  // namespace

Result<ProcessUsage> measure_process_tree(std::int64_t process_id) {
  ProcessUsage used;
  used.processor_time = TRY(processor_time_of(process_id));
  used.memory_bytes = resident_bytes_of(process_id);
  std::vector<std::int64_t> all;
  add_children(process_id, all);
  for (std::size_t i = 0; i < all.size() && i < processes_max; ++i) {
    const std::int64_t process = all[i];
    const auto time = processor_time_of(process);
    if (!time) continue;
    used.processor_time = used.processor_time + *time;
    used.memory_bytes += resident_bytes_of(process);
    add_children(process, all);
  }
  return used;
}

Result<ProcessUsage> measure_machine() {
  ProcessUsage used;
  const std::string times = TRY(read_whole_file("/proc/stat", proc_bytes_max));
  // cpu user nice system idle iowait irq softirq steal …
  const auto ticks = numbers_in(std::string_view(times).substr(0, times.find('\n')));
  constexpr std::size_t idle = 4;
  constexpr std::size_t waiting = 5;
  constexpr std::size_t last = 8;
  std::int64_t busy = 0;
  for (std::size_t i = 1; i < ticks.size() && i <= last; ++i) {
    if (i != idle && i != waiting) busy += ticks[i];
  }
  used.processor_time = span_of_ticks(busy);
  const std::string memory = TRY(read_whole_file("/proc/meminfo", proc_bytes_max));
  const auto kibibytes = [&memory](std::string_view word) -> std::int64_t {
    const std::size_t at = memory.find(word);
    if (at == std::string::npos) return 0;
    const auto numbers = numbers_in(std::string_view(memory).substr(at + word.size(), 40));
    return numbers.empty() ? 0 : numbers.front();
  };
  used.memory_bytes = (kibibytes("MemTotal:") - kibibytes("MemAvailable:")) * 1024;
  return used;
}

}  // namespace muster
