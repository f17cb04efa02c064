// SPDX-License-Identifier: Apache-2.0
// Security contexts of pods and containers.
#include <fmt/format.h>
#include <re2/re2.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "objects/schema/checks_pod.h"
#include "objects/schema/error_order.h"

namespace muster::objects {

namespace {

constexpr std::string_view sysctl_pattern =
    R"(^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$)";
constexpr std::size_t sysctl_bytes_max = 253;

// A value as Go's JSON has it; what is absent is a pointer to nothing.
std::string printed(View value) {
  return value ? go_json(value, MemberOrder::as_is) : std::string("null");
}

// A struct of which only texts are known here.
std::string printed_texts(
    View value, std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  if (!value) return "null";
  std::string out = "{";
  for (const auto& [json, go] : fields) {
    if (out.size() > 1) out += ',';
    out += fmt::format("\"{}\":{}", go, go_quoted(value[json].string_or("")));
  }
  return out + "}";
}

std::string printed_profile(View profile) {
  if (!profile) return "null";
  return fmt::format(R"({{"Type":{},"LocalhostProfile":{}}})",
                     go_quoted(profile["type"].string_or("")),
                     printed(profile["localhostProfile"]));
}

std::string printed_windows(View options) {
  if (!options) return "null";
  std::string out = "{";
  constexpr std::pair<std::string_view, std::string_view> fields[] = {
      {"gmsaCredentialSpecName", "GMSACredentialSpecName"},
      {"gmsaCredentialSpec", "GMSACredentialSpec"},
      {"runAsUserName", "RunAsUserName"},
      {"hostProcess", "HostProcess"}};
  for (const auto& [json, go] : fields) {
    if (out.size() > 1) out += ',';
    out += fmt::format("\"{}\":{}", go, printed(options[json]));
  }
  return out + "}";
}

std::string printed_context(View context) {
  const View capabilities = context["capabilities"];
  const std::string abilities =
      capabilities ? fmt::format(R"({{"Add":{},"Drop":{}}})", printed(capabilities["add"]),
                                 printed(capabilities["drop"]))
                   : std::string("null");
  std::string out = fmt::format(
      R"({{"Capabilities":{},"Privileged":{},"SELinuxOptions":{},"WindowsOptions":{})", abilities,
      printed(context["privileged"]),
      printed_texts(context["seLinuxOptions"],
                    {{"user", "User"}, {"role", "Role"}, {"type", "Type"}, {"level", "Level"}}),
      printed_windows(context["windowsOptions"]));
  constexpr std::pair<std::string_view, std::string_view> plain[] = {
      {"runAsUser", "RunAsUser"},
      {"runAsGroup", "RunAsGroup"},
      {"runAsNonRoot", "RunAsNonRoot"},
      {"readOnlyRootFilesystem", "ReadOnlyRootFilesystem"},
      {"allowPrivilegeEscalation", "AllowPrivilegeEscalation"},
      {"procMount", "ProcMount"}};
  for (const auto& [json, go] : plain) out += fmt::format(",\"{}\":{}", go, printed(context[json]));
  return out + fmt::format(R"(,"SeccompProfile":{},"AppArmorProfile":{}}})",
                           printed_profile(context["seccompProfile"]),
                           printed_profile(context["appArmorProfile"]));
}

void check_seccomp(CheckScope& scope, const std::string& place, View profile) {
  if (!profile) return;
  const std::string_view type = profile["type"].string_or("");
  const View local = profile["localhostProfile"];
  if (type.empty()) {
    scope.required(place + ".type", "type is required when seccompProfile is set");
    return;
  }
  if (type == "Localhost") {
    if (!local) {
      scope.required(place + ".localhostProfile", "must be set when seccomp type is Localhost");
    } else {
      if (local.string_or("").starts_with('/')) {
        scope.invalid(place + ".localhostProfile", local, "must be a relative path");
      }
      check_path_without_steps_back(scope, place + ".localhostProfile", local.string_or(""));
    }
  } else if (local) {
    scope.invalid_printed(place + ".localhostProfile", printed_profile(profile),
                          "can only be set when seccomp type is Localhost");
  }
  if (type != "Localhost" && type != "RuntimeDefault" && type != "Unconfined") {
    scope.not_supported(place + ".type", type, {"Localhost", "RuntimeDefault", "Unconfined"});
  }
}

void check_windows_options(CheckScope& scope, const std::string& place, View options) {
  if (!options) return;
  if (const View name = options["gmsaCredentialSpecName"]) {
    scope.format(place + ".gmsaCredentialSpecName", name.string_or(""), Format::dns_subdomain);
  }
  if (const View text = options["gmsaCredentialSpec"]; text && text.string_or("").empty()) {
    scope.invalid(place + ".gmsaCredentialSpec", "",
                  "gmsaCredentialSpec cannot be an empty string");
  }
  if (const View name = options["runAsUserName"]; name && name.string_or("").empty()) {
    scope.invalid(place + ".runAsUserName", "", "runAsUserName cannot be an empty string");
  }
}

void check_sysctls(CheckScope& scope, View sysctls) {
  static const re2::RE2 pattern{re2::StringPiece(sysctl_pattern.data(), sysctl_pattern.size())};
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (View sysctl : sysctls.elements()) {
    const std::string place = fmt::format(".securityContext.sysctls[{}].name", index++);
    const View name = sysctl["name"];
    const std::string_view text = name.string_or("");
    const bool fits = text.size() <= sysctl_bytes_max &&
                      re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
    if (text.empty()) {
      scope.required(place);
    } else if (!fits) {
      scope.invalid(place, name,
                    fmt::format("must have at most {} characters and match regex {}",
                                sysctl_bytes_max, sysctl_pattern));
    } else if (!names.insert(text).second) {
      scope.duplicate(place, name);
    }
  }
}

void forbid_last(CheckScope& scope, std::string_view place, std::string_view why) {
  FieldError error = FieldError::forbidden(scope.at(place), std::string(why));
  error.pass = error_pass_as_it_comes;
  scope.add(std::move(error));
}

// What only the other system has, in the order in which the peer looks.
void forbid_linux_parts(CheckScope& scope) {
  constexpr std::string_view why = "cannot be set for a windows pod";
  constexpr std::string_view of_pods[] = {".securityContext.appArmorProfile",
                                          ".securityContext.seLinuxOptions",
                                          ".hostUsers",
                                          ".hostPID",
                                          ".hostIPC",
                                          ".securityContext.seccompProfile",
                                          ".securityContext.fsGroup",
                                          ".securityContext.fsGroupChangePolicy",
                                          ".securityContext.sysctls",
                                          ".shareProcessNamespace",
                                          ".securityContext.runAsUser",
                                          ".securityContext.runAsGroup",
                                          ".securityContext.supplementalGroups",
                                          ".securityContext.supplementalGroupsPolicy",
                                          ".securityContext.seLinuxChangePolicy"};
  constexpr std::string_view inside = ".securityContext";
  for (const std::string_view place : of_pods) {
    const bool deep = place.starts_with(inside);
    const View holder = deep ? scope["securityContext"] : scope.value();
    const View value = holder[place.substr(deep ? inside.size() + 1 : 1)];
    const bool is_set =
        value && !(value.is_boolean() && place.starts_with(".hostP") && !value.boolean_or(false));
    if (is_set) forbid_last(scope, place, why);
  }
}

template <class Visit>
void for_each_context(CheckScope& scope, Visit&& visit) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    std::size_t index = 0;
    for (View container : scope[list].elements()) {
      const std::string place = fmt::format(".{}[{}].securityContext", list, index++);
      if (container["securityContext"]) visit(place, container["securityContext"]);
    }
  }
}

}  // namespace

