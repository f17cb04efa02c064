// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "objects/json.h"
#include "server/json_text.h"
#include "server/request_handler.h"
#include "server/server_metrics.h"
#include "server/service_account_token.h"
#include "server/token_signer.h"

namespace muster::server {

using objects::Value;

namespace {

// The Kubernetes whose API this is; clients choose their behaviour by it.
constexpr std::string_view kubernetes_major = "1";
constexpr std::string_view kubernetes_minor = "35";
constexpr std::string_view kubernetes_version = "v1.35.0";
constexpr std::string_view compatible_minor = "34";

Value version_value() {
  return Value::object({{"major", Value::string(kubernetes_major)},
                        {"minor", Value::string(kubernetes_minor)},
                        {"emulationMajor", Value::string(kubernetes_major)},
                        {"emulationMinor", Value::string(kubernetes_minor)},
                        {"minCompatibilityMajor", Value::string(kubernetes_major)},
                        {"minCompatibilityMinor", Value::string(compatible_minor)},
                        {"gitVersion", Value::string(fmt::format("{}+muster", kubernetes_version))},
                        {"gitCommit", Value::string("")},
                        {"gitTreeState", Value::string("clean")},
                        {"buildDate", Value::string("1970-01-01T00:00:00Z")},
                        {"goVersion", Value::string("none")},
                        {"compiler", Value::string("g++")},
                        {"platform", Value::string("linux/amd64")}});
}

Response page_not_found() {
  return text_answer(404, "404 page not found\n");
}

// Whether the client has it already: `*`, or its tag among others, weak or not.
bool is_known(std::string_view if_none_match, std::string_view tag) {
  while (!if_none_match.empty()) {
    const std::size_t comma = std::min(if_none_match.find(','), if_none_match.size());
    std::string_view each = if_none_match.substr(0, comma);
    if_none_match.remove_prefix(std::min(comma + 1, if_none_match.size()));
    while (each.starts_with(' ')) each.remove_prefix(1);
    while (each.ends_with(' ')) each.remove_suffix(1);
    if (each.starts_with("W/")) each.remove_prefix(2);
    if (each == "*" || each == tag) return true;
  }
  return false;
}

Response tagged(const Request& request, const TaggedText& text, std::string_view content_type,
                std::string_view control) {
  if (is_known(request.if_none_match, text.etag)) {
    return {.status = 304,
            .content_type = "",
            .headers = {
                {"ETag", text.etag}, {"Vary", "Accept"}, {"Cache-Control", std::string(control)}}};
  }
  return {
      .content_type = std::string(content_type),
      .headers = {{"ETag", text.etag}, {"Vary", "Accept"}, {"Cache-Control", std::string(control)}},
      .body = Piece::copy_of(text.text)};
}

}  // namespace

Response RequestHandler::answer_path(const Asked& asked) {
  const std::string& path = asked.route.path;
  const std::string& method = asked.request.method;
  if (method != "GET" && method != "HEAD") return failure_answer(failures::method_not_allowed());
  if (Health::is_path(path)) {
    // Unlike all other paths, these have no form with a slash at their end.
    if (asked.request.path.ends_with('/')) return page_not_found();
    return health_.answer(path, asked.route.query);
  }
  if (path == "/metrics" && context_.metrics != nullptr) {
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
            .body = Piece::copy_of(context_.metrics->text(context_.store.statistics()))};
  }
  if (path == "/version") {
    // A version is for people and programs alike: always JSON, and always on lines of its own.
    return value_answer(200, version_value(), {.pretty = true});
  }
  if (path == "/") return answer_root();
  if (path == "/openapi/v2") return answer_swagger(asked);
  if (path.starts_with("/openapi/v3")) return answer_openapi(asked);
  if (path == "/openid/v1/jwks" || path == "/.well-known/openid-configuration") {
    return answer_issuer(path);
  }
  if (path == "/api" || path == "/apis" || path.starts_with("/api/") ||
      path.starts_with("/apis/")) {
    return answer_discovery(asked);
  }
  return page_not_found();
}

