// Credentials: the keys and tokens of a platform, made at its first start and read afterwards. They
// lie in the data folder, readable by its owner alone: tls/ (authority, server, and the key that
// signs tokens of service accounts), and kubeconfig, which holds the administrator's token in
// clear.
//
//   Credentials credentials = TRY(load_credentials(data, settings, gateway, random, clock.wall()));
//   TRY(write_kubeconfig(…, address));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/instant.h"
#include "base/random.h"
#include "base/result.h"
#include "base/secret.h"
#include "cli/settings.h"
#include "server/authentication.h"
#include "server/certificates.h"

namespace muster {

struct Credentials {
  server::CertifiedKey authority;
  server::CertifiedKey server;
  Secret service_account_key;
  std::vector<server::TokenRecord> tokens;
  Secret admin_token;
};

// Makes what is missing or about to expire. A damaged file is an error that names it.
// `pod_gateway` is the machine as its pods see it, for which the server's certificate is good too;
// empty: there are no pods.
Result<Credentials> load_credentials(const std::string& data, const cli::Settings& settings,
                                     const std::string& pod_gateway, Random& random, Instant now);

// In the data folder, and where the settings ask for it as well.
Result<> write_kubeconfigs(const std::string& data, const cli::Settings& settings,
                           const Credentials& credentials, const std::string& address);

}  // namespace muster
