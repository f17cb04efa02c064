// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/registry_credentials.h"

#include <map>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "objects/builder.h"
#include "objects/json.h"

namespace muster::agent {

using objects::MemberView;
using objects::Value;
using objects::View;

namespace {

using Registries = std::map<std::string, Value, std::less<>>;

Result<Value> document_in(View data) {
  const std::string text = TRY(base64_decode(data.string_or("")));
  return objects::parse_json(text);
}

// The newer form has the registries below `auths`, the older one has nothing else.
bool read_secret(View secret, Registries& registries) {
  const View newer = secret["data"][".dockerconfigjson"];
  const View older = secret["data"][".dockercfg"];
  const auto document = document_in(newer ? newer : older);
  if (!document) return false;
  const View list = newer ? (*document)["auths"] : document->view();
  if (!list.is_object()) return false;
  for (const MemberView registry : list.members()) {
    registries.try_emplace(std::string(registry.key), document->part(registry.value));
  }
  return true;
}

}  // namespace

RegistryCredentials registry_credentials(
    View pod, const std::function<Value(const std::string& name)>& find_secret) {
  RegistryCredentials found;
  Registries registries;
  for (const View each : pod["spec"]["imagePullSecrets"].elements()) {
    std::string name(each["name"].string_or(""));
    if (name.empty()) continue;
    const Value secret = find_secret(name);
    if (!read_secret(secret, registries)) found.missing.push_back(std::move(name));
  }
  if (registries.empty()) return found;
  objects::Builder builder;
  std::vector<objects::Node::Member> members;
  for (const auto& [name, entry] : registries) {
    members.push_back({builder.text(name), builder.copy(entry)});
  }
  const objects::Node pairs[] = {objects::Builder::literal("auths"), builder.object(members)};
  const objects::Node root = builder.object_of_pairs(pairs);
  found.config = objects::to_json(std::move(builder).finish(root));
  if (found.config.size() > credentials_bytes_max) {
    found.config.clear();
    found.missing.clear();
    for (const View each : pod["spec"]["imagePullSecrets"].elements()) {
      found.missing.emplace_back(each["name"].string_or(""));
    }
  }
  return found;
}

}  // namespace muster::agent
