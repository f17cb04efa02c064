// Certificates: a small authority of our own (ECDSA P-256, X.509). It is made at the first start
// and vouches for the server and for clients. Everything is PEM text; who calls keeps the files.
//
//   const CertifiedKey authority = TRY(make_authority("muster", clock.wall()));
//   const CertifiedKey server = TRY(issue_certificate(
//       authority, {.common_name = "muster", .hosts = server_hosts("10.0.0.5")}, clock.wall()));
//
// Assumes: the operating system's random numbers, through OpenSSL: keys never come from Random.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"
#include "base/result.h"
#include "base/secret.h"

namespace muster::server {

inline constexpr Span authority_lifetime = Span::of_seconds(10LL * 365 * 24 * 3600);
inline constexpr Span certificate_lifetime = Span::of_seconds(365LL * 24 * 3600);

struct CertifiedKey {
  std::string certificate_pem;
  Secret key_pem;
};

// Whom a certificate is for: CN and O, which are a client's name and groups.
struct CertificateSubject {
  std::string common_name;
  std::vector<std::string> organizations = {};
  std::string fingerprint = {};  // SHA-256 of the certificate, in hexadecimal
};

struct CertificateRequest {
  std::string common_name;
  std::vector<std::string> organizations = {};
  std::vector<std::string> hosts = {};  // names and addresses: a server's; empty: a client's
};

// What is written in a certificate.
struct CertificateFacts {
  CertificateSubject subject;
  std::vector<std::string> hosts = {};
  Instant expires = {};
  bool is_authority = false;
};

Result<CertifiedKey> make_authority(std::string_view common_name, Instant now);

Result<CertifiedKey> issue_certificate(const CertifiedKey& authority,
                                       const CertificateRequest& request, Instant now);

// Whom a request for a certificate (PKCS#10, PEM) asks one for. Fails with bad_request where it is
// none, or is not signed with its own key.
Result<CertificateSubject> read_certificate_request(std::string_view pem);

// A client's certificate for the subject and the key of such a request, in PEM form.
Result<std::string> sign_certificate_request(const CertifiedKey& authority, std::string_view pem,
                                             Span lifetime, Instant now);

// The first certificate of the text. Fails with bad_request.
Result<CertificateFacts> read_certificate(std::string_view pem);

// What clients may call a server that listens on this host: this machine's usual names, the
// cluster's, and the host itself.
std::vector<std::string> server_hosts(std::string_view listen_host);

}  // namespace muster::server
