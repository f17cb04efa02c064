// Requests for certificates: who asks is what the server knows and not what the caller says, and
// one that is approved is signed in the same write. Only clients of this server are signed for.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/base64.h"
#include "objects/builder.h"
#include "objects/metadata.h"
#include "objects/rewrite.h"
#include "objects/schema/error_order.h"
#include "objects/schema/formats.h"
#include "server/admission.h"
#include "server/certificates.h"

namespace muster::server {

using objects::Builder;
using objects::FieldError;
using objects::FieldErrors;
using objects::Node;
using objects::Rewrite;
using objects::Value;
using objects::View;

namespace {

constexpr std::string_view group = "certificates.k8s.io";
constexpr std::string_view client_signer = "kubernetes.io/kube-apiserver-client";
constexpr std::string_view legacy_signer = "kubernetes.io/legacy-unknown";
constexpr std::int64_t expiration_seconds_min = 600;

const std::vector<std::string>& known_usages() {
  static const std::vector<std::string> usages = {"any",
                                                  "cert sign",
                                                  "client auth",
                                                  "code signing",
                                                  "content commitment",
                                                  "crl sign",
                                                  "data encipherment",
                                                  "decipher only",
                                                  "digital signature",
                                                  "email protection",
                                                  "encipher only",
                                                  "ipsec end system",
                                                  "ipsec tunnel",
                                                  "ipsec user",
                                                  "key agreement",
                                                  "key encipherment",
                                                  "microsoft sgc",
                                                  "netscape sgc",
                                                  "ocsp signing",
                                                  "s/mime",
                                                  "server auth",
                                                  "signing",
                                                  "timestamping"};
  return usages;
}

// In the order in which they are found, as the peer tells them.
void add(FieldErrors& errors, FieldError error) {
  error.pass = objects::error_pass_as_it_comes;
  errors.add(std::move(error));
}

std::string request_text(View request) {
  auto text = base64_decode(request["spec"]["request"].string_or(""));
  return text ? std::move(text).take() : std::string();
}

void check_domain(std::string_view domain, FieldErrors& errors) {
  const Value shown = Value::string(domain);
  std::string_view rest = domain;
  const std::size_t before = errors.size();
  std::size_t labels = 0;
  for (bool more = true; more; ++labels) {
    const std::size_t dot = rest.find('.');
    const std::string_view label = rest.substr(0, dot);
    for (const std::string& why : objects::native_violations(objects::Format::dns_label, label)) {
      add(errors, FieldError::invalid("spec.signerName", shown,
                                      fmt::format("validating label \"{}\": {}", label, why)));
    }
    more = dot != std::string_view::npos && errors.size() == before;
    if (more) rest.remove_prefix(dot + 1);
  }
  if (labels >= 2 || errors.size() > before) return;
  add(errors,
      FieldError::invalid("spec.signerName", shown,
                          "should be a domain with at least two segments separated by dots"));
}

void check_signer(View signer, FieldErrors& errors) {
  const std::string path = "spec.signerName";
  const std::string_view name = signer.string_or("");
  if (name.empty()) return add(errors, FieldError::required(path));
  if (name == legacy_signer) {
    return add(errors,
               FieldError::invalid(path, signer,
                                   "the legacy signerName is not allowed via this API version"));
  }
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.find('/', slash + 1) != std::string_view::npos) {
    return add(
        errors,
        FieldError::invalid(
            path, signer,
            "must be a fully qualified domain and path of the form 'example.com/signer-name'"));
  }
  check_domain(name.substr(0, slash), errors);
}

void check_usages(View usages, FieldErrors& errors) {
  if (usages.empty()) return add(errors, FieldError::required("spec.usages"));
  const std::vector<std::string>& known = known_usages();
  for (std::size_t i = 0; i < usages.size(); ++i) {
    if (std::find(known.begin(), known.end(), usages[i].string_or("")) != known.end()) continue;
    add(errors, FieldError::not_supported(fmt::format("spec.usages[{}]", i), usages[i], known));
  }
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < usages.size(); ++i) {
    if (seen.insert(usages[i].string_or("")).second) continue;
    add(errors, FieldError::duplicate(fmt::format("spec.usages[{}]", i), usages[i]));
  }
}

Node texts(Builder& builder, const std::vector<std::string>& values) {
  std::vector<Node> nodes;
  nodes.reserve(values.size());
  for (const std::string& value : values) nodes.push_back(builder.text(value));
  return nodes.empty() ? Node() : builder.array(nodes);
}

