// Settings: how one platform was started, kept in its data folder, so that a second `muster up` on
// the same folder resumes the same platform without repeating the flags.
//
//   Settings settings = TRY(load_settings(data));
//   TRY(apply(given, settings));
//   TRY(save_settings(data, settings));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace muster::cli {

inline constexpr std::size_t nodes_max = 1000;

// The flags of `muster up` as they were typed; what was not typed is empty.
struct UpOptions {
  std::string data;
  std::optional<std::string> listen;
  std::optional<std::string> kubeconfig;
  std::vector<std::string> nodes;
  std::string nodes_file;  // more of them, a line each
  std::optional<std::string> host_images;
  std::vector<std::string> host_paths;
  std::vector<std::string> cdi_folders;
  bool foreground = false;
};

struct Settings {
  std::string listen = "127.0.0.1:7443";
  std::string kubeconfig;                // empty: <data>/kubeconfig
  std::vector<std::string> nodes;        // as given with --node; empty: this machine as one node
  std::vector<std::string> host_paths;   // folders that pods may mount from
  std::vector<std::string> cdi_folders;  // of device specifications, beside the usual ones
  std::string host_images;               // empty: no image runs on this machine's filesystem
};

struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;
};

// `127.0.0.1:7443`, `[::1]:7443`; port 0 lets the system choose.
Result<ListenAddress> parse_listen(const std::string& text);

// $MUSTER_DATA, else ~/.muster; a folder that was given is made absolute.
Result<std::string> data_folder(const std::string& given);

// Those of an earlier `up`; the defaults where there was none.
Result<Settings> load_settings(const std::string& data);
Result<> save_settings(const std::string& data, const Settings& settings);

// What was given takes the place of what was there; nonsense is refused with the flag's name.
Result<> apply(const UpOptions& given, Settings& settings);

// The process that holds the folder, or nothing. It may still be starting.
std::optional<std::int64_t> running_process(const std::string& data);

// The paths in the folder that several commands use.
std::string log_path(const std::string& data);
std::string pid_path(const std::string& data);
std::string lock_path(const std::string& data);
std::string ready_path(const std::string& data);
std::string kubeconfig_path(const std::string& data, const Settings& settings);

}  // namespace muster::cli
