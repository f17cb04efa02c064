// SPDX-License-Identifier: Apache-2.0
#include "client/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace muster::client {
namespace {

// The files beside the kubeconfig.
ReadFile files(std::map<std::string, std::string> contents) {
  return [contents = std::move(contents)](const std::string& path) -> Result<std::string> {
    const auto found = contents.find(path);
    if (found == contents.end()) return Error{ErrorCode::not_found, "no " + path};
    return found->second;
  };
}

Result<ClusterAccess> read(std::string_view text, std::string_view context = {}) {
  return read_kubeconfig(text, {.folder = "/home/a/.kube", .context = context},
                         files({{"/home/a/.kube/ca.crt", "AUTHORITY"},
                                {"/etc/client.crt", "CERTIFICATE"},
                                {"/etc/client.key", "KEY"},
                                {"/home/a/.kube/token", "from-a-file\n"}}));
}

constexpr std::string_view config = R"(
apiVersion: v1
kind: Config
current-context: files
clusters:
- name: one
  cluster: {server: "https://10.0.0.1:6443", certificate-authority: ca.crt}
- name: two
  cluster:
    server: https://[::1]:6443/prefix
    certificate-authority-data: QVVUSE9SSVRZLURBVEE=
    tls-server-name: kubernetes.default
- name: careless
  cluster: {server: "https://example.com", insecure-skip-tls-verify: true}
- name: plain
  cluster: {server: "http://example.com"}
users:
- name: certified
  user: {client-certificate: /etc/client.crt, client-key: /etc/client.key}
- name: token
  user: {token: abc, tokenFile: token}
- name: token-file
  user: {tokenFile: token}
- name: plugin
  user: {exec: {command: aws}}
- name: password
  user: {username: a, password: b}
- name: half
  user: {client-certificate: /etc/client.crt}
- name: sly
  user: {token: "a\r\nX-Forged: b"}
contexts:
- {name: files, context: {cluster: one, user: certified, namespace: team-a}}
- {name: data, context: {cluster: two, user: token}}
- {name: careless, context: {cluster: careless, user: token-file}}
- {name: nobody, context: {cluster: careless}}
- {name: plain, context: {cluster: plain, user: token}}
- {name: plugin, context: {cluster: one, user: plugin}}
- {name: password, context: {cluster: one, user: password}}
- {name: half, context: {cluster: one, user: half}}
- {name: sly, context: {cluster: one, user: sly}}
- {name: dangling, context: {cluster: none, user: token}}
)";

TEST(kubeconfig, reads_files_beside_it) {
  const ClusterAccess access = read(config).must();
  EXPECT_EQ(access.context, "files");
  EXPECT_EQ(access.server, "https://10.0.0.1:6443");
  EXPECT_EQ(access.authority_pem, "AUTHORITY");
  EXPECT_EQ(access.client_certificate_pem, "CERTIFICATE");
  EXPECT_EQ(access.client_key_pem.reveal(), "KEY");
  EXPECT_EQ(access.name_space, "team-a");
}

TEST(kubeconfig, reads_what_stands_in_it) {
  const ClusterAccess access = read(config, "data").must();
  EXPECT_EQ(access.authority_pem, "AUTHORITY-DATA");
  EXPECT_EQ(access.tls_server_name, "kubernetes.default");
  EXPECT_EQ(access.token.reveal(), "abc");
  EXPECT_EQ(access.name_space, "default");
}

TEST(kubeconfig, reads_a_token_from_its_file) {
  const ClusterAccess access = read(config, "careless").must();
  EXPECT_EQ(access.token.reveal(), "from-a-file");
  EXPECT_TRUE(access.insecure_skip_tls_verify);
  EXPECT_TRUE(read(config, "nobody").must().token.is_empty());
}

TEST(kubeconfig, says_what_it_cannot_use) {
  const std::map<std::string, std::string> refusals = {
      {"plain", "must begin with https://"},
      {"plugin", "credentials from a plugin are not supported"},
      {"password", "passwords are not supported"},
      {"half", "a client certificate needs its key"},
      {"sly", "has characters that no token has"},
      {"dangling", "there is no \"none\" among its clusters"},
      {"absent", "there is no \"absent\" among its contexts"}};
  for (const auto& [context, sentence] : refusals) {
    const auto access = read(config, context);
    ASSERT_FALSE(access) << context;
    EXPECT_THAT(access.error().message, ::testing::HasSubstr(sentence)) << context;
  }
}

TEST(kubeconfig, what_is_no_kubeconfig_is_refused) {
  for (const char* text : {"", "a", "- a", "{}", "current-context: x", "a: *b", "\t", "[]",
                           "current-context: [x]", "contexts: {a: b}\ncurrent-context: x"}) {
    EXPECT_FALSE(read(text)) << text;
  }
}

TEST(kubeconfig, what_is_written_is_read_back) {
  ClusterAccess access{.context = "muster", .server = "https://127.0.0.1:6443"};
  access.authority_pem = "-----BEGIN CERTIFICATE-----\n";
  access.token = Secret(std::string("secret"));
  access.name_space = "team-a";
  const ClusterAccess back = read(kubeconfig_text(access)).must();
  EXPECT_EQ(back.context, "muster");
  EXPECT_EQ(back.server, access.server);
  EXPECT_EQ(back.authority_pem, access.authority_pem);
  EXPECT_EQ(back.token.reveal(), "secret");
  EXPECT_EQ(back.name_space, "team-a");

  access.client_certificate_pem = "CERTIFICATE";
  access.client_key_pem = Secret(std::string("KEY"));
  const ClusterAccess certified = read(kubeconfig_text(access)).must();
  EXPECT_EQ(certified.client_certificate_pem, "CERTIFICATE");
  EXPECT_EQ(certified.client_key_pem.reveal(), "KEY");
}

}  // namespace
}  // namespace muster::client
