// SPDX-License-Identifier: Apache-2.0
#include "server/token_signer.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "objects/json.h"
#include "server/freed.h"

namespace muster::server {

using objects::Value;
using objects::View;

namespace {

using PrivateKey = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Memory = std::unique_ptr<BIO, Freed<BIO_free>>;
using Digest = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;
using Number = std::unique_ptr<BIGNUM, Freed<BN_free>>;

constexpr int coordinate_bytes = 32;
constexpr std::size_t signature_bytes = std::size_t{2} * coordinate_bytes;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Error cannot(std::string_view what) {
  ERR_clear_error();
  return Error::internal(fmt::format("cannot {}", what));
}

Error no_token() {
  ERR_clear_error();
  return {ErrorCode::unauthorized, "Unauthorized"};
}

std::string fixed_width(const BIGNUM* number) {
  std::string bytes(coordinate_bytes, '\0');
  BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), coordinate_bytes);
  return bytes;
}

// From ASN.1, which OpenSSL speaks, to two numbers of fixed width, which tokens have.
Result<std::string> as_two_numbers(std::string_view der) {
  const unsigned char* at = bytes_of(der);
  const Signature signature(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  if (!signature) return cannot("read a signature");
  return fixed_width(ECDSA_SIG_get0_r(signature.get())) +
         fixed_width(ECDSA_SIG_get0_s(signature.get()));
}

Result<std::string> as_asn1(std::string_view two_numbers) {
  const Signature signature(ECDSA_SIG_new());
  Number r(BN_bin2bn(bytes_of(two_numbers), coordinate_bytes, nullptr));
  Number s(BN_bin2bn(bytes_of(two_numbers) + coordinate_bytes, coordinate_bytes, nullptr));
  if (!signature || !r || !s || ECDSA_SIG_set0(signature.get(), r.get(), s.get()) != 1) {
    return no_token();
  }
  static_cast<void>(r.release());  // the signature owns them now
  static_cast<void>(s.release());
  unsigned char* bytes = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &bytes);
  if (size <= 0) return no_token();
  std::string der(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return der;
}

Result<std::string> key_digest(EVP_PKEY* key) {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key, &der);
  if (size <= 0) return cannot("read a public key");
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned digest_size = 0;
  const int done = EVP_Digest(der, static_cast<std::size_t>(size), digest.data(), &digest_size,
                              EVP_sha256(), nullptr);
  OPENSSL_free(der);
  if (done != 1) return cannot("digest a public key");
  return base64_url_encode({reinterpret_cast<const char*>(digest.data()), digest_size});
}

std::string coordinate(const EVP_PKEY* key, const char* name) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &raw) != 1) return {};
  const Number number(raw);
  return base64_url_encode(fixed_width(number.get()));
}

bool is_p256(const EVP_PKEY* key) {
  std::array<char, 64> curve{};
  std::size_t size = 0;
  return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
         EVP_PKEY_get_group_name(key, curve.data(), curve.size(), &size) == 1 &&
         std::string_view(curve.data(), size) == "prime256v1";
}

}  // namespace

struct TokenSigner::Key {
  PrivateKey pair;
};

TokenSigner::TokenSigner(std::unique_ptr<Key> key, std::string key_id)
    : key_(std::move(key)), key_id_(std::move(key_id)) {}
TokenSigner::TokenSigner(TokenSigner&&) noexcept = default;
TokenSigner& TokenSigner::operator=(TokenSigner&&) noexcept = default;
TokenSigner::~TokenSigner() = default;

