// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/image_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "agent/oci/image_users.h"
#include "agent/oci/oci_config.h"
#include "base/checked.h"
#include "base/quantity.h"
#include "objects/metadata.h"

namespace muster::agent {

namespace {

using objects::View;

constexpr std::string_view usual_path =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

constexpr std::array<std::string_view, 14> usual_capabilities = {
    "CAP_AUDIT_WRITE", "CAP_CHOWN",   "CAP_DAC_OVERRIDE",     "CAP_FOWNER",    "CAP_FSETID",
    "CAP_KILL",        "CAP_MKNOD",   "CAP_NET_BIND_SERVICE", "CAP_NET_RAW",   "CAP_SETFCAP",
    "CAP_SETGID",      "CAP_SETPCAP", "CAP_SETUID",           "CAP_SYS_CHROOT"};

View security_of(View pod, View container, std::string_view field) {
  const View own = container["securityContext"][field];
  return own ? own : pod["spec"]["securityContext"][field];
}

StartRefusal config_error(View pod, View container, std::string_view why) {
  return {.reason = "CreateContainerConfigError",
          .message = fmt::format("{} (pod: \"{}_{}({})\", container: {})", why,
                                 objects::name_of(pod), objects::namespace_of(pod),
                                 objects::uid_of(pod), container["name"].string_or("")),
          .event_reason = "Failed"};
}

Result<std::vector<std::string>> program_of(View container, const ImageConfig& config,
                                            const Environment& environment) {
  std::vector<std::string> program;
  const View command = container["command"];
  const View arguments = container["args"];
  if (command.empty()) program = config.entrypoint;
  for (View each : command.elements()) {
    program.push_back(TRY(expand(each.string_or(""), environment)));
  }
  for (View each : arguments.elements()) {
    program.push_back(TRY(expand(each.string_or(""), environment)));
  }
  if (command.empty() && arguments.empty()) {
    program.insert(program.end(), config.command.begin(), config.command.end());
  }
  if (program.empty() || program.front().empty()) {
    return Error{ErrorCode::not_found,
                 "failed to generate spec: no command specified, neither by the container nor by "
                 "its image"};
  }
  return program;
}

// Thousandths of a processor; nothing where none are named.
std::optional<std::int64_t> milli_cpu(View resources) {
  const View text = resources["cpu"];
  if (!text) return std::nullopt;
  const auto quantity = Quantity::parse(text.is_string() ? std::string(text.string_or(""))
                                                         : fmt::format("{}", text.integer_or(0)));
  if (!quantity) return std::nullopt;
  const auto milli = quantity->milli_value();
  return milli ? std::optional(*milli) : std::nullopt;
}

// Ten times a kubelet's shares: these groups stand beside those of this machine's other processes,
// which have 1024 each, and a container that asks for a tenth of a processor should weigh as much.
std::int64_t shares_of(std::int64_t milli) {
  constexpr std::int64_t shares_min = 2;
  constexpr std::int64_t shares_max = 262'144;
  constexpr std::int64_t shares_of_a_tenth = 1024;
  constexpr std::int64_t tenth = 100;
  const auto shares = checked_multiply(milli, shares_of_a_tenth);
  return std::clamp(shares ? *shares / tenth : shares_max, shares_min, shares_max);
}

void set_cpu(View container, ImageRun& run) {
  constexpr std::int64_t quota_of_a_thousandth = 100;
  constexpr std::int64_t quota_min = 1000;
  const View resources = container["resources"];
  const auto limit = milli_cpu(resources["limits"]);
  const auto request = milli_cpu(resources["requests"]);
  if (const auto weight = request ? request : limit; weight && *weight > 0) {
    run.cpu_shares = shares_of(*weight);
  }
  if (!limit || *limit <= 0) return;
  run.cpu_quota_microseconds =
      std::max(quota_min, checked_multiply(*limit, quota_of_a_thousandth).value_or(0));
}

int signal_number(std::string_view text) {
  constexpr std::array<std::string_view, 16> names = {
      "",       "SIGHUP",  "SIGINT",  "SIGQUIT", "SIGILL",  "SIGTRAP", "SIGABRT", "SIGBUS",
      "SIGFPE", "SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM"};
  constexpr int signal_max = 64;
  int number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || number > signal_max) break;
    number = number * 10 + (c - '0');
  }
  if (number > 0 && number <= signal_max) return number;
  if (text == "SIGWINCH" || text == "WINCH") return 28;
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i] == text || names[i].substr(3) == text) return static_cast<int>(i);
  }
  return 0;
}

