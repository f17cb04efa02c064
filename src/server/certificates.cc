// SPDX-License-Identifier: Apache-2.0
#include "server/certificates.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>

#include "server/freed.h"

namespace muster::server {

namespace {

using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using SignedRequest = std::unique_ptr<X509_REQ, Freed<X509_REQ_free>>;
using Memory = std::unique_ptr<BIO, Freed<BIO_free>>;
using Number = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Freed<GENERAL_NAMES_free>>;
using OneName = std::unique_ptr<GENERAL_NAME, Freed<GENERAL_NAME_free>>;
using Octets = std::unique_ptr<ASN1_OCTET_STRING, Freed<ASN1_OCTET_STRING_free>>;

// Clocks of clients may be behind.
constexpr Span backdating = Span::of_seconds(3600);
constexpr int serial_bits = 159;  // at most 20 bytes with a sign: RFC 5280
constexpr int version_3 = 2;

Error openssl_error(std::string_view doing) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  ERR_clear_error();
  return Error::internal(fmt::format("{}: {}", doing, text.data()));
}

Memory reader_of(std::string_view text) {
  return Memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string text_of(BIO* memory) {
  char* start = nullptr;
  const long size = BIO_get_mem_data(memory, &start);
  return size <= 0 ? std::string() : std::string(start, static_cast<std::size_t>(size));
}

// An ASN.1 string as UTF-8; empty where it cannot be.
std::string utf8_of(const ASN1_STRING* string) {
  unsigned char* bytes = nullptr;
  const int size = ASN1_STRING_to_UTF8(&bytes, string);
  if (size < 0) return {};
  std::string text(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return text;
}

bool add_to_name(X509_NAME* name, int field, std::string_view value) {
  return X509_NAME_add_entry_by_NID(name, field, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool add_extension(X509* certificate, X509* issuer, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

OneName name_of_host(const std::string& host) {
  OneName name(GENERAL_NAME_new());
  if (!name) return name;
  if (Octets address(a2i_IPADDRESS(host.c_str())); address) {
    GENERAL_NAME_set0_value(name.get(), GEN_IPADD, address.release());
    return name;
  }
  ERR_clear_error();
  ASN1_IA5STRING* text = ASN1_IA5STRING_new();
  if (text == nullptr) return nullptr;
  ASN1_STRING_set(text, host.data(), static_cast<int>(host.size()));
  GENERAL_NAME_set0_value(name.get(), GEN_DNS, text);
  return name;
}

// Built piece by piece: the text form of OpenSSL would read a comma in a host as another name.
bool add_hosts(X509* certificate, const std::vector<std::string>& hosts) {
  const Names names(GENERAL_NAMES_new());
  if (!names) return false;
  for (const std::string& host : hosts) {
    OneName name = name_of_host(host);
    if (!name || sk_GENERAL_NAME_push(names.get(), name.get()) <= 0) return false;
    static_cast<void>(name.release());  // the list owns it now
  }
  return X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, 0) == 1;
}

bool set_lifetime(X509* certificate, Instant now, Span lifetime) {
  const auto seconds = [](Instant instant) {
    return static_cast<std::time_t>(instant.nanoseconds / 1'000'000'000);
  };
  return ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(now - backdating)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(now + lifetime)) != nullptr;
}

bool set_serial(X509* certificate) {
  const Number number(BN_new());
  return number && BN_rand(number.get(), serial_bits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

// A certificate with everything but extensions and issuer.
Certificate begin_certificate(EVP_PKEY* key, const CertificateRequest& request, Instant now,
                              Span lifetime) {
  Certificate certificate(X509_new());
  if (!certificate || X509_set_version(certificate.get(), version_3) != 1 ||
      !set_serial(certificate.get()) || !set_lifetime(certificate.get(), now, lifetime) ||
      X509_set_pubkey(certificate.get(), key) != 1) {
    return nullptr;
  }
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  for (const std::string& organization : request.organizations) {
    if (!add_to_name(subject, NID_organizationName, organization)) return nullptr;
  }
  if (!add_to_name(subject, NID_commonName, request.common_name)) return nullptr;
  return certificate;
}

Result<CertifiedKey> as_pem(X509* certificate, EVP_PKEY* key) {
  const Memory certificate_text(BIO_new(BIO_s_mem()));
  const Memory key_text(BIO_new(BIO_s_secmem()));
  if (!certificate_text || !key_text ||
      PEM_write_bio_X509(certificate_text.get(), certificate) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return openssl_error("cannot write a certificate");
  }
  return CertifiedKey{.certificate_pem = text_of(certificate_text.get()),
                      .key_pem = Secret(text_of(key_text.get()))};
}

Result<Certificate> parse_certificate(std::string_view pem) {
  const Memory memory = reader_of(pem);
  Certificate certificate(memory ? PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr)
                                 : nullptr);
  ERR_clear_error();
  if (!certificate) return Error::bad_request("is not a certificate in PEM form");
  return certificate;
}

Result<Key> parse_key(std::string_view pem) {
  const Memory memory = reader_of(pem);
  Key key(memory ? PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr) : nullptr);
  ERR_clear_error();
  if (!key) return Error::bad_request("is not a private key in PEM form");
  return key;
}

std::string host_of(const GENERAL_NAME* name) {
  int kind = 0;
  void* value = GENERAL_NAME_get0_value(name, &kind);
  if (kind == GEN_DNS) return utf8_of(static_cast<ASN1_STRING*>(value));
  if (kind != GEN_IPADD) return {};
  const auto* octets = static_cast<ASN1_OCTET_STRING*>(value);
  const unsigned char* bytes = ASN1_STRING_get0_data(octets);
  const int size = ASN1_STRING_length(octets);
  if (size == 4) return fmt::format("{}.{}.{}.{}", bytes[0], bytes[1], bytes[2], bytes[3]);
  std::string text;
  for (int at = 0; at + 1 < size; at += 2) {
    fmt::format_to(std::back_inserter(text), "{}{:x}", at == 0 ? "" : ":",
                   bytes[at] * 256 + bytes[at + 1]);
  }
  return text == "0:0:0:0:0:0:0:1" ? "::1" : text;
}

std::vector<std::string> hosts_of(const X509* certificate) {
  std::vector<std::string> hosts;
  const Names names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int at = 0; names && at < sk_GENERAL_NAME_num(names.get()); ++at) {
    if (std::string host = host_of(sk_GENERAL_NAME_value(names.get(), at)); !host.empty()) {
      hosts.push_back(std::move(host));
    }
  }
  return hosts;
}

std::string fingerprint_of(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) return {};
  return fmt::format("{:02x}", fmt::join(digest.begin(), digest.begin() + size, ""));
}

CertificateSubject subject_of(const X509_NAME* name) {
  CertificateSubject subject;
  for (int at = 0; at < X509_NAME_entry_count(name); ++at) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(name, at);
    const int field = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    std::string text = utf8_of(X509_NAME_ENTRY_get_data(entry));
    if (field == NID_commonName) {
      subject.common_name = std::move(text);
    } else if (field == NID_organizationName) {
      subject.organizations.push_back(std::move(text));
    }
  }
  return subject;
}

Result<SignedRequest> parse_request(std::string_view pem) {
  const Memory memory = reader_of(pem);
  SignedRequest request(memory ? PEM_read_bio_X509_REQ(memory.get(), nullptr, nullptr, nullptr)
                               : nullptr);
  ERR_clear_error();
  if (!request) return Error::bad_request("PEM block type must be CERTIFICATE REQUEST");
  const int verified = X509_REQ_verify(request.get(), X509_REQ_get0_pubkey(request.get()));
  ERR_clear_error();
  if (verified != 1) return Error::bad_request("is not signed with its own key");
  return request;
}

// Makes the certificate a leaf of this issuer that serves the purpose, and signs it.
bool finish_certificate(X509* certificate, X509* issuer, EVP_PKEY* issuer_key, const char* purpose,
                        const std::vector<std::string>& hosts) {
  return X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
         add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
         add_extension(certificate, issuer, NID_key_usage, "critical,digitalSignature") &&
         add_extension(certificate, issuer, NID_ext_key_usage, purpose) &&
         add_extension(certificate, issuer, NID_subject_key_identifier, "hash") &&
         add_extension(certificate, issuer, NID_authority_key_identifier, "keyid:always") &&
         (hosts.empty() || add_hosts(certificate, hosts)) &&
         X509_sign(certificate, issuer_key, EVP_sha256()) != 0;
}

Result<Instant> instant_of(const ASN1_TIME* moment) {
  const std::unique_ptr<ASN1_TIME, Freed<ASN1_TIME_free>> epoch(ASN1_TIME_set(nullptr, 0));
  int days = 0;
  int seconds = 0;
  if (!epoch || ASN1_TIME_diff(&days, &seconds, epoch.get(), moment) != 1) {
    ERR_clear_error();
    return Error::bad_request("has a date that cannot be read");
  }
  // An Instant ends in 2262; a later date is as good as that.
  constexpr std::int64_t days_max = 106'000;
  const std::int64_t whole_days = std::clamp<std::int64_t>(days, -days_max, days_max);
  return Instant{} + Span::of_seconds(whole_days * 86'400 + seconds);
}

}  // namespace

Result<CertifiedKey> make_authority(std::string_view common_name, Instant now) {
  const Key key(EVP_EC_gen("P-256"));
  if (!key) return openssl_error("cannot make a key");
  const Certificate certificate = begin_certificate(
      key.get(), {.common_name = std::string(common_name)}, now, authority_lifetime);
  X509* raw = certificate.get();
  if (!certificate || X509_set_issuer_name(raw, X509_get_subject_name(raw)) != 1 ||
      !add_extension(raw, raw, NID_basic_constraints, "critical,CA:TRUE") ||
      !add_extension(raw, raw, NID_key_usage, "critical,keyCertSign,cRLSign") ||
      !add_extension(raw, raw, NID_subject_key_identifier, "hash") ||
      X509_sign(raw, key.get(), EVP_sha256()) == 0) {
    return openssl_error("cannot make an authority");
  }
  return as_pem(raw, key.get());
}

Result<CertifiedKey> issue_certificate(const CertifiedKey& authority,
                                       const CertificateRequest& request, Instant now) {
  const Certificate issuer = TRY(parse_certificate(authority.certificate_pem));
  const Key issuer_key = TRY(parse_key(authority.key_pem.reveal()));
  const Key key(EVP_EC_gen("P-256"));
  if (!key) return openssl_error("cannot make a key");
  const Certificate certificate = begin_certificate(key.get(), request, now, certificate_lifetime);
  X509* raw = certificate.get();
  const char* purpose = request.hosts.empty() ? "clientAuth" : "serverAuth";
  if (!certificate ||
      !finish_certificate(raw, issuer.get(), issuer_key.get(), purpose, request.hosts)) {
    return openssl_error("cannot issue a certificate");
  }
  return as_pem(raw, key.get());
}

Result<CertificateSubject> read_certificate_request(std::string_view pem) {
  const SignedRequest request = TRY(parse_request(pem));
  return subject_of(X509_REQ_get_subject_name(request.get()));
}

Result<std::string> sign_certificate_request(const CertifiedKey& authority, std::string_view pem,
                                             Span lifetime, Instant now) {
  const SignedRequest request = TRY(parse_request(pem));
  const Certificate issuer = TRY(parse_certificate(authority.certificate_pem));
  const Key issuer_key = TRY(parse_key(authority.key_pem.reveal()));
  const CertificateSubject subject = subject_of(X509_REQ_get_subject_name(request.get()));
  const Certificate certificate = begin_certificate(
      X509_REQ_get0_pubkey(request.get()),
      {.common_name = subject.common_name, .organizations = subject.organizations}, now, lifetime);
  const Memory text(BIO_new(BIO_s_mem()));
  if (!certificate || !text ||
      !finish_certificate(certificate.get(), issuer.get(), issuer_key.get(), "clientAuth", {}) ||
      PEM_write_bio_X509(text.get(), certificate.get()) != 1) {
    return openssl_error("cannot sign a request for a certificate");
  }
  return text_of(text.get());
}

Result<CertificateFacts> read_certificate(std::string_view pem) {
  const Certificate certificate = TRY(parse_certificate(pem));
  const Instant expires = TRY(instant_of(X509_get0_notAfter(certificate.get())));
  CertificateSubject subject = subject_of(X509_get_subject_name(certificate.get()));
  subject.fingerprint = fingerprint_of(certificate.get());
  return CertificateFacts{.subject = std::move(subject),
                          .hosts = hosts_of(certificate.get()),
                          .expires = expires,
                          .is_authority = X509_check_ca(certificate.get()) == 1};
}

std::vector<std::string> server_hosts(std::string_view listen_host) {
  std::vector<std::string> hosts = {"localhost",
                                    "kubernetes",
                                    "kubernetes.default",
                                    "kubernetes.default.svc",
                                    "kubernetes.default.svc.cluster.local",
                                    "127.0.0.1",
                                    "::1"};
  const bool is_any = listen_host.empty() || listen_host == "0.0.0.0" || listen_host == "::";
  if (!is_any && std::find(hosts.begin(), hosts.end(), listen_host) == hosts.end()) {
    hosts.emplace_back(listen_host);
  }
  return hosts;
}

}  // namespace muster::server
