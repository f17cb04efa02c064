// SPDX-License-Identifier: Apache-2.0
#include "agent/act_encryption.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <array>
#include <utility>

#include "base/checked.h"

namespace muster::agent {

struct ActEncryption::Session {
  Session() {
    context = SSL_CTX_new(TLS_client_method());
    if (context == nullptr) return;
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
    connection = SSL_new(context);
    incoming = BIO_new(BIO_s_mem());
    outgoing = BIO_new(BIO_s_mem());
    if (connection == nullptr) return;
    SSL_set_bio(connection, incoming, outgoing);  // which then belong to it
    SSL_set_connect_state(connection);
  }
  ~Session() {
    if (connection != nullptr) SSL_free(connection);
    if (context != nullptr) SSL_CTX_free(context);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  SSL_CTX* context = nullptr;
  SSL* connection = nullptr;
  BIO* incoming = nullptr;
  BIO* outgoing = nullptr;
};

ActEncryption::ActEncryption() : session_(std::make_unique<Session>()) {}

ActEncryption::~ActEncryption() = default;

std::string ActEncryption::waiting_bytes() {
  std::string bytes;
  std::array<char, 4096> buffer{};
  while (true) {
    const int count =
        BIO_read(session_->outgoing, buffer.data(), saturating_cast<int>(buffer.size()));
    if (count <= 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

std::string ActEncryption::say(std::string request) {
  request_ = std::move(request);
  if (session_->connection == nullptr) return {};
  SSL_do_handshake(session_->connection);
  return waiting_bytes();
}

Result<ActEncryption::Heard> ActEncryption::hear(std::string_view bytes) {
  if (session_->connection == nullptr) return Error::internal("tls: no memory");
  if (bytes.starts_with("HTTP/")) {
    return Error::invalid("http: server gave HTTP response to HTTPS client");
  }
  ERR_clear_error();
  BIO_write(session_->incoming, bytes.data(), saturating_cast<int>(bytes.size()));
  if (!SSL_is_init_finished(session_->connection)) {
    const int outcome = SSL_do_handshake(session_->connection);
    const int why = SSL_get_error(session_->connection, outcome);
    if (outcome != 1 && why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) {
      return Error::invalid("remote error: tls: handshake failure");
    }
  }
  Heard heard;
  if (SSL_is_init_finished(session_->connection)) {
    if (!request_.empty()) {
      SSL_write(session_->connection, request_.data(), saturating_cast<int>(request_.size()));
      request_.clear();
    }
    std::array<char, 4096> buffer{};
    while (true) {
      const int count =
          SSL_read(session_->connection, buffer.data(), saturating_cast<int>(buffer.size()));
      if (count <= 0) break;
      heard.plain.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }
  heard.reply = waiting_bytes();
  return heard;
}

}  // namespace muster::agent
