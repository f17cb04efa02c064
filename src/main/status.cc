// SPDX-License-Identifier: Apache-2.0
#include "main/status.h"

#include <fmt/format.h>

#include <map>

#include "cli/settings.h"
#include "main/cluster_client.h"
#include "objects/metadata.h"

namespace muster {

namespace {

using objects::Value;
using objects::View;

std::string node_line(View node) {
  std::string line =
      fmt::format("  {:<16} {:<9}", objects::name_of(node),
                  objects::is_true(objects::condition(node, "Ready")) ? "Ready" : "NotReady");
  for (const auto& [name, amount] : node["status"]["allocatable"].members()) {
    line += fmt::format(" {} {},", name, amount.string_or("?"));
  }
  if (line.back() == ',') line.pop_back();
  const bool simulated =
      objects::annotations_of(node)["muster.dev/devices"].string_or("") == "simulated";
  return line + (simulated ? " (simulated devices)\n" : "\n");
}

std::string queue_line(View queue) {
  const View status = queue["status"];
  return fmt::format("  {:<24} {} pending, {} admitted\n", objects::name_of(queue),
                     status["pendingWorkloads"].integer_or(0),
                     status["admittedWorkloads"].integer_or(0));
}

Result<std::string> describe(ClusterClient& client) {
  const auto list = [&](const objects::Resource& resource) {
    return client.ask({.verb = client::Verb::list, .resource = resource});
  };
  const Value nodes = TRY(list(objects::resources::nodes));
  const Value queues = TRY(list(objects::resources::cluster_queues));
  const Value pods = TRY(list(objects::resources::pods));
  std::string text = fmt::format("{} nodes:\n", nodes["items"].size());
  for (View node : nodes["items"].elements()) text += node_line(node);
  text += fmt::format("{} queues:\n", queues["items"].size());
  for (View queue : queues["items"].elements()) text += queue_line(queue);
  std::map<std::string, int> phases;
  for (View pod : pods["items"].elements()) {
    ++phases[std::string(pod["status"]["phase"].string_or("Pending"))];
  }
  text += fmt::format("{} pods", pods["items"].size());
  for (const auto& [phase, count] : phases) text += fmt::format(", {} {}", count, phase);
  return text + "\n";
}

}  // namespace

int status(const std::string& data, const cli::Output& output) {
  const auto process = cli::running_process(data);
  if (!process) {
    output.out(
        fmt::format("Muster is not up in {}. `muster up --data {}` starts it.\n", data, data));
    return cli::exit_failed;
  }
  auto client = ClusterClient::open({.kubeconfig = data + "/kubeconfig", .context = {}});
  if (!client) return cli::fail(output, client.error());
  output.out(fmt::format("Muster is up (process {}) at {}.\n  kubeconfig {}/kubeconfig, log {}\n",
                         *process, (*client)->server(), data, cli::log_path(data)));
  const auto text = describe(**client);
  if (!text) return cli::fail(output, text.error());
  output.out(*text);
  return cli::exit_done;
}

}  // namespace muster
