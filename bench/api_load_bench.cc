// SPDX-License-Identifier: Apache-2.0
// One load for any Kubernetes API, so that ratios are of the same work in the same run: durable
// creates of a 1.5 KB pod by 64 clients and by one, a list of all of them twice, one event to a
// thousand watchers, memory. TLS throughout; every client is a kept connection of its own.
//
//   api_load_bench [pods=N] ours=/path/kubeconfig:PID peer=/path/kubeconfig:PID,PID
//   api_load_bench fill=N ours=/path/kubeconfig:PID        makes N pods and leaves them there
//   api_load_bench one=N ours=/path/kubeconfig:PID         the same by one client, with its times
//
// The second is the peer of the first: ratios are printed. Beside them: what a bare pwrite and
// fdatasync take in the same run, the load program's own share of the CPU time of a phase, and the
// CPU time of the server for each create, by its threads: what wall time shows only on a machine
// that nobody shares.
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/ssl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/os/files.h"
#include "bench/load_clients.h"
#include "bench/load_pod.h"
#include "client/https/endpoint.h"
#include "client/https/line.h"
#include "client/https/request_text.h"
#include "client/kubeconfig.h"

namespace muster::bench {
namespace {

using client::Line;
using Stopwatch = std::chrono::steady_clock;

constexpr int clients = 64;
constexpr int pods_default = 10'000;
constexpr int creates_of_one = 300;
constexpr int watchers = 1'000;
constexpr int events = 20;
constexpr int syncs = 300;
constexpr std::size_t drain_bytes = std::size_t{64} * 1024;
constexpr std::string_view name_space = "api-load";

double milliseconds_since(Stopwatch::time_point began) {
  return std::chrono::duration<double, std::milli>(Stopwatch::now() - began).count();
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

// CPU milliseconds of this program.
double own_cpu() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) * 1e-3;
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

// One server under load.
class Server {
 public:
  Server(std::string name, const std::string& kubeconfig, std::vector<int> processes)
      : name_(std::move(name)), processes_(std::move(processes)) {
    const std::string text = read_whole_file(kubeconfig, 1 << 20).must();
    access_ = client::read_kubeconfig(text, {}, [](const std::string& path) {
                return read_whole_file(path, 1 << 20);
              }).must();
    endpoint_ = client::parse_endpoint(access_.server).must();
    context_ = client::make_client_context(access_).must();
    server_name_ = access_.tls_server_name.empty() ? endpoint_.host : access_.tls_server_name;
    limits_.answer_bytes = std::size_t{1} << 30U;
    manners_ = {.host = endpoint_.authority(), .token = std::move(access_.token)};
  }

  const std::string& name() const { return name_; }

  std::shared_ptr<Line> connect(boost::asio::io_context& io) const {
    return client::make_line(io, {.endpoint = endpoint_,
                                  .context = context_.get(),
                                  .server_name = server_name_,
                                  .limits = limits_});
  }

  std::string text(std::string_view method, std::string target, std::string body = {}) const {
    return client::to_text({.method = method,
                            .target = std::move(target),
                            .content_type = body.empty() ? std::string_view() : "application/json",
                            .body = std::move(body)},
                           manners_);
  }

  LoadClients load_clients(int count) const {
    return {endpoint_, context_.get(), server_name_, count};
  }

  // One request on a connection of its own.
  client::WholeAnswer ask(const std::string& request) const {
    boost::asio::io_context io{1};
    const auto line = connect(io);
    client::WholeAnswer whole;
    line->ask(request, {.on_whole = [&](client::WholeAnswer answer) { whole = std::move(answer); },
                        .on_failed =
                            [&](client::LineFailure failure) {
                              fmt::print(stderr, "{}: {}\n", name_, failure.error.message);
                              std::exit(1);
                            }});
    io.run();
    line->close();
    return whole;
  }

  // One request on a connection of its own whose answer is read and let go, with as little work as
  // can be: how many bytes it had.
  std::size_t drain(const std::string& request) const {
    boost::asio::io_context io{1};
    boost::asio::ip::tcp::resolver resolver(io);
    boost::asio::ip::tcp::socket socket(io);
    boost::asio::connect(socket, resolver.resolve(endpoint_.host, endpoint_.port));
    SSL* const tls = client::make_client_connection(context_.get(), server_name_);
    SSL_set_fd(tls, socket.native_handle());
    SSL_set_read_ahead(tls, 1);
    SSL_set_default_read_buffer_len(tls, drain_bytes);
    bool is_well = SSL_connect(tls) == 1 &&
                   SSL_write(tls, request.data(), static_cast<int>(request.size())) > 0;
    std::string buffer(drain_bytes, '\0');
    std::string tail;
    std::size_t bytes = 0;
    while (is_well && !tail.ends_with("\r\n0\r\n\r\n")) {
      const int size = SSL_read(tls, buffer.data(), static_cast<int>(buffer.size()));
      is_well = size > 0;
      if (!is_well) break;
      const std::string_view piece(buffer.data(), static_cast<std::size_t>(size));
      bytes += piece.size();
      tail.append(piece.substr(piece.size() - std::min<std::size_t>(piece.size(), 8)));
      if (tail.size() > 64) tail.erase(0, tail.size() - 8);
    }
    SSL_free(tls);
    if (!is_well) {
      fmt::print(stderr, "{}: a list has no end\n", name_);
      std::exit(1);
    }
    return bytes;
  }

