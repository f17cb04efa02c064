// SPDX-License-Identifier: Apache-2.0
#include "agent/oci/system_call_profile.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace muster::agent {

namespace {

using objects::Builder;
using objects::Node;

constexpr std::int64_t not_permitted = 1;     // EPERM
constexpr std::int64_t not_implemented = 38;  // ENOSYS
// CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
constexpr std::int64_t namespace_flags = 0x7E020000;

struct Refused {
  std::string_view right;  // who has this capability may; empty: nobody
  std::vector<std::string_view> calls;
};

const std::vector<Refused>& refused_calls() {
  static const std::vector<Refused> list = {
      {"",
       {"add_key", "create_module", "get_kernel_syms", "io_uring_enter", "io_uring_register",
        "io_uring_setup", "keyctl", "nfsservctl", "query_module", "request_key", "sysfs", "_sysctl",
        "uselib", "userfaultfd", "ustat", "vm86", "vm86old"}},
      {"CAP_SYS_ADMIN",
       {"bpf",      "fsconfig",      "fsmount",    "fsopen",    "fspick",          "lookup_dcookie",
        "mount",    "mount_setattr", "move_mount", "open_tree", "perf_event_open", "pivot_root",
        "quotactl", "quotactl_fd",   "setns",      "swapon",    "swapoff",         "umount",
        "umount2",  "unshare"}},
      {"CAP_DAC_READ_SEARCH", {"open_by_handle_at"}},
      {"CAP_SYS_BOOT", {"kexec_file_load", "kexec_load", "reboot"}},
      {"CAP_SYS_MODULE", {"delete_module", "finit_module", "init_module"}},
      {"CAP_SYS_PACCT", {"acct"}},
      {"CAP_SYS_PTRACE", {"kcmp", "process_madvise"}},
      {"CAP_SYS_RAWIO", {"ioperm", "iopl"}},
      {"CAP_SYS_TIME",
       {"clock_adjtime", "clock_settime", "clock_settime64", "settimeofday", "stime"}},
  };
  return list;
}

Node errno_rule(Builder& builder, const std::vector<std::string_view>& calls, std::int64_t number,
                std::initializer_list<Node> arguments = {}) {
  std::vector<Node> names;
  names.reserve(calls.size());
  for (const std::string_view call : calls) names.push_back(Builder::literal(call));
  std::vector<Node> pairs = {Builder::literal("names"),    builder.array(names),
                             Builder::literal("action"),   Builder::literal("SCMP_ACT_ERRNO"),
                             Builder::literal("errnoRet"), Builder::integer(number)};
  if (arguments.size() > 0) {
    pairs.push_back(Builder::literal("args"));
    pairs.push_back(builder.array({arguments.begin(), arguments.size()}));
  }
  return builder.object_of_pairs(pairs);
}

// One rule a flag: a call that sets any of them is refused.
void refuse_new_namespaces(Builder& builder, std::vector<Node>& rules) {
  for (std::int64_t flag = 1; flag <= namespace_flags; flag <<= 1) {
    if ((namespace_flags & flag) == 0) continue;
    const std::array pairs = {Builder::literal("index"),    Builder::integer(0),
                              Builder::literal("value"),    Builder::integer(flag),
                              Builder::literal("valueTwo"), Builder::integer(flag),
                              Builder::literal("op"),       Builder::literal("SCMP_CMP_MASKED_EQ")};
    rules.push_back(
        errno_rule(builder, {"clone"}, not_permitted, {builder.object_of_pairs(pairs)}));
  }
  // Its flags lie in memory, where no filter can look: programs fall back to clone.
  rules.push_back(errno_rule(builder, {"clone3"}, not_implemented));
}

}  // namespace

Node system_call_profile(Builder& builder, const std::vector<std::string>& capabilities) {
  const auto has = [&](std::string_view right) {
    return std::find(capabilities.begin(), capabilities.end(), right) != capabilities.end();
  };
  std::vector<Node> rules;
  for (const Refused& refused : refused_calls()) {
    if (!refused.right.empty() && has(refused.right)) continue;
    rules.push_back(errno_rule(builder, refused.calls, not_permitted));
  }
  if (!has("CAP_SYS_ADMIN")) refuse_new_namespaces(builder, rules);
#if defined(__aarch64__)
  const std::array machines = {Builder::literal("SCMP_ARCH_AARCH64"),
                               Builder::literal("SCMP_ARCH_ARM")};
#else
  const std::array machines = {Builder::literal("SCMP_ARCH_X86_64"),
                               Builder::literal("SCMP_ARCH_X86"),
                               Builder::literal("SCMP_ARCH_X32")};
#endif
  const std::array pairs = {Builder::literal("defaultAction"), Builder::literal("SCMP_ACT_ALLOW"),
                            Builder::literal("architectures"), builder.array(machines),
                            Builder::literal("syscalls"),      builder.array(rules)};
  return builder.object_of_pairs(pairs);
}

}  // namespace muster::agent