void set_environment(const ImageConfig& config, const Environment& own, ContainerSpec& made) {
  Environment all(made.environment.begin(), made.environment.end());
  // PATH of the machine's own programs is none of an image's.
  if (!own.contains("PATH")) all.erase("PATH");
  for (const auto& [name, value] : config.environment) all.try_emplace(name, value);
  all.try_emplace("PATH", usual_path);
  made.environment.assign(all.begin(), all.end());
}

}  // namespace

std::vector<std::string> capabilities_of(View container) {
  const View wished = container["securityContext"]["capabilities"];
  const auto has_all = [&](std::string_view list) {
    for (View name : wished[list].elements()) {
      if (name.string_or("") == "ALL" || name.string_or("") == "all") return true;
    }
    return false;
  };
  const auto full_name = [](View name) {
    std::string text(name.string_or(""));
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return text.starts_with("CAP_") ? text : "CAP_" + text;
  };
  std::set<std::string> given(usual_capabilities.begin(), usual_capabilities.end());
  if (has_all("add")) {
    for (std::size_t i = 0; i < capabilities_known(); ++i) given.emplace(capability_name(i));
  }
  if (has_all("drop")) given.clear();
  for (View name : wished["add"].elements()) given.insert(full_name(name));
  for (View name : wished["drop"].elements()) given.erase(full_name(name));
  given.erase("CAP_ALL");
  return {given.begin(), given.end()};
}

std::optional<StartRefusal> refused_by_image(View pod, View container, const ImageFacts& facts) {
  const View profile = security_of(pod, container, "seccompProfile");
  if (profile["type"].string_or("") == "Localhost") {
    return StartRefusal{
        .reason = "NotSupported",
        .message = fmt::format("container \"{}\": this node has no seccomp profiles of its own",
                               container["name"].string_or("")),
        .event_reason = "Failed"};
  }
  if (!security_of(pod, container, "runAsNonRoot").boolean_or(false)) return std::nullopt;
  if (const auto user = security_of(pod, container, "runAsUser").integer()) {
    if (*user != 0) return std::nullopt;
    return config_error(pod, container, "container's runAsUser breaks non-root policy");
  }
  const auto user = numeric_image_user(facts.config.user);
  if (!user) {
    const std::string_view name =
        std::string_view(facts.config.user).substr(0, facts.config.user.find(':'));
    return config_error(
        pod, container,
        fmt::format("container has runAsNonRoot and image has non-numeric user ({}), cannot "
                    "verify user is non-root",
                    name));
  }
  if (*user != 0) return std::nullopt;
  return config_error(pod, container, "container has runAsNonRoot and image will run as root");
}

Result<> run_from_image(View pod, View container, const ImageFacts& facts,
                        const Environment& environment, ContainerSpec& made) {
  const ImageConfig& config = facts.config;
  made.arguments = TRY(program_of(container, config, environment));
  set_environment(config, environment, made);
  if (container["workingDir"].string_or("").empty()) {
    made.working_folder = config.working_folder.empty() ? "/" : config.working_folder;
  }
  const ImageUser user =
      TRY(resolve_image_user(config.user, made.user, made.group, facts.users, facts.groups));
  made.user = user.user;
  made.group = user.group;
  made.groups.insert(made.groups.end(), user.groups.begin(), user.groups.end());
  if (container["lifecycle"]["stopSignal"].string_or("").empty()) {
    if (const int signal = signal_number(config.stop_signal); signal != 0) {
      made.stop_signal = signal;
    }
  }
  const View security = container["securityContext"];
  ImageRun& run = made.image_run;
  run.root_folder = facts.root_folder;
  run.capabilities = capabilities_of(container);
  run.is_privileged = security["privileged"].boolean_or(false);
  run.may_gain_rights = security["allowPrivilegeEscalation"].boolean_or(true);
  run.is_filtered =
      security_of(pod, container, "seccompProfile")["type"].string_or("") != "Unconfined";
  set_cpu(container, run);
  return {};
}

}  // namespace muster::agent
