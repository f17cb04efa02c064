// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/registry_credentials.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/base64.h"
#include "objects/json.h"

namespace muster::agent {
namespace {

using objects::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Value object(std::string_view text) {
  return objects::parse_json(text).must();
}

Value secret(std::string_view key, std::string_view document) {
  return object(fmt::format(R"({{"data":{{"{}":"{}"}}}})", key, base64_encode(document)));
}

const Value pod = object(R"({"spec":{"imagePullSecrets":[{"name":"a"},{"name":"b"},{"name":"c"},
    {"name":"d"},{}]}})");

TEST(RegistryCredentials, joins_both_forms_and_the_first_that_speaks_of_a_registry_counts) {
  const std::map<std::string, Value> secrets = {
      {"a", secret(".dockerconfigjson", R"({"auths":{"one:5000":{"auth":"eDp5"}}})")},
      {"b", secret(".dockercfg", R"({"one:5000":{"auth":"other"},"two":{"username":"u"}})")},
      {"c", secret(".dockerconfigjson", R"({"auths":[]})")}};
  const RegistryCredentials found = registry_credentials(pod, [&](const std::string& name) {
    const auto at = secrets.find(name);
    return at == secrets.end() ? Value() : at->second;
  });
  EXPECT_EQ(found.config, R"({"auths":{"one:5000":{"auth":"eDp5"},"two":{"username":"u"}}})");
  EXPECT_THAT(found.missing, ElementsAre("c", "d"));
}

TEST(RegistryCredentials, nobody_asks_for_what_is_not_named) {
  const RegistryCredentials found =
      registry_credentials(object(R"({"spec":{}})"), [](const std::string&) {
        ADD_FAILURE();
        return Value();
      });
  EXPECT_THAT(found.config, IsEmpty());
  EXPECT_THAT(found.missing, IsEmpty());
}

TEST(RegistryCredentials, more_than_a_pipe_holds_is_not_taken) {
  const std::string long_text(credentials_bytes_max, 'x');
  const RegistryCredentials found = registry_credentials(pod, [&](const std::string&) {
    return secret(".dockercfg", fmt::format(R"({{"one":{{"auth":"{}"}}}})", long_text));
  });
  EXPECT_THAT(found.config, IsEmpty());
  EXPECT_THAT(found.missing, Contains("a"));
}

}  // namespace
}  // namespace muster::agent