void check_container_security(const ContainerPlace& here) {
  const View context = here.container["securityContext"];
  if (!context) return;
  CheckScope& scope = here.scope;
  const std::string place = here.at(".securityContext");
  if (context["procMount"].string_or("") == "Unmasked" &&
      here.spec()["hostUsers"].boolean_or(true)) {
    scope.invalid(place + ".procMount", context["procMount"],
                  "`hostUsers` must be false to use `Unmasked`");
  }
  check_seccomp(scope, place + ".seccompProfile", context["seccompProfile"]);
  check_windows_options(scope, place + ".windowsOptions", context["windowsOptions"]);
  const View escalation = context["allowPrivilegeEscalation"];
  if (!escalation || escalation.boolean_or(true)) return;
  const auto refuse = [&](std::string_view what) {
    FieldError error{FieldError::Type::invalid, scope.at(place), printed_context(context),
                     fmt::format("cannot set `allowPrivilegeEscalation` to false and {}", what)};
    add_late(scope, std::move(error));
  };
  if (context["privileged"].boolean_or(false)) refuse("`privileged` to true");
  for (View added : context["capabilities"]["add"].elements()) {
    if (added.string_or("") == "CAP_SYS_ADMIN") refuse("`capabilities.Add` CAP_SYS_ADMIN");
  }
}

void check_pod_security_context(CheckScope& scope) {
  const View context = scope["securityContext"];
  check_seccomp(scope, ".securityContext.seccompProfile", context["seccompProfile"]);
  check_windows_options(scope, ".securityContext.windowsOptions", context["windowsOptions"]);
  check_sysctls(scope, context["sysctls"]);
  if (scope["hostPID"].boolean_or(false) && scope["shareProcessNamespace"].boolean_or(false)) {
    scope.invalid(".securityContext.shareProcessNamespace", scope["shareProcessNamespace"],
                  "ShareProcessNamespace and HostPID cannot both be enabled");
  }
}

void check_operating_system(CheckScope& scope) {
  const std::string_view name = scope["os"]["name"].string_or("");
  if (!scope["os"]) return;
  if (name.empty()) return scope.required(".os.name", "cannot be empty");
  if (name != "linux" && name != "windows") {
    return scope.not_supported(".os", name, {"linux", "windows"});
  }
  if (name == "windows") forbid_linux_parts(scope);
  constexpr std::string_view why_linux = "windows options cannot be set for a linux pod";
  if (name == "linux" && scope["securityContext"]["windowsOptions"]) {
    forbid_last(scope, ".securityContext.windowsOptions", why_linux);
  }
  for_each_context(scope, [&](const std::string& place, View context) {
    if (name == "linux") {
      if (context["windowsOptions"]) forbid_last(scope, place + ".windowsOptions", why_linux);
      return;
    }
    for (const std::string_view field :
         {"appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities",
          "readOnlyRootFilesystem", "privileged", "allowPrivilegeEscalation", "procMount",
          "runAsUser", "runAsGroup"}) {
      if (!context[field]) continue;
      forbid_last(scope, fmt::format("{}.{}", place, field), "cannot be set for a windows pod");
    }
  });
}

}  // namespace muster::objects
