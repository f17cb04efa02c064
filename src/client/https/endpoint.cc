// SPDX-License-Identifier: Apache-2.0
#include "client/https/endpoint.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <charconv>
#include <cstdint>

namespace muster::client {

namespace {

struct Free {
  void operator()(BIO* pointer) const { BIO_free(pointer); }
  void operator()(X509* pointer) const { X509_free(pointer); }
  void operator()(EVP_PKEY* pointer) const { EVP_PKEY_free(pointer); }
};

template <class T>
using Owned = std::unique_ptr<T, Free>;

Owned<BIO> reader_of(std::string_view text) {
  return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

Owned<X509> read_x509(BIO* from) {
  return Owned<X509>(PEM_read_bio_X509(from, nullptr, nullptr, nullptr));
}

bool trust(SSL_CTX* context, std::string_view authorities_pem) {
  const Owned<BIO> text = reader_of(authorities_pem);
  int count = 0;
  while (const Owned<X509> authority = read_x509(text.get())) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1) return false;
    ++count;
  }
  ERR_clear_error();  // the end of the text is reported as an error
  return count > 0;
}

bool show(SSL_CTX* context, const ClusterAccess& access) {
  const Owned<BIO> certificates = reader_of(access.client_certificate_pem);
  const Owned<BIO> key_text = reader_of(access.client_key_pem.reveal());
  const Owned<X509> own = read_x509(certificates.get());
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
  if (!own || !key || SSL_CTX_use_certificate(context, own.get()) != 1) return false;
  while (const Owned<X509> between = read_x509(certificates.get())) {
    if (SSL_CTX_add1_chain_cert(context, between.get()) != 1) return false;
  }
  ERR_clear_error();
  return SSL_CTX_use_PrivateKey(context, key.get()) == 1 && SSL_CTX_check_private_key(context) == 1;
}

bool is_port(std::string_view text) {
  std::uint16_t number = 0;
  const auto [end, fault] = std::from_chars(text.begin(), text.end(), number);
  return fault == std::errc() && end == text.end() && number > 0;
}

}  // namespace

std::string Endpoint::authority() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

Result<Endpoint> parse_endpoint(std::string_view url) {
  constexpr std::string_view scheme = "https://";
  const auto refuse = [&] {
    return Error::bad_request(fmt::format("\"{}\" is not the address of a server", url));
  };
  if (!url.starts_with(scheme)) return refuse();
  std::string_view rest = url.substr(scheme.size());
  for (const char c : rest) {
    const bool is_plain =
        static_cast<unsigned char>(c) > ' ' && static_cast<unsigned char>(c) < 0x7f;
    if (!is_plain || c == '@' || c == '?' || c == '#') return refuse();
  }
  Endpoint endpoint{.host = {}, .port = "443", .path_prefix = {}};
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    endpoint.path_prefix = rest.substr(slash);
    while (endpoint.path_prefix.ends_with('/')) endpoint.path_prefix.pop_back();
    rest = rest.substr(0, slash);
  }
  std::size_t host_end = rest.find(':');
  if (rest.starts_with('[')) {
    host_end = rest.find(']');
    if (host_end == std::string_view::npos) return refuse();
    endpoint.host = rest.substr(1, host_end - 1);
    ++host_end;
  } else {
    endpoint.host = rest.substr(0, host_end);
  }
  if (endpoint.host.empty()) return refuse();
  if (host_end >= rest.size()) return endpoint;
  endpoint.port = rest.substr(host_end + 1);
  if (rest[host_end] != ':' || !is_port(endpoint.port)) return refuse();
  return endpoint;
}

void FreeTlsContext::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

Result<TlsContext> make_client_context(const ClusterAccess& access) {
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  if (!context) return Error::internal("cannot make a TLS context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  if (!access.insecure_skip_tls_verify) {
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
    const bool is_trusted = access.authority_pem.empty()
                                ? SSL_CTX_set_default_verify_paths(context.get()) == 1
                                : trust(context.get(), access.authority_pem);
    if (!is_trusted) return Error::bad_request("the cluster's authority is not a certificate");
  }
  if (!access.client_certificate_pem.empty() && !show(context.get(), access)) {
    ERR_clear_error();
    return Error::bad_request("the client certificate and its key do not make a pair");
  }
  return context;
}

ssl_st* make_client_connection(ssl_ctx_st* context, const std::string& server_name) {
  SSL* connection = SSL_new(context);
  if (connection == nullptr) return nullptr;
  X509_VERIFY_PARAM* wanted = SSL_get0_param(connection);
  const bool is_address = X509_VERIFY_PARAM_set1_ip_asc(wanted, server_name.c_str()) == 1;
  ERR_clear_error();
  if (is_address) return connection;
  SSL_ctrl(connection, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
           const_cast<char*>(server_name.c_str()));  // the macro of this has a C cast in it
  X509_VERIFY_PARAM_set_hostflags(wanted, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (SSL_set1_host(connection, server_name.c_str()) == 1) return connection;
  SSL_free(connection);
  return nullptr;
}

}  // namespace muster::client
