// SPDX-License-Identifier: Apache-2.0
#include "server/http/tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace muster::server {

namespace {

struct Free {
  void operator()(SSL_CTX* pointer) const { SSL_CTX_free(pointer); }
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

constexpr unsigned char http_1_1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

// Clients that offer HTTP/2 as well are told which of theirs it is.
int choose_protocol(SSL* /*connection*/, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned offered_size, void* /*unused*/) {
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, http_1_1, sizeof http_1_1, offered, offered_size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

bool use_certificate(SSL_CTX* context, const CertifiedKey& server) {
  const Owned<BIO> certificate_text = reader_of(server.certificate_pem);
  const Owned<BIO> key_text = reader_of(server.key_pem.reveal());
  if (!certificate_text || !key_text) return false;
  const Owned<X509> certificate = read_x509(certificate_text.get());
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
  return certificate && key && SSL_CTX_use_certificate(context, certificate.get()) == 1 &&
         SSL_CTX_use_PrivateKey(context, key.get()) == 1 && SSL_CTX_check_private_key(context) == 1;
}

bool trust_clients_of(SSL_CTX* context, std::string_view authority_pem) {
  const Owned<BIO> text = reader_of(authority_pem);
  if (!text) return false;
  int count = 0;
  while (const Owned<X509> authority = read_x509(text.get())) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1) return false;
    if (SSL_CTX_add_client_CA(context, authority.get()) != 1) return false;
    ++count;
  }
  ERR_clear_error();  // the end of the text is reported as an error
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  return count > 0;
}

}  // namespace

Result<ssl_ctx_st*> make_server_context(const CertifiedKey& server,
                                        std::string_view client_authority_pem) {
  Owned<SSL_CTX> context(SSL_CTX_new(TLS_server_method()));
  if (!context) return Error::internal("cannot make a TLS context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Thousands of watches are mostly idle: their buffers go back in between.
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(context.get(), choose_protocol, nullptr);
  constexpr unsigned char session_context[] = {'m', 'u', 's', 't', 'e', 'r'};
  SSL_CTX_set_session_id_context(context.get(), session_context, sizeof session_context);
  if (!use_certificate(context.get(), server)) {
    ERR_clear_error();
    return Error::bad_request("the server's certificate and key do not make a pair");
  }
  if (!client_authority_pem.empty() && !trust_clients_of(context.get(), client_authority_pem)) {
    ERR_clear_error();
    return Error::bad_request("the authority of clients is not a certificate in PEM form");
  }
  return context.release();
}

std::optional<CertificateSubject> client_of(const ssl_st* connection) {
  X509* certificate = SSL_get0_peer_certificate(connection);
  if (certificate == nullptr || SSL_get_verify_result(connection) != X509_V_OK) return {};
  const Owned<BIO> text(BIO_new(BIO_s_mem()));
  if (!text || PEM_write_bio_X509(text.get(), certificate) != 1) return {};
  char* start = nullptr;
  const long size = BIO_get_mem_data(text.get(), &start);
  auto facts = read_certificate({start, static_cast<std::size_t>(size)});
  if (!facts) return {};
  return std::move(facts->subject);
}

}  // namespace muster::server