// The caller, as the server knows it.
Value with_requester(const Value& request, const Identity& identity) {
  Builder builder;
  builder.retain(request);
  Rewrite spec(request["spec"]);
  spec.set("username", identity.name.empty() ? Node() : builder.text(identity.name));
  spec.set("uid", identity.uid.empty() ? Node() : builder.text(identity.uid));
  spec.set("groups", texts(builder, identity.groups));
  std::vector<Node> extra;
  for (const auto& [key, values] : identity.extra) {
    extra.push_back(builder.text(key));
    extra.push_back(texts(builder, values));
  }
  spec.set("extra", extra.empty() ? Node() : builder.object_of_pairs(extra));
  Rewrite root(request);
  root.set("spec", spec.finish(builder));
  const Node node = root.finish(builder);
  return std::move(builder).finish(node);
}

Outcome<> check_new(Admission& admission) {
  admission.object = with_requester(admission.object, admission.identity);
  const View spec = admission.object["spec"];
  const auto subject = read_certificate_request(request_text(admission.object));
  if (!subject) {
    add(admission.errors,
        FieldError::invalid("spec.request", spec["request"], subject.error().message));
  }
  check_usages(spec["usages"], admission.errors);
  check_signer(spec["signerName"], admission.errors);
  if (spec["expirationSeconds"].integer_or(expiration_seconds_min) < expiration_seconds_min) {
    add(admission.errors,
        FieldError::invalid("spec.expirationSeconds", spec["expirationSeconds"],
                            "may not specify a duration less than 600 seconds (10 minutes)"));
  }
  if (!admission.errors.empty() || spec["signerName"].string_or("") != client_signer) return {};
  const auto& groups = subject->organizations;
  if (std::find(groups.begin(), groups.end(), masters_group) == groups.end()) return {};
  return forbidden(admission.target, fmt::format("use of {} signer with {} group is not allowed",
                                                 client_signer, masters_group));
}

bool may_approve(const Context& context, const Identity& identity, std::string_view signer) {
  const std::string all = fmt::format("{}/*", signer.substr(0, signer.find('/')));
  for (const std::string_view name : {signer, std::string_view(all)}) {
    const Access access{.identity = identity,
                        .verb = "approve",
                        .group = group,
                        .resource = "signers",
                        .name = name};
    if (context.authorizer.allows(access)) return true;
  }
  return false;
}

bool is_for_client(View spec) {
  bool client = false;
  for (const View usage : spec["usages"].elements()) {
    const std::string_view name = usage.string_or("");
    client = client || name == "client auth";
    if (name != "client auth" && name != "digital signature" && name != "key encipherment") {
      return false;
    }
  }
  return client && spec["signerName"].string_or("") == client_signer;
}

// Signs what was approved, denied by nobody, and not signed before.
Outcome<> sign(Context& context, Admission& admission) {
  const View request = admission.object;
  if (context.authority == nullptr || !is_for_client(request["spec"])) return {};
  if (request["status"]["certificate"] ||
      !objects::is_true(objects::condition(request, "Approved")) ||
      objects::is_true(objects::condition(request, "Denied"))) {
    return {};
  }
  const std::int64_t wanted = request["spec"]["expirationSeconds"].integer_or(0);
  const Span lifetime =
      wanted > 0 ? std::min(Span::of_seconds(wanted), certificate_lifetime) : certificate_lifetime;
  const std::string certificate = TRY(sign_certificate_request(
      *context.authority, request_text(request), lifetime, context.clock.wall()));
  Builder builder;
  builder.retain(admission.object);
  Rewrite status(request["status"]);
  status.set("certificate", builder.text(base64_encode(certificate)));
  Rewrite root(admission.object);
  root.set("status", status.finish(builder));
  const Node node = root.finish(builder);
  admission.object = std::move(builder).finish(node);
  return {};
}

}  // namespace

Outcome<> admit_certificate_request(Context& context, Admission& admission) {
  if (admission.is_create()) return check_new(admission);
  if (admission.target.subresource != "approval") return {};
  const std::string signer(admission.old_object["spec"]["signerName"].string_or(""));
  if (!may_approve(context, admission.identity, signer)) {
    return forbidden(
        admission.target,
        fmt::format("user not permitted to approve requests with signerName \"{}\"", signer));
  }
  return sign(context, admission);
}

}  // namespace muster::server