Result<Secret> TokenSigner::make_key() {
  const PrivateKey key(EVP_EC_gen("P-256"));
  const Memory text(BIO_new(BIO_s_secmem()));
  if (!key || !text ||
      PEM_write_bio_PKCS8PrivateKey(text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return cannot("make a key");
  }
  char* start = nullptr;
  const long size = BIO_get_mem_data(text.get(), &start);
  return Secret(std::string(start, static_cast<std::size_t>(std::max(size, 0L))));
}

Result<TokenSigner> TokenSigner::of_key(std::string_view key_pem) {
  const Memory text(BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size())));
  auto key = std::make_unique<Key>();
  if (text) key->pair.reset(PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (!key->pair || !is_p256(key->pair.get())) {
    return Error::bad_request("is not a private key on P-256 in PEM form");
  }
  std::string id = TRY(key_digest(key->pair.get()));
  return TokenSigner(std::move(key), std::move(id));
}

Result<std::string> TokenSigner::sign(View claims) const {
  const std::string header = fmt::format(R"({{"alg":"ES256","kid":"{}"}})", key_id_);
  std::string token = base64_url_encode(header) + "." + base64_url_encode(objects::to_json(claims));
  const Digest context(EVP_MD_CTX_new());
  std::array<unsigned char, 128> signature{};
  std::size_t size = signature.size();
  if (!context ||
      EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key_->pair.get()) != 1 ||
      EVP_DigestSign(context.get(), signature.data(), &size, bytes_of(token), token.size()) != 1) {
    return cannot("sign a token");
  }
  const std::string_view der(reinterpret_cast<const char*>(signature.data()), size);
  token += "." + base64_url_encode(TRY(as_two_numbers(der)));
  return token;
}

Result<Value> TokenSigner::verify(std::string_view token) const {
  if (!is_web_token(token)) return no_token();
  const std::size_t first = token.find('.');
  const std::size_t second = token.rfind('.');
  const auto header_text = base64_url_decode(token.substr(0, first));
  const auto claims_text = base64_url_decode(token.substr(first + 1, second - first - 1));
  const auto signature = base64_url_decode(token.substr(second + 1));
  if (!header_text || !claims_text || !signature || signature->size() != signature_bytes) {
    return no_token();
  }
  const auto header = objects::parse_json(*header_text);
  if (!header || (*header)["alg"].string_or("") != "ES256" ||
      (*header)["kid"].string_or("") != key_id_) {
    return no_token();
  }
  const std::string der = TRY(as_asn1(*signature));
  const Digest context(EVP_MD_CTX_new());
  const std::string_view signed_part = token.substr(0, second);
  if (!context ||
      EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key_->pair.get()) != 1 ||
      EVP_DigestVerify(context.get(), bytes_of(der), der.size(), bytes_of(signed_part),
                       signed_part.size()) != 1) {
    return no_token();
  }
  auto claims = objects::parse_json(*claims_text);
  if (!claims || !claims->view().is_object()) return no_token();
  return claims;
}

Value TokenSigner::key_set() const {
  const EVP_PKEY* key = key_->pair.get();
  return Value::object(
      {{"keys", Value::array({Value::object(
                    {{"use", Value::string("sig")},
                     {"kty", Value::string("EC")},
                     {"kid", Value::string(key_id_)},
                     {"crv", Value::string("P-256")},
                     {"alg", Value::string("ES256")},
                     {"x", Value::string(coordinate(key, OSSL_PKEY_PARAM_EC_PUB_X))},
                     {"y", Value::string(coordinate(key, OSSL_PKEY_PARAM_EC_PUB_Y))}})})}});
}

bool is_web_token(std::string_view text) {
  if (text.size() > web_token_bytes_max) return false;
  return std::count(text.begin(), text.end(), '.') == 2;
}

std::string base64_url_encode(std::string_view bytes) {
  std::string text = base64_encode(bytes);
  while (text.ends_with('=')) text.pop_back();
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

Result<std::string> base64_url_decode(std::string_view text) {
  if (text.find_first_of("+/=\r\n") != std::string_view::npos) {
    return Error::bad_request("is not base64 of the alphabet for addresses");
  }
  std::string standard(text);
  std::replace(standard.begin(), standard.end(), '-', '+');
  std::replace(standard.begin(), standard.end(), '_', '/');
  standard.append((4 - standard.size() % 4) % 4, '=');
  return base64_decode(standard);
}

}  // namespace muster::server
