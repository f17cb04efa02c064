// SPDX-License-Identifier: Apache-2.0
#include "agent/ignored_fields.h"

#include <fmt/format.h>

#include <string_view>

namespace muster::agent {

namespace {

using objects::View;

void look_at_pod(View spec, std::vector<std::string>& ignored) {
  const auto note = [&](bool says_something, std::string_view path) {
    if (says_something) ignored.push_back(fmt::format("spec.{}", path));
  };
  note(!spec["hostUsers"].boolean_or(true), "hostUsers");
  note(spec["setHostnameAsFQDN"].boolean_or(false), "setHostnameAsFQDN");
  note(!spec["resources"]["limits"].empty(), "resources.limits");
  note(!spec["securityContext"]["sysctls"].empty(), "securityContext.sysctls");
  note(!spec["securityContext"]["seLinuxOptions"].empty(), "securityContext.seLinuxOptions");
  note(!spec["dnsConfig"]["nameservers"].empty(), "dnsConfig.nameservers");
  note(!spec["dnsConfig"]["options"].empty(), "dnsConfig.options");
}

}  // namespace

std::vector<std::string> ignored_fields(View pod, const std::set<std::string>& from_images) {
  std::vector<std::string> ignored;
  for (const std::string_view list : {"initContainers", "containers"}) {
    std::size_t index = 0;
    for (View container : pod["spec"][list].elements()) {
      const View security = container["securityContext"];
      const std::string path = fmt::format("spec.{}[{}].securityContext", list, index++);
      const bool is_given = from_images.contains(std::string(container["name"].string_or("")));
      if (!is_given && !security["capabilities"]["add"].empty()) {
        ignored.push_back(path + ".capabilities.add");
      }
      if (!security["seLinuxOptions"].empty()) ignored.push_back(path + ".seLinuxOptions");
    }
  }
  look_at_pod(pod["spec"], ignored);
  return ignored;
}

}  // namespace muster::agent
