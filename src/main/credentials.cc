// SPDX-License-Identifier: Apache-2.0
#include "main/credentials.h"

#include <algorithm>
#include <optional>

#include "base/os/files.h"
#include "client/kubeconfig.h"
#include "server/authorization.h"

namespace muster {

namespace {

constexpr std::size_t pem_bytes_max = std::size_t{64} * 1024;
constexpr std::size_t token_bytes_max = 256;

// A certificate is replaced this long before it ends.
constexpr Span renewal_span = Span::of_seconds(30LL * 24 * 3600);

struct KeyPaths {
  std::string certificate;
  std::string key;
};

KeyPaths paths_of(const std::string& data, const std::string& name) {
  return {data + "/tls/" + name + ".crt", data + "/tls/" + name + ".key"};
}

std::optional<server::CertifiedKey> read_key(const KeyPaths& paths) {
  auto certificate = read_whole_file(paths.certificate, pem_bytes_max);
  auto key = read_whole_file(paths.key, pem_bytes_max);
  if (!certificate || !key) return std::nullopt;
  return server::CertifiedKey{std::move(*certificate), Secret(std::move(*key))};
}

Result<> write_key(const KeyPaths& paths, const server::CertifiedKey& key) {
  TRY(write_private_file(paths.key, key.key_pem.reveal()));
  return write_private_file(paths.certificate, key.certificate_pem);
}

Result<server::CertifiedKey> load_authority(const std::string& data, Instant now) {
  const KeyPaths paths = paths_of(data, "ca");
  if (auto found = read_key(paths)) return std::move(*found);
  server::CertifiedKey made = TRY(server::make_authority("muster", now));
  TRY(write_key(paths, made));
  return made;
}

// Whether the certificate is good for this host for a while longer.
bool serves(const server::CertifiedKey& key, const std::vector<std::string>& hosts, Instant now) {
  const auto facts = server::read_certificate(key.certificate_pem);
  return facts && facts->hosts == hosts && now + renewal_span < facts->expires;
}

Result<server::CertifiedKey> load_server(const std::string& data,
                                         const server::CertifiedKey& authority,
                                         const std::vector<std::string>& hosts, Instant now) {
  const KeyPaths paths = paths_of(data, "server");
  auto found = read_key(paths);
  if (found && serves(*found, hosts, now)) return std::move(*found);
  server::CertifiedKey made =
      TRY(server::issue_certificate(authority, {.common_name = "muster", .hosts = hosts}, now));
  TRY(write_key(paths, made));
  return made;
}

Result<Secret> load_service_account_key(const std::string& data) {
  const std::string path = data + "/tls/service-account.key";
  auto found = read_whole_file(path, pem_bytes_max);
  if (found && !found->empty()) return Secret(std::move(*found));
  Secret made = TRY(server::TokenSigner::make_key());
  TRY(write_private_file(path, made.reveal()));
  return made;
}

Result<Secret> load_admin_token(const std::string& data, Random& random) {
  const std::string path = data + "/admin-token";
  auto found = read_whole_file(path, token_bytes_max);
  if (found && !found->empty()) return Secret(std::move(*found));
  Secret made = server::make_token(random);
  TRY(write_private_file(path, made.reveal()));
  return made;
}

}  // namespace

Result<Credentials> load_credentials(const std::string& data, const cli::Settings& settings,
                                     const std::string& pod_gateway, Random& random, Instant now) {
  TRY(make_private_folder(data + "/tls"));
  const cli::ListenAddress listen = TRY(cli::parse_listen(settings.listen));
  std::vector<std::string> hosts = server::server_hosts(listen.host);
  const bool is_named = std::find(hosts.begin(), hosts.end(), pod_gateway) != hosts.end();
  if (!pod_gateway.empty() && !is_named) hosts.push_back(pod_gateway);
  Credentials credentials;
  credentials.authority = TRY(load_authority(data, now));
  credentials.server = TRY(load_server(data, credentials.authority, hosts, now));
  credentials.service_account_key = TRY(load_service_account_key(data));
  credentials.admin_token = TRY(load_admin_token(data, random));
  credentials.tokens.push_back({.digest = server::digest_of(credentials.admin_token.reveal()),
                                .identity = server::admin_identity()});
  return credentials;
}

Result<> write_kubeconfigs(const std::string& data, const cli::Settings& settings,
                           const Credentials& credentials, const std::string& address) {
  const std::string text =
      client::kubeconfig_text({.context = "muster",
                               .server = address,
                               .authority_pem = credentials.authority.certificate_pem,
                               .token = Secret(std::string(credentials.admin_token.reveal()))});
  TRY(write_private_file(data + "/kubeconfig", text));
  if (settings.kubeconfig.empty()) return {};
  return write_private_file(settings.kubeconfig, text);
}

}  // namespace muster
