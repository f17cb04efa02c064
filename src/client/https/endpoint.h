// Endpoint: where a server is and how it is recognised: the address of a kubeconfig taken apart,
// and the TLS context that trusts its authority and shows our certificate.
//
//   const Endpoint endpoint = TRY(parse_endpoint("https://10.0.0.5:6443/prefix"));
//   TlsContext context = TRY(make_client_context(access));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/kubeconfig.h"

struct ssl_ctx_st;
struct ssl_st;

namespace muster::client {

struct Endpoint {
  std::string host;         // a name, or an address without brackets
  std::string port;         // "443" where none is said
  std::string path_prefix;  // without a slash at its end

  // As the Host header has it.
  std::string authority() const;
};

Result<Endpoint> parse_endpoint(std::string_view url);

struct FreeTlsContext {
  void operator()(ssl_ctx_st* context) const;
};
using TlsContext = std::unique_ptr<ssl_ctx_st, FreeTlsContext>;

Result<TlsContext> make_client_context(const ClusterAccess& access);

// A connection of the context that accepts a server of this name (or address) alone, unless the
// context verifies nobody. The caller frees it; null when memory is short.
ssl_st* make_client_connection(ssl_ctx_st* context, const std::string& server_name);

}  // namespace muster::client
