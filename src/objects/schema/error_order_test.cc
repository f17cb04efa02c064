// SPDX-License-Identifier: Apache-2.0
#include "objects/schema/error_order.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "objects/kind_registry.h"

namespace muster::objects {
namespace {

std::vector<std::string> ordered(FieldErrors errors) {
  const KindRegistry registry = KindRegistry::built_in().must();
  const auto pods = registry.find("", "Pod");
  std::vector<std::string> paths;
  for (const FieldError& error :
       in_peer_order(pods->storage_version().schema.root(), std::move(errors))) {
    paths.push_back(error.path);
  }
  return paths;
}

TEST(ErrorOrder, follows_the_peer_and_not_the_text) {
  FieldErrors errors;
  for (const char* path :
       {"spec.tolerations[0].key", "spec.containers[1].image", "spec.containers[0].ports[0].name",
        "spec.containers[0].name", "spec.restartPolicy", "spec.volumes[0].name"}) {
    errors.add(FieldError::required(path));
  }
  const std::vector<std::string> expected = {
      "spec.volumes[0].name",     "spec.containers[0].name", "spec.containers[0].ports[0].name",
      "spec.containers[1].image", "spec.restartPolicy",      "spec.tolerations[0].key"};
  EXPECT_EQ(ordered(std::move(errors)), expected);
}

TEST(ErrorOrder, has_duplicates_behind_all_else_of_their_element) {
  FieldErrors errors;
  errors.add(FieldError::duplicate("spec.containers[1].name", Value::string("c")));
  errors.add(FieldError::required("spec.containers[1].image"));
  const std::vector<std::string> expected = {"spec.containers[1].image", "spec.containers[1].name"};
  EXPECT_EQ(ordered(std::move(errors)), expected);
}

TEST(ErrorOrder, keeps_what_changed_for_the_end) {
  FieldErrors errors;
  FieldError changed = FieldError::forbidden("spec.containers", "no");
  changed.pass = error_pass_of_changes;
  errors.add(changed);
  errors.add(FieldError::required("spec.tolerations[0].key"));
  const std::vector<std::string> expected = {"spec.tolerations[0].key", "spec.containers"};
  EXPECT_EQ(ordered(std::move(errors)), expected);
}

TEST(ErrorOrder, has_some_changes_before_all_else_of_their_field) {
  FieldErrors errors;
  errors.add(FieldError::required("spec.tolerations[0].key"));
  errors.add(FieldError::required("spec.dnsConfig.nameservers"));
  FieldError changed = FieldError::forbidden("spec.dnsConfig", "no");
  changed.pass = error_pass_at_its_field;
  errors.add(changed);
  const std::vector<std::string> expected = {"spec.dnsConfig", "spec.dnsConfig.nameservers",
                                             "spec.tolerations[0].key"};
  EXPECT_EQ(ordered(std::move(errors)), expected);
}

}  // namespace
}  // namespace muster::objects