  double resident_megabytes() const {
    double kilobytes = 0;
    for (const int process : processes_) {
      std::ifstream status(fmt::format("/proc/{}/status", process));
      for (std::string word; status >> word;) {
        if (word != "VmRSS:") continue;
        double value = 0;
        status >> value;
        kilobytes += value;
      }
    }
    return kilobytes / 1024;
  }

  // Nanoseconds that each of its threads has been on a processor.
  std::map<int, double> thread_times() const {
    std::map<int, double> times;
    for (const int process : processes_) {
      const std::string tasks = fmt::format("/proc/{}/task", process);
      for (const auto& task : std::filesystem::directory_iterator(tasks)) {
        std::ifstream schedule(task.path() / "schedstat");
        schedule >> times[std::stoi(task.path().filename())];
      }
    }
    return times;
  }

 private:
  std::string name_;
  std::vector<int> processes_;
  client::ClusterAccess access_;
  client::Endpoint endpoint_;
  client::TlsContext context_;
  std::string server_name_;
  client::RequestManners manners_;
  client::HttpsLimits limits_;
};

struct Figures {
  double creates_per_second = 0;
  double create_p99 = 0;
  double own_share = 0;
  std::vector<double> thread_microseconds = {};  // of one create, the busiest thread first
  double one_client_p50 = 0;
  double first_list = 0;
  double second_list = 0;
  double last_watcher = 0;
  double idle_megabytes = 0;
  double full_megabytes = 0;
};

// Creates so many pods, by so many clients; milliseconds of each request. All requests are of one
// text but for the number in the name.
std::vector<double> create_pods(const Server& server, std::string_view prefix, int count,
                                int clients_at_once) {
  constexpr std::string_view number = "0000000";
  const std::string pattern =
      server.text("POST", fmt::format("/api/v1/namespaces/{}/pods", name_space),
                  load_pod(fmt::format("{}-{}", prefix, number)));
  const std::size_t place = pattern.find(fmt::format("{}-{}", prefix, number)) + prefix.size() + 1;
  int left = count;
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(count));
  LoadClients load = server.load_clients(clients_at_once);
  load.run(
      [&](std::string& request) {
        if (left == 0) return false;
        --left;
        request = pattern;
        fmt::format_to(request.begin() + static_cast<std::ptrdiff_t>(place), "{:07}", left);
        return true;
      },
      [&](const LoadAnswer& answer) {
        if (answer.status != 201) {
          fmt::print(stderr, "{}: {}\n", answer.status, answer.text.substr(0, 1'000));
          std::exit(1);
        }
        times.push_back(answer.milliseconds);
      });
  return times;
}

// A run without its events would wait for ever.
[[noreturn]] void no_event_comes(std::string_view why) {
  fmt::print(stderr, "the watched object was not changed: {}\n", why.substr(0, 1'000));
  std::exit(1);
}

// From the request that changes an object to its event at the last of all watchers.
double last_watcher(const Server& server) {
  boost::asio::io_context io{1};
  const std::string path = fmt::format("/api/v1/namespaces/{}/configmaps", name_space);
  int connected = 0;
  int seen = 0;
  int dropped = 0;  // by the server: nobody waits for them
  std::vector<std::shared_ptr<Line>> lines;
  for (int i = 0; i < watchers; ++i) {
    lines.push_back(server.connect(io));
    lines.back()->ask(server.text("GET", path + "?watch=1&fieldSelector=metadata.name%3Dtold"),
                      {.on_whole = [&](const client::WholeAnswer&) { ++dropped; },
                       .on_failed = [&](const client::LineFailure&) { ++dropped; },
                       .on_piece =
                           [&, is_first = true](std::string_view piece) mutable {
                             // A line is an event; where a piece ends says nothing.
                             for (const char c : piece) {
                               if (c != '\n') continue;
                               ++(is_first ? connected : seen);
                               is_first = false;
                             }
                           }});
  }
  server.ask(server.text("POST", path, R"({"metadata":{"name":"told"}})"));
  while (connected + dropped < watchers) io.run_one();
  const auto writer = server.connect(io);
  std::vector<double> times;
  for (int event = 0; event < events; ++event) {
    seen = 0;
    bool answered = false;  // a line asks one thing at a time: a peer may answer after its events
    const auto began = Stopwatch::now();
    writer->ask(
        server.text("PUT", path + "/told",
                    fmt::format(R"({{"metadata":{{"name":"told"}},"data":{{"n":"{}"}}}})", event)),
        {.on_whole =
             [&](const client::WholeAnswer& answer) {
               if (answer.status != 200) no_event_comes(answer.body);
               answered = true;
             },
         .on_failed =
             [](const client::LineFailure& failure) { no_event_comes(failure.error.message); }});
    while (seen + dropped < watchers) io.run_one();
    times.push_back(milliseconds_since(began));
    while (!answered) io.run_one();
  }
  if (dropped > 0) fmt::print("  {}: {} watchers were dropped\n", server.name(), dropped);
  for (const auto& line : lines) line->close();
  writer->close();
  return quantile(times, 0.5);
}

double total(const std::map<int, double>& times) {
  double all = 0;
  for (const auto& [thread, time] : times) all += time;
  return all;
}

double timed_list(const Server& server) {
  const double cpu = own_cpu();
  const auto threads = server.thread_times();
  const auto began = Stopwatch::now();
  const std::size_t bytes =
      server.drain(server.text("GET", fmt::format("/api/v1/namespaces/{}/pods", name_space)));
  const double took = milliseconds_since(began);
  fmt::print(
      "  {}: list of {:.1f} MB in {:.0f} ms, CPU ms: the server {:.0f}, this program {:.0f}\n",
      server.name(), static_cast<double>(bytes) / 1e6, took,
      (total(server.thread_times()) - total(threads)) / 1e6, own_cpu() - cpu);
  return took;
}

std::vector<double> microseconds_of_each(const Server& server, const std::map<int, double>& before,
                                         std::size_t creates) {
  std::vector<double> each;
  for (const auto& [thread, after] : server.thread_times()) {
    const auto began = before.find(thread);
    const double used = after - (began == before.end() ? 0 : began->second);
    each.push_back(used / 1e3 / static_cast<double>(creates));
  }
  std::sort(each.rbegin(), each.rend());
  return each;
}

Figures measure(const Server& server, int pods) {
  Figures figures;
  figures.idle_megabytes = server.resident_megabytes();
  server.ask(server.text("POST", "/api/v1/namespaces",
                         fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name_space)));
  figures.one_client_p50 = quantile(create_pods(server, "one", creates_of_one, 1), 0.5);
  const double cpu = own_cpu();
  const auto threads = server.thread_times();
  const auto began = Stopwatch::now();
  const auto times = create_pods(server, "many", pods - creates_of_one, clients);
  const double took = milliseconds_since(began);
  figures.creates_per_second = static_cast<double>(times.size()) / took * 1e3;
  figures.create_p99 = quantile(times, 0.99);
  figures.own_share = (own_cpu() - cpu) / took;
  figures.thread_microseconds = microseconds_of_each(server, threads, times.size());
  figures.first_list = timed_list(server);
  figures.second_list = timed_list(server);
  figures.last_watcher = last_watcher(server);
  figures.full_megabytes = server.resident_megabytes();
  server.ask(server.text("DELETE", fmt::format("/api/v1/namespaces/{}", name_space)));
  return figures;
}

// Of one create: all threads together, and those that had any part in it.
void print_threads(const Figures& figures) {
  double all = 0;
  std::string each;
  for (const double microseconds : figures.thread_microseconds) {
    all += microseconds;
    if (microseconds >= 0.5) each += fmt::format(" {:.0f}", microseconds);
  }
  fmt::print("  server's CPU for each, us: {:.0f}, by thread{}\n", all, each);
}

// The p50 of a durable write of the same size, in the folder where this runs.
double sync_milliseconds() {
  const std::string path = "api_load_bench.sync";
  const int file = ::open(path.c_str(), O_CREAT | O_RDWR | O_TRUNC, 0600);
  const std::string block(4'096, 'x');
  std::vector<double> times;
  for (int i = 0; i < syncs; ++i) {
    const auto began = Stopwatch::now();
    const bool written = ::pwrite(file, block.data(), block.size(), i * 4'096) > 0;
    if (!written || ::fdatasync(file) != 0) std::exit(1);
    times.push_back(milliseconds_since(began));
  }
  ::close(file);
  ::unlink(path.c_str());
  return quantile(times, 0.5);
}

void print(std::string_view what, double ours, double peer, std::string_view unit) {
  fmt::print("{:<48} {:>10.1f} {:<4}", what, ours, unit);
  if (peer > 0) fmt::print("  peer {:>10.1f} {:<4}  ratio {:.2f}", peer, unit, ours / peer);
  fmt::print("\n");
}

// `name=kubeconfig:pid,pid`
Server server_of(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  const std::size_t colon = argument.rfind(':');
  std::vector<int> processes;
  std::string_view rest = colon == std::string_view::npos ? "" : argument.substr(colon + 1);
  while (!rest.empty()) {
    processes.push_back(std::atoi(std::string(rest.substr(0, rest.find(','))).c_str()));
    rest.remove_prefix(std::min(rest.find(','), rest.size() - 1) + 1);
  }
  return {std::string(argument.substr(0, equals)),
          std::string(argument.substr(equals + 1, colon - equals - 1)), std::move(processes)};
}

// For what is measured from outside: a restart with so many objects.
int fill(const Server& server, int pods) {
  server.ask(server.text("POST", "/api/v1/namespaces",
                         fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name_space)));
  const auto began = Stopwatch::now();
  const auto times = create_pods(server, "kept", pods, clients);
  fmt::print("{} pods in {:.1f} s, {:.0f} MB\n", times.size(), milliseconds_since(began) / 1e3,
             server.resident_megabytes());
  return 0;
}

// What one client waits for each create, and what the server spends on it.
int one(const Server& server, int pods) {
  server.ask(server.text("POST", "/api/v1/namespaces",
                         fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name_space)));
  const std::string prefix = fmt::format("one-{}", ::getpid());
  const auto threads = server.thread_times();
  const auto times = create_pods(server, prefix, pods, 1);
  const Figures figures{.thread_microseconds = microseconds_of_each(server, threads, times.size())};
  fmt::print("one client, ms: p10 {:.3f}, p50 {:.3f}, p90 {:.3f}\n", quantile(times, 0.1),
             quantile(times, 0.5), quantile(times, 0.9));
  print_threads(figures);
  print("  pwrite and fdatasync, p50", sync_milliseconds(), 0, "ms");
  return 0;
}

int run(std::vector<std::string_view> arguments) {
  int pods = pods_default;
  if (arguments.size() == 2 && arguments.front().starts_with("one=")) {
    pods = std::atoi(std::string(arguments.front().substr(4)).c_str());
    return one(server_of(arguments.back()), pods);
  }
  if (arguments.size() == 2 && arguments.front().starts_with("fill=")) {
    pods = std::atoi(std::string(arguments.front().substr(5)).c_str());
    return fill(server_of(arguments.back()), pods);
  }
  if (!arguments.empty() && arguments.front().starts_with("pods=")) {
    pods = std::atoi(std::string(arguments.front().substr(5)).c_str());
    arguments.erase(arguments.begin());
  }
  if (arguments.empty() || arguments.size() > 2) {
    fmt::print("api_load_bench [pods=N] NAME=KUBECONFIG:PID[,PID] [NAME=KUBECONFIG:PID[,PID]]\n");
    return arguments.empty() ? 0 : 2;  // a suite that runs every program has no server for it
  }
  std::vector<Figures> all;
  for (const std::string_view argument : arguments)
    all.push_back(measure(server_of(argument), pods));
  const Figures& ours = all.front();
  const Figures peer = all.size() > 1 ? all[1] : Figures();
  const double sync = sync_milliseconds();
  print(fmt::format("durable creates, {} clients", clients), ours.creates_per_second,
        peer.creates_per_second, "/s");
  print("  p99", ours.create_p99, peer.create_p99, "ms");
  print("  one core's share that the load program took", ours.own_share * 100, peer.own_share * 100,
        "%");
  for (const Figures& each : all) print_threads(each);
  print("create, one client, p50", ours.one_client_p50, peer.one_client_p50, "ms");
  print("  pwrite and fdatasync, p50", sync, 0, "ms");
  print(fmt::format("list of {} pods", pods), ours.first_list, peer.first_list, "ms");
  print("  the same list again", ours.second_list, peer.second_list, "ms");
  print(fmt::format("one event to the last of {} watchers", watchers), ours.last_watcher,
        peer.last_watcher, "ms");
  print("memory when idle", ours.idle_megabytes, peer.idle_megabytes, "MB");
  print("memory afterwards", ours.full_megabytes, peer.full_megabytes, "MB");
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a phase that takes minutes shows how far it is
  return muster::bench::run({words + 1, words + count});
}
