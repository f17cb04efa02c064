// SPDX-License-Identifier: Apache-2.0
#include "client/kubeconfig.h"

#include <fmt/format.h>

#include <utility>

#include "base/base64.h"
#include "objects/yaml.h"

namespace muster::client {

using objects::Value;
using objects::View;

namespace {

// The entry of `list` with that name: `{name: …, cluster: {…}}` → the inner object.
Result<View> entry(View config, std::string_view list, std::string_view member,
                   std::string_view name) {
  for (const View item : config[list].elements()) {
    if (item["name"].string_or("") == name) return item[member];
  }
  return Error{ErrorCode::not_found, fmt::format("there is no \"{}\" among its {}", name, list)};
}

std::string absolute(std::string_view folder, std::string_view path) {
  if (path.starts_with('/') || folder.empty()) return std::string(path);
  return fmt::format("{}/{}", folder, path);
}

// A text that stands in the file (`key`-data, in base64) or beside it (`key`, a path).
Result<std::string> read_part(View from, const std::string& key, std::string_view folder,
                              ReadFile& read_file) {
  if (const View inside = from[key + "-data"]; !inside.string_or("").empty()) {
    auto bytes = base64_decode(inside.string_or(""));
    if (!bytes) return Error::bad_request(bytes.error().message, key + "-data");
    return bytes;
  }
  const std::string_view path = from[key].string_or("");
  if (path.empty()) return std::string();
  return read_file(absolute(folder, path));
}

Result<> refuse_what_is_not_served(View user) {
  if (user["exec"].is_object() || user["auth-provider"].is_object()) {
    return Error::bad_request(
        "credentials from a plugin are not supported: give a token or a client certificate",
        "users.user");
  }
  if (!user["username"].string_or("").empty()) {
    return Error::bad_request("passwords are not supported: give a token or a client certificate",
                              "users.user");
  }
  if (!user["as"].string_or("").empty()) {
    return Error::bad_request("impersonation is not supported", "users.user");
  }
  return {};
}

std::string without_line_end(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.pop_back();
  }
  return text;
}

Result<> read_cluster(View cluster, const KubeconfigQuestion& question, ReadFile& read_file,
                      ClusterAccess& access) {
  access.server = cluster["server"].string_or("");
  if (!access.server.starts_with("https://")) {
    return Error::bad_request("must begin with https://", "clusters.cluster.server");
  }
  if (!cluster["proxy-url"].string_or("").empty()) {
    return Error::bad_request("proxies are not supported", "clusters.cluster.proxy-url");
  }
  access.tls_server_name = cluster["tls-server-name"].string_or("");
  access.insecure_skip_tls_verify = cluster["insecure-skip-tls-verify"].boolean_or(false);
  access.authority_pem =
      TRY(read_part(cluster, "certificate-authority", question.folder, read_file));
  if (access.insecure_skip_tls_verify && !access.authority_pem.empty()) {
    return Error::bad_request(
        "specifying a root certificates file with the insecure flag is not allowed",
        "clusters.cluster");
  }
  return {};
}

Result<> read_user(View user, const KubeconfigQuestion& question, ReadFile& read_file,
                   ClusterAccess& access) {
  TRY(refuse_what_is_not_served(user));
  access.client_certificate_pem =
      TRY(read_part(user, "client-certificate", question.folder, read_file));
  access.client_key_pem = Secret(TRY(read_part(user, "client-key", question.folder, read_file)));
  if (access.client_certificate_pem.empty() != access.client_key_pem.is_empty()) {
    return Error::bad_request("a client certificate needs its key, and a key its certificate",
                              "users.user");
  }
  const std::string_view token = user["token"].string_or("");
  const std::string_view token_file = user["tokenFile"].string_or("");
  if (!token.empty()) {
    access.token = Secret(std::string(token));
  } else if (!token_file.empty()) {
    access.token = Secret(without_line_end(TRY(read_file(absolute(question.folder, token_file)))));
  }
  // It travels in a header: a line end in it would be another header.
  for (const char c : access.token.reveal()) {
    if (static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7f) {
      return Error::bad_request("has characters that no token has", "users.user.token");
    }
  }
  return {};
}

}  // namespace

Result<ClusterAccess> read_kubeconfig(std::string_view text, const KubeconfigQuestion& question,
                                      ReadFile read_file) {
  const Value config = TRY(objects::parse_yaml_document(text, {.bytes_max = kubeconfig_bytes_max}));
  if (!config.is_object()) return Error::bad_request("is not a kubeconfig file");
  ClusterAccess access;
  access.context =
      question.context.empty() ? config["current-context"].string_or("") : question.context;
  if (access.context.empty()) return Error::bad_request("has no current context");
  const View context = TRY(entry(config, "contexts", "context", access.context));
  if (const auto name_space = context["namespace"].string_or(""); !name_space.empty()) {
    access.name_space = name_space;
  }
  const View cluster = TRY(entry(config, "clusters", "cluster", context["cluster"].string_or("")));
  TRY(read_cluster(cluster, question, read_file, access));
  if (const auto name = context["user"].string_or(""); !name.empty()) {
    const View user = TRY(entry(config, "users", "user", name));
    TRY(read_user(user, question, read_file, access));
  }
  return access;
}

std::string kubeconfig_text(const ClusterAccess& access) {
  const auto text = [](std::string_view value) { return Value::string(value); };
  const auto data = [](std::string_view pem) { return Value::string(base64_encode(pem)); };
  Value cluster = access.insecure_skip_tls_verify
                      ? Value::object({{"server", text(access.server)},
                                       {"insecure-skip-tls-verify", Value::boolean(true)}})
                      : Value::object({{"server", text(access.server)},
                                       {"certificate-authority-data", data(access.authority_pem)}});
  Value user = Value::object({});
  if (!access.client_certificate_pem.empty()) {
    user = Value::object({{"client-certificate-data", data(access.client_certificate_pem)},
                          {"client-key-data", data(access.client_key_pem.reveal())}});
  } else if (!access.token.is_empty()) {
    user = Value::object({{"token", text(access.token.reveal())}});
  }
  const Value name = text(access.context);
  const Value context =
      Value::object({{"cluster", name}, {"user", name}, {"namespace", text(access.name_space)}});
  return objects::to_yaml(Value::object(
      {{"apiVersion", text("v1")},
       {"kind", text("Config")},
       {"clusters", Value::array({Value::object({{"name", name}, {"cluster", cluster}})})},
       {"users", Value::array({Value::object({{"name", name}, {"user", user}})})},
       {"contexts", Value::array({Value::object({{"name", name}, {"context", context}})})},
       {"current-context", name}}));
}

}  // namespace muster::client
