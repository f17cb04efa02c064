// The server's side of TLS in terms of OpenSSL alone: how a context is set up, and who the client
// of a connection is.
//
//   SSL_CTX* context = TRY(make_server_context(server, client_authority_pem));   // caller frees
//   std::optional<CertificateSubject> client = client_of(ssl);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "server/certificates.h"

struct ssl_ctx_st;
struct ssl_st;

namespace muster::server {

// TLS 1.2 and newer, no renegotiation, HTTP/1.1 by ALPN. Clients may show a certificate of the
// authority; one of another authority ends the handshake.
Result<ssl_ctx_st*> make_server_context(const CertifiedKey& server,
                                        std::string_view client_authority_pem);

// The subject of the certificate that the client has proved to hold.
std::optional<CertificateSubject> client_of(const ssl_st* connection);

}  // namespace muster::server
