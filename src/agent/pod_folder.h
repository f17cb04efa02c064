// The folder of a pod below the data folder: what lies where. The shim writes all of it but `spec`
// and the volumes; the platform reads it, also long after the shim has ended.
//
//   pods/<uid>/spec.json           what the shim was told to run
//   pods/<uid>/state.json          what became of it, replaced whole at each change
//   pods/<uid>/lock                held as long as the shim lives
//   pods/<uid>/control             the socket on which the shim listens
//   pods/<uid>/attach/<container>  … on which it lets others read and write with the container
//   pods/<uid>/shim.log            what the shim had to complain about
//   pods/<uid>/logs/<container>/<attempt>.log, .log.1 … .log.4    newest first
//   pods/<uid>/last-words/<container>    its termination message
//   pods/<uid>/oci/<container>/<attempt>/    a container's bundle, where it runs from an image
//   pods/<uid>/runc/               what runc keeps of its containers
//   pods/<uid>/etc/, workspace/    hosts, resolv.conf, hostname; the pod's own writable folder
//
//   std::string path = pod_folder::log_path(folder, "main", 0);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace muster::agent::pod_folder {

inline constexpr const char* control_name = "control";

inline std::string spec_path(const std::string& folder) {
  return folder + "/spec.json";
}
inline std::string state_path(const std::string& folder) {
  return folder + "/state.json";
}
inline std::string lock_path(const std::string& folder) {
  return folder + "/lock";
}
inline std::string shim_log_path(const std::string& folder) {
  return folder + "/shim.log";
}
inline std::string logs_path(const std::string& folder) {
  return folder + "/logs";
}
inline std::string attach_path(const std::string& folder) {
  return folder + "/attach";
}
inline std::string etc_path(const std::string& folder) {
  return folder + "/etc";
}
inline std::string workspace_path(const std::string& folder) {
  return folder + "/workspace";
}

inline std::string runc_path(const std::string& folder) {
  return folder + "/runc";
}
inline std::string bundle_path(const std::string& folder, std::string_view container, int attempt) {
  return folder + "/oci/" + std::string(container) + "/" + std::to_string(attempt);
}

inline std::string last_words_folder(const std::string& folder) {
  return folder + "/last-words";
}
inline std::string last_words_path(const std::string& folder, std::string_view container) {
  return last_words_folder(folder) + "/" + std::string(container);
}

inline std::string log_folder(const std::string& folder, std::string_view container) {
  return logs_path(folder) + "/" + std::string(container);
}

// The part of the log of one run that is being written; generation 1 is the part before it, up to
// log_files_max - 1. Of the runs, the last two are kept.
inline std::string log_path(const std::string& folder, std::string_view container, int attempt,
                            int generation = 0) {
  std::string path = log_folder(folder, container) + "/" + std::to_string(attempt) + ".log";
  if (generation > 0) path += "." + std::to_string(generation);
  return path;
}

}  // namespace muster::agent::pod_folder
