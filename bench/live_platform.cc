// SPDX-License-Identifier: Apache-2.0
#include "bench/live_platform.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <sstream>

#include "base/os/files.h"
#include "client/kubeconfig.h"
#include "objects/resource.h"

namespace muster::bench {

namespace {

constexpr std::size_t text_bytes_max = 1024 * 1024;
constexpr std::size_t connections_max = 64;  // the peer's clients have as many streams as they like
constexpr std::size_t calls_waiting_max = 200'000;

void must_run(const std::string& command) {
  if (std::system((command + " >/dev/null").c_str()) == 0) return;
  fmt::print(stderr, "failed: {}\n", command);
  std::exit(1);
}

// User and system, of a process or of a thread.
double cpu_seconds_in(const std::string& path) {
  const std::string stat = read_whole_file(path, text_bytes_max).must();
  std::istringstream fields(stat.substr(stat.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

LivePlatform::LivePlatform(std::string program, std::string folder, const std::string& up_flags)
    : program_(std::move(program)), folder_(std::move(folder)) {
  std::filesystem::remove_all(folder_);
  must_run(fmt::format("{} up --data {} --listen 127.0.0.1:0 {}", program_, folder_, up_flags));
  const auto read = [](const std::string& path) { return read_whole_file(path, text_bytes_max); };
  process_ = std::stoi(read(folder_ + "/pid").must());
  const auto access = client::read_kubeconfig(read(folder_ + "/kubeconfig").must(), {}, read);
  client::HttpsLimits limits;
  limits.connections = connections_max;
  limits.calls_waiting = calls_waiting_max;
  limits.call = Span::of_seconds(120);
  api_ = client::HttpsApi::make(*access, {.house = loop_, .limits = limits}).must();
  other_api_ = client::HttpsApi::make(*access, {.house = loop_, .limits = limits}).must();
  network_ = std::jthread([this] { api_->run(); });
  other_network_ = std::jthread([this] { other_api_->run(); });
  house_ = std::jthread([this] { loop_.run(); });
}

LivePlatform::~LivePlatform() {
  api_->stop();
  other_api_->stop();
  network_.join();
  other_network_.join();
  loop_.stop();
  house_.join();
  must_run(fmt::format("{} down --data {}", program_, folder_));
  std::filesystem::remove_all(folder_);
}

objects::Value LivePlatform::call(client::Call call) {
  std::promise<Result<objects::Value>> answered;
  loop_.post([&] {
    api_->call(std::move(call),
               [&](Result<objects::Value> answer) { answered.set_value(std::move(answer)); });
  });
  return answered.get_future().get().must();
}

void LivePlatform::on_house(const std::function<void()>& task) {
  std::promise<void> done;
  loop_.post([&] {
    task();
    done.set_value();
  });
  done.get_future().wait();
}

double LivePlatform::status_megabytes(std::string_view field) const {
  const std::string status =
      read_whole_file(fmt::format("/proc/{}/status", process_), text_bytes_max).must();
  return std::stod(status.substr(status.find(field) + field.size())) / 1024;
}

double LivePlatform::cpu_seconds() const {
  return cpu_seconds_in(fmt::format("/proc/{}/stat", process_));
}

std::map<int, double> LivePlatform::thread_cpu_seconds() const {
  std::map<int, double> seconds;
  for (const auto& thread :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process_))) {
    seconds[std::stoi(thread.path().filename().string())] =
        cpu_seconds_in(thread.path().string() + "/stat");
  }
  return seconds;
}

std::uint64_t LivePlatform::revision() {
  const objects::Value list =
      call({.verb = client::Verb::list, .resource = objects::resources::resource_flavors});
  return std::stoull(std::string(list["metadata"]["resourceVersion"].string_or("0")));
}

}  // namespace muster::bench
