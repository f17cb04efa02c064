// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "agent/node_options.h"
#include "base/os/detached_process.h"
#include "base/os/files.h"
#include "base/os/process.h"
#include "objects/builder.h"
#include "objects/json.h"

namespace muster::cli {

namespace {

using objects::Value;
using objects::View;

constexpr std::size_t settings_bytes_max = std::size_t{1024} * 1024;

std::string settings_path(const std::string& data) {
  return data + "/settings.json";
}

// A node a line; empty lines and those that begin with # say nothing.
Result<std::vector<std::string>> nodes_in_file(const std::string& path) {
  const std::string text = TRY(read_whole_file(path, settings_bytes_max));
  std::vector<std::string> nodes;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    if (!line.empty() && line.front() != '#') nodes.push_back(std::move(line));
    begin = end + 1;
  }
  if (nodes.empty()) return Error::invalid(fmt::format("{} names no node", path), "--nodes");
  return nodes;
}

Value to_value(const Settings& settings) {
  objects::Builder builder;
  std::vector<objects::Node> nodes;
  for (const std::string& node : settings.nodes) nodes.push_back(builder.text(node));
  std::vector<objects::Node> paths;
  for (const std::string& path : settings.host_paths) paths.push_back(builder.text(path));
  std::vector<objects::Node> folders;
  for (const std::string& folder : settings.cdi_folders) folders.push_back(builder.text(folder));
  const objects::Node::Member members[] = {
      {builder.text("listen"), builder.text(settings.listen)},
      {builder.text("kubeconfig"), builder.text(settings.kubeconfig)},
      {builder.text("nodes"), builder.array(nodes)},
      {builder.text("hostPaths"), builder.array(paths)},
      {builder.text("cdiFolders"), builder.array(folders)},
      {builder.text("hostImages"), builder.text(settings.host_images)}};
  const objects::Node root = builder.object(members);
  return std::move(builder).finish(root);
}

}  // namespace

Result<ListenAddress> parse_listen(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const auto refuse = [&] {
    return Error::invalid(fmt::format("'{}' is not HOST:PORT, such as 127.0.0.1:7443", text),
                          "--listen");
  };
  if (colon == std::string::npos || colon == 0) return refuse();
  ListenAddress address;
  address.host = text.substr(0, colon);
  if (address.host.front() == '[' && address.host.back() == ']') {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, address.port);
  if (parsed.ec != std::errc() || parsed.ptr != end || address.host.empty()) return refuse();
  return address;
}

Result<std::string> data_folder(const std::string& given) {
  std::string folder = given;
  if (folder.empty()) folder = environment_variable("MUSTER_DATA").value_or("");
  if (folder.empty()) {
    const auto home = environment_variable("HOME");
    if (!home || home->empty()) {
      return Error::invalid("HOME is not set: say where the platform lives", "--data");
    }
    folder = *home + "/.muster";
  }
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  if (folder.front() == '/') return folder;
  return TRY(working_folder()) + "/" + folder;
}

Result<Settings> load_settings(const std::string& data) {
  Settings settings;
  const auto text = read_whole_file(settings_path(data), settings_bytes_max);
  if (!text) return settings;
  const Value saved = TRY(objects::parse_json(*text));
  settings.listen = saved["listen"].string_or(settings.listen);
  settings.kubeconfig = saved["kubeconfig"].string_or("");
  settings.host_images = saved["hostImages"].string_or("");
  for (View path : saved["hostPaths"].elements()) {
    settings.host_paths.emplace_back(path.string_or(""));
  }
  for (View folder : saved["cdiFolders"].elements()) {
    settings.cdi_folders.emplace_back(folder.string_or(""));
  }
  for (View node : saved["nodes"].elements()) settings.nodes.emplace_back(node.string_or(""));
  return settings;
}

Result<> save_settings(const std::string& data, const Settings& settings) {
  return write_private_file(settings_path(data), objects::to_pretty_json(to_value(settings)));
}

Result<> apply(const UpOptions& given, Settings& settings) {
  if (given.listen) settings.listen = *given.listen;
  if (given.kubeconfig) settings.kubeconfig = *given.kubeconfig;
  if (given.host_images) settings.host_images = *given.host_images;
  if (!given.host_paths.empty()) settings.host_paths = given.host_paths;
  for (const std::string& path : settings.host_paths) {
    if (!path.starts_with('/')) {
      return Error::invalid(fmt::format("'{}' is not an absolute path", path), "--host-path");
    }
  }
  if (!given.cdi_folders.empty()) settings.cdi_folders = given.cdi_folders;
  for (const std::string& folder : settings.cdi_folders) {
    if (!folder.starts_with('/')) {
      return Error::invalid(fmt::format("'{}' is not an absolute path", folder), "--cdi-folder");
    }
  }
  if (!given.nodes.empty()) settings.nodes = given.nodes;
  if (!given.nodes_file.empty()) {
    const std::vector<std::string> listed = TRY(nodes_in_file(given.nodes_file));
    settings.nodes = given.nodes;
    settings.nodes.insert(settings.nodes.end(), listed.begin(), listed.end());
  }
  TRY(parse_listen(settings.listen));
  if (settings.nodes.size() > nodes_max) {
    return Error::invalid(fmt::format("at most {} nodes", nodes_max), "--node");
  }
  TRY(agent::parse_node_options(settings.nodes));
  return {};
}

std::optional<std::int64_t> running_process(const std::string& data) {
  constexpr std::size_t pid_bytes_max = 64;
  const auto text = read_whole_file(pid_path(data), pid_bytes_max);
  if (!text) return std::nullopt;
  std::int64_t process = 0;
  std::from_chars(text->data(), text->data() + text->size(), process);
  // The id alone could be another program's by now: the platform holds the lock as long as it
  // lives.
  if (!process_exists(process) || !is_locked(lock_path(data))) return std::nullopt;
  return process;
}

std::string log_path(const std::string& data) {
  return data + "/log";
}
std::string pid_path(const std::string& data) {
  return data + "/pid";
}
std::string lock_path(const std::string& data) {
  return data + "/lock";
}
std::string ready_path(const std::string& data) {
  return data + "/ready";
}
std::string kubeconfig_path(const std::string& data, const Settings& settings) {
  return settings.kubeconfig.empty() ? data + "/kubeconfig" : settings.kubeconfig;
}

}  // namespace muster::cli