// The paths that there are, as far as they are known by name.
Response RequestHandler::answer_root() {
  std::vector<std::string> paths = {"/.well-known/openid-configuration",
                                    "/api",
                                    "/api/v1",
                                    "/apis",
                                    "/apis/",
                                    "/healthz",
                                    "/livez",
                                    "/metrics",
                                    "/openapi/v2",
                                    "/openapi/v3",
                                    "/openapi/v3/",
                                    "/openid/v1/jwks",
                                    "/readyz",
                                    "/version"};
  const Value& list = discovery().group_list();
  for (const objects::View group : list["groups"].elements()) {
    paths.push_back(fmt::format("/apis/{}", group["name"].string_or("")));
    for (const objects::View version : group["versions"].elements()) {
      paths.push_back(fmt::format("/apis/{}", version["groupVersion"].string_or("")));
    }
  }
  std::sort(paths.begin(), paths.end());
  JsonText out;
  out.begin_object().key("paths").texts(paths).end_object();
  return value_answer(200, objects::parse_json(std::move(out).take()).must(), {.pretty = true});
}

// What others need to verify tokens of service accounts.
Response RequestHandler::answer_issuer(std::string_view path) const {
  if (context_.signer == nullptr) return page_not_found();
  const bool keys = path == "/openid/v1/jwks";
  const Value document =
      keys ? context_.signer->key_set()
           : Value::object(
                 {{"issuer", Value::string(token_issuer)},
                  {"jwks_uri", Value::string(fmt::format("{}/openid/v1/jwks", token_issuer))},
                  {"response_types_supported", Value::array({Value::string("id_token")})},
                  {"subject_types_supported", Value::array({Value::string("public")})},
                  {"id_token_signing_alg_values_supported",
                   Value::array({Value::string("ES256")})}});
  return {.content_type = keys ? "application/jwk-set+json" : "application/json",
          .headers = {{"Cache-Control", "public, max-age=3600"}},
          .body = Piece::copy_of(objects::to_json(document))};
}

Response RequestHandler::answer_discovery(const Asked& asked) {
  const std::string& path = asked.route.path;
  const bool whole = path == "/api" || path == "/apis";
  const auto form = answer_form(asked.request, asked.route.query,
                                whole ? Answerable::discovery : Answerable::plain);
  if (!form) return failure_answer(form.error());
  const Shape shape = form->form.shape;
  if (whole && (shape == Shape::discovery_v2 || shape == Shape::discovery_v2beta1)) {
    const TaggedText& text =
        path == "/api" ? discovery().aggregated_core(shape) : discovery().aggregated_groups(shape);
    return tagged(asked.request, text, content_type_of(form->form), "public");
  }
  if (path == "/api") return value_answer(200, discovery().core_versions(context_.address), *form);
  if (path == "/apis") return value_answer(200, discovery().group_list(), *form);
  const bool is_core = path.starts_with("/api/");
  const std::string_view rest = std::string_view(path).substr(is_core ? 5 : 6);
  const std::size_t slash = is_core ? std::string_view::npos : rest.find('/');
  const std::string_view group = is_core ? std::string_view() : rest.substr(0, slash);
  const bool names_version = is_core || slash != std::string_view::npos;
  const std::string_view version = is_core ? rest : rest.substr(names_version ? slash + 1 : 0);
  const Value found =
      names_version ? discovery().resource_list(group, version) : discovery().group(group);
  if (found) return value_answer(200, found, *form);
  if (!names_version || !discovery().is_of_kubernetes(group)) return page_not_found();
  return failure_answer(failures::unknown_resource(), *form);
}

// In the two forms that clients ask for; the first of them that a client names.
Response RequestHandler::answer_swagger(const Asked& asked) {
  constexpr std::string_view named = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
  constexpr std::string_view sent = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
  const std::string& accept = asked.request.accept;
  const std::size_t protobuf = std::min(accept.find(named), accept.find(sent));
  const std::size_t json = std::min(accept.find("application/json"), accept.find("*/*"));
  const bool as_protobuf = protobuf < json;
  if (!accept.empty() && !as_protobuf && json == std::string::npos) {
    return {.status = 406, .content_type = ""};
  }
  return tagged(asked.request, openapi().swagger(as_protobuf),
                as_protobuf ? sent : "application/json", "no-cache, private");
}

Response RequestHandler::answer_openapi(const Asked& asked) {
  OpenApi& documents = openapi();
  const std::string& path = asked.route.path;
  constexpr std::string_view root = "/openapi/v3";
  // The peer leaves the type of its index to be guessed, and clients have got used to the guess.
  if (path == root) {
    return tagged(asked.request, documents.index(), "text/plain; charset=utf-8",
                  "no-cache, private");
  }
  if (path[root.size()] != '/') return page_not_found();
  const TaggedText* document = documents.document(path.substr(root.size() + 1));
  if (document == nullptr) return {.status = 404, .content_type = ""};
  return tagged(asked.request, *document, "application/json", "public, immutable");
}

}  // namespace muster::server
