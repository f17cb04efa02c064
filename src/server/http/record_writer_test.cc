// SPDX-License-Identifier: Apache-2.0
#include "server/http/record_writer.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <memory>

#include "server/http/tls.h"

namespace muster::server {
namespace {

constexpr Instant now{1'700'000'000'000'000'000};

// A server's and a client's end with memory between them. What the server's own way would carry
// after the handshake is nobody's: only the writer's text is handed on.
class RecordWriterTest : public ::testing::Test {
 protected:
  RecordWriterTest() {
    const CertifiedKey authority = make_authority("test", now).must();
    const CertifiedKey key =
        issue_certificate(authority, {.common_name = "s", .hosts = {"s"}}, now).must();
    server_context_.reset(make_server_context(key, authority.certificate_pem).must());
    client_context_.reset(SSL_CTX_new(TLS_client_method()));
    server_.reset(SSL_new(server_context_.get()));
    client_.reset(SSL_new(client_context_.get()));
    SSL_set_bio(server_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_bio(client_.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(server_.get());
    SSL_set_connect_state(client_.get());
    for (int i = 0; i < 4; ++i) {
      SSL_do_handshake(client_.get());
      move(SSL_get_wbio(client_.get()), SSL_get_rbio(server_.get()));
      SSL_do_handshake(server_.get());
      move(SSL_get_wbio(server_.get()), SSL_get_rbio(client_.get()));
    }
    EXPECT_TRUE(SSL_is_init_finished(server_.get()));
    EXPECT_TRUE(SSL_is_init_finished(client_.get()));
  }

  static void move(BIO* from, BIO* to) {
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(from, &bytes);
    if (size > 0) BIO_write(to, bytes, static_cast<int>(size));
    BIO_reset(from);
  }

  // What the client makes of the bytes.
  std::string read_by_client(const std::string& bytes) {
    BIO_write(SSL_get_rbio(client_.get()), bytes.data(), static_cast<int>(bytes.size()));
    std::string text;
    char buffer[4'096];
    for (int size = 0; (size = SSL_read(client_.get(), buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(size));
    }
    return text;
  }

  struct Freed {
    void operator()(SSL* connection) const { SSL_free(connection); }
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };

  std::unique_ptr<SSL_CTX, Freed> server_context_;
  std::unique_ptr<SSL_CTX, Freed> client_context_;
  std::unique_ptr<SSL, Freed> server_;
  std::unique_ptr<SSL, Freed> client_;
};

TEST_F(RecordWriterTest, a_text_of_many_records_is_one_piece) {
  RecordWriter records(server_.get());
  records.begin();
  const std::string text(100'000, 'x');
  ASSERT_TRUE(records.seal(text));
  EXPECT_EQ(read_by_client(records.take()), text);
  EXPECT_EQ(records.take(), "");
}

TEST_F(RecordWriterTest, an_answer_to_new_keys_goes_out_before_the_next_text) {
  RecordWriter records(server_.get());
  records.begin();
  ASSERT_TRUE(records.seal("before"));
  const std::string& sent = records.take();
  const std::string copy = sent;
  ASSERT_EQ(SSL_key_update(client_.get(), SSL_KEY_UPDATE_REQUESTED), 1);
  ASSERT_EQ(SSL_write(client_.get(), "ask", 3), 3);
  move(SSL_get_wbio(client_.get()), SSL_get_rbio(server_.get()));
  char heard[8];
  ASSERT_EQ(SSL_read(server_.get(), heard, sizeof heard), 3);
  EXPECT_EQ(sent, copy);  // what is on its way stays as it is
  EXPECT_EQ(read_by_client(sent), "before");
  ASSERT_TRUE(records.seal("after"));
  EXPECT_EQ(read_by_client(records.take()), "after");
}

TEST_F(RecordWriterTest, the_connection_gets_its_own_way_back) {
  RecordWriter records(server_.get());
  BIO* const own = SSL_get_wbio(server_.get());
  records.begin();
  EXPECT_NE(SSL_get_wbio(server_.get()), own);
  records.end();
  EXPECT_EQ(SSL_get_wbio(server_.get()), own);
  ASSERT_EQ(SSL_write(server_.get(), "own", 3), 3);
  move(own, SSL_get_rbio(client_.get()));
  EXPECT_EQ(read_by_client(""), "own");
}

}  // namespace
}  // namespace muster::server
