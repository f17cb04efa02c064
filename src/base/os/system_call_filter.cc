// SPDX-License-Identifier: Apache-2.0
#include "base/os/system_call_filter.h"

#include <sched.h>
#include <seccomp.h>

#include <array>
#include <cerrno>
#include <memory>

#include "base/os/system_error.h"

namespace muster {

namespace {

// By name, because older headers do not number all of them; a name that this machine's libseccomp
// does not know is a call that no program was built to use.
constexpr std::array refused = {
    "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "process_madvise",
    // Mounts and roots.
    "mount", "umount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen",
    "fsconfig", "fsmount", "fspick", "mount_setattr", "setns", "open_by_handle_at",
    // Code and state of the kernel.
    "bpf", "perf_event_open", "init_module", "finit_module", "delete_module", "kexec_load",
    "kexec_file_load", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd", "syslog",
    "iopl", "ioperm", "lookup_dcookie", "vhangup", "fanotify_init",
    // Keys, clocks, and two that were good for more than they said.
    "keyctl", "add_key", "request_key", "settimeofday", "clock_settime", "clock_adjtime",
    "adjtimex", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register"};

constexpr std::array<scmp_datum_t, 8> namespace_flags = {
    CLONE_NEWUSER, CLONE_NEWNS,  CLONE_NEWPID,    CLONE_NEWNET,
    CLONE_NEWIPC,  CLONE_NEWUTS, CLONE_NEWCGROUP, 0x80 /* CLONE_NEWTIME, in the signal's byte */};

struct Release {
  void operator()(void* filter) const { ::seccomp_release(filter); }
};

// Zero, or the negative number of an error.
int add_rules(scmp_filter_ctx filter) {
  for (const char* name : refused) {
    const int number = ::seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR) continue;
    const int outcome = ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0);
    if (outcome < 0 && outcome != -EDOM) return outcome;  // EDOM: not on this architecture
  }
  for (const scmp_datum_t flag : namespace_flags) {
    // SCMP_A0 spelled out: the macro is C.
    const scmp_arg_cmp has_flag{0, SCMP_CMP_MASKED_EQ, flag, flag};
    const int in_unshare =
        ::seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 1, &has_flag);
    if (in_unshare < 0) return in_unshare;
    if (flag == 0x80) continue;  // clone() has the signal there; only unshare and clone3 know it
    const int in_clone =
        ::seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1, &has_flag);
    if (in_clone < 0) return in_clone;
  }
  // Its flags lie in memory that no filter can read; without it, the C library uses clone().
  return ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
}

}  // namespace

Result<> refuse_dangerous_calls() {
  const std::unique_ptr<void, Release> filter(::seccomp_init(SCMP_ACT_ALLOW));
  if (filter == nullptr) return system_error("make a filter of system calls", "", ENOMEM);
  int outcome = add_rules(filter.get());
  if (outcome == 0) outcome = ::seccomp_load(filter.get());
  if (outcome < 0) return system_error("filter system calls", "", -outcome);
  return {};
}

}  // namespace muster
