// TlsPeer: a client that says exactly what a test wants it to say, over blocking TLS, and reads
// HTTP answers byte by byte. It knows no limits and no manners; for tests and benchmarks alone.
//
//   TlsPeer peer(listener.address(), {.authority_pem = authority.certificate_pem});
//   peer.send("GET /version HTTP/1.1\r\nHost: x\r\n\r\n");
//   HttpAnswer answer = peer.read_answer();
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace muster::tests {

struct HttpAnswer {
  int status = 0;  // 0: the connection ended before there was one
  std::map<std::string, std::string> headers = {};
  std::string body = {};
};

struct TlsPeerOptions {
  std::string authority_pem = {};    // empty: whoever answers is believed
  std::string certificate_pem = {};  // empty: none is shown
  std::string_view key_pem = {};
};

class TlsPeer {
 public:
  explicit TlsPeer(const std::string& address, const TlsPeerOptions& options = {}) {
    std::signal(SIGPIPE, SIG_IGN);  // a write to a peer that has left fails instead
    context_.reset(SSL_CTX_new(TLS_client_method()));
    if (!options.authority_pem.empty()) {
      const Bio text(BIO_new_mem_buf(options.authority_pem.data(), -1));
      const X509Pointer authority(PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr));
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context_.get()), authority.get());
      SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    }
    if (!options.certificate_pem.empty()) show(options);
    stream_.reset(BIO_new_ssl_connect(context_.get()));
    BIO_set_conn_hostname(stream_.get(), address.c_str());
    SSL* ssl = nullptr;
    BIO_get_ssl(stream_.get(), &ssl);
    SSL_set_mode(ssl, SSL_MODE_AUTO_RETRY);
    is_connected_ = BIO_do_connect(stream_.get()) == 1 && BIO_do_handshake(stream_.get()) == 1;
    ERR_clear_error();
  }

  bool is_connected() const { return is_connected_; }

  // False when the connection is gone.
  bool send(std::string_view text) {
    while (!text.empty()) {
      const int sent = BIO_write(stream_.get(), text.data(),
                                 static_cast<int>(std::min<std::size_t>(text.size(), 1 << 20)));
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Reads until the text is there; false when the connection ends before.
  bool read_until(std::string_view text) {
    while (buffer_.find(text) == std::string::npos) {
      if (!read_some()) return false;
    }
    return true;
  }

  std::string read_to_end() {
    while (read_some()) {
    }
    return std::exchange(buffer_, {});
  }

  // The status and headers alone; a stream follows.
  HttpAnswer read_head() {
    HttpAnswer answer;
    if (!read_until("\r\n\r\n")) return answer;
    const std::size_t end = buffer_.find("\r\n\r\n");
    std::string head = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    answer.status = std::atoi(head.substr(9, 3).c_str());
    std::size_t at = head.find("\r\n") + 2;
    while (at < head.size()) {
      const std::size_t line_end = head.find("\r\n", at);
      const std::string line = head.substr(at, line_end - at);
      const std::size_t colon = line.find(": ");
      answer.headers[line.substr(0, colon)] = line.substr(colon + 2);
      at = line_end + 2;
    }
    return answer;
  }

  HttpAnswer read_answer() {
    HttpAnswer answer = read_head();
    if (answer.headers.contains("Transfer-Encoding")) {
      while (true) {
        const std::string chunk = read_chunk();
        if (chunk.empty()) return answer;
        answer.body += chunk;
      }
    }
    const auto length = answer.headers.find("Content-Length");
    if (length == answer.headers.end()) return answer;
    const auto size = static_cast<std::size_t>(std::atoll(length->second.c_str()));
    while (buffer_.size() < size && read_some()) {
    }
    answer.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return answer;
  }

  // How many bytes the next answer has, head and all.
  std::size_t read_answer_bytes() {
    read_until("\r\n\r\n");
    const std::size_t head = buffer_.find("\r\n\r\n") + 4;
    return head + read_answer().body.size();
  }

  // That many bytes, whatever they are; false when the connection ends before.
  bool read_bytes(std::size_t count) {
    while (buffer_.size() < count) {
      if (!read_some()) return false;
    }
    buffer_.erase(0, count);
    return true;
  }

  void close() { stream_.reset(); }

  // The bytes of the next chunk; empty for the last one, or when the connection ends.
  std::string read_chunk() {
    if (!read_until("\r\n")) return {};
    const std::size_t line = buffer_.find("\r\n");
    const auto size = static_cast<std::size_t>(std::strtoull(buffer_.c_str(), nullptr, 16));
    buffer_.erase(0, line + 2);
    while (buffer_.size() < size + 2) {
      if (!read_some()) return {};
    }
    std::string chunk = buffer_.substr(0, size);
    buffer_.erase(0, size + 2);
    return chunk;
  }

 private:
  struct Free {
    void operator()(SSL_CTX* pointer) const { SSL_CTX_free(pointer); }
    void operator()(BIO* pointer) const { BIO_free_all(pointer); }
    void operator()(X509* pointer) const { X509_free(pointer); }
    void operator()(EVP_PKEY* pointer) const { EVP_PKEY_free(pointer); }
  };
  using Bio = std::unique_ptr<BIO, Free>;
  using X509Pointer = std::unique_ptr<X509, Free>;

  void show(const TlsPeerOptions& options) {
    const Bio certificate_text(BIO_new_mem_buf(options.certificate_pem.data(), -1));
    const Bio key_text(
        BIO_new_mem_buf(options.key_pem.data(), static_cast<int>(options.key_pem.size())));
    const X509Pointer certificate(
        PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr));
    const std::unique_ptr<EVP_PKEY, Free> key(
        PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_certificate(context_.get(), certificate.get());
    SSL_CTX_use_PrivateKey(context_.get(), key.get());
  }

  bool read_some() {
    char bytes[16 * 1024];
    const int size = BIO_read(stream_.get(), bytes, sizeof bytes);
    if (size <= 0) return false;
    buffer_.append(bytes, static_cast<std::size_t>(size));
    return true;
  }

  std::unique_ptr<SSL_CTX, Free> context_;
  Bio stream_;
  bool is_connected_ = false;
  std::string buffer_;
};

}  // namespace muster::tests
