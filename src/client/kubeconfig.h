// Kubeconfig: how to reach a cluster and who one is there, read from and written to the file that
// kubectl uses. Certificates, keys and tokens may stand in the file or beside it; plugins that
// fetch credentials are refused with a sentence.
//
//   const ClusterAccess access = TRY(read_kubeconfig(text, {.folder = "/home/a/.kube"}, read));
//   write(path, kubeconfig_text(access));
//
// Assumes: the caller reads files (`read`), so that this stays a function of texts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"
#include "base/unique_function.h"

namespace muster::client {

inline constexpr std::size_t kubeconfig_bytes_max = std::size_t{1024} * 1024;

struct ClusterAccess {
  std::string context;  // its name in the file
  std::string server;   // "https://127.0.0.1:6443"
  std::string authority_pem = {};
  bool insecure_skip_tls_verify = false;
  std::string tls_server_name = {};  // what the certificate must say; empty: the server's host
  std::string client_certificate_pem = {};
  Secret client_key_pem = {};
  Secret token = {};
  std::string name_space = "default";
};

struct KubeconfigQuestion {
  std::string_view folder = {};   // of the file: relative paths in it start there
  std::string_view context = {};  // empty: the current one
};

// Reads a file that the kubeconfig names.
using ReadFile = UniqueFunction<Result<std::string>(const std::string& path)>;

// Errors say which part of the file they speak of.
Result<ClusterAccess> read_kubeconfig(std::string_view text, const KubeconfigQuestion& question,
                                      ReadFile read_file);

// A file with this one cluster, user and context. It holds secrets: keep it at mode 0600.
std::string kubeconfig_text(const ClusterAccess& access);

}  // namespace muster::client
