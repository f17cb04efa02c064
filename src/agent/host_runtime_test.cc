// What only real processes show: logs, ends, what a pod can see and reach, what survives whose
// death. The contract that it shares with other runtimes is in tests/suites/pod_runtime_suite.h.
// SPDX-License-Identifier: Apache-2.0
#include "agent/host_runtime.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "agent/pod_network.h"
#include "base/os/control_group.h"
#include "base/os/files.h"
#include "base/os/folders.h"
#include "base/os/network.h"
#include "tests/suites/host_world.h"

namespace muster::suites {
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PodRuntimeSuite);
}

namespace muster::agent {
namespace {

using suites::contents_of;
using suites::HostWorld;
using ::testing::HasSubstr;
using ::testing::Not;
using Phase = ContainerState::Phase;

class HostRuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!suites::machine_has_namespaces()) GTEST_SKIP() << "this machine permits no namespaces";
    open_world(false, probe_isolation());
  }

  void open_world(bool bridged, Isolation isolation) {
    world_ = std::make_unique<HostWorld>(bridged, isolation);
    listen();
  }

  void listen() {
    world_->runtime().set_listener([this](const PodState& state) { states_[state.uid] = state; });
    world_->runtime().adopt([this](Result<std::vector<PodState>> found) {
      for (const PodState& state : std::move(found).must()) states_[state.uid] = state;
      adopted_ = true;
    });
    ASSERT_TRUE(world_->run_until([this] { return adopted_; }));
  }

  // Of its only container.
  ContainerState state_of(const std::string& uid) {
    const auto found = states_.find(uid);
    return found == states_.end() ? ContainerState{} : found->second.containers.front();
  }

  bool reaches(const std::string& uid, Phase phase) {
    return world_->run_until([this, uid, phase] { return state_of(uid).phase == phase; });
  }

  // Runs it to its end and gives back its log, without times and streams.
  std::string output_of(const PodSpec& spec) {
    world_->runtime().start(spec);
    EXPECT_TRUE(reaches(spec.uid, Phase::exited));
    return texts_of(contents_of(world_->log_path(spec.uid)));
  }
  std::string output_of_script(const std::string& script) {
    return output_of(world_->pod({"sh", "-c", script}));
  }

  static std::string texts_of(const std::string& log) {
    std::string texts;
    std::istringstream lines(log);
    for (std::string time, stream, flag; lines >> time >> stream >> flag;) {
      std::string text;
      lines.get();  // the space
      std::getline(lines, text);
      texts += text + (flag == "F" ? "\n" : "");
    }
    return texts;
  }

  // Whether some process of this machine has the word in its command line.
  static bool runs_anywhere(const std::string& word) {
    for (const std::string& name : names_in_folder("/proc").must()) {
      const auto line = read_whole_file("/proc/" + name + "/cmdline", 65536);
      if (line && line->find(word) != std::string::npos) return true;
    }
    return false;
  }

  // A length that no other sleep on this machine has.
  std::string unique_seconds() const {
    return "98765." + std::to_string(::getpid()) +
           std::to_string(::testing::UnitTest::GetInstance()->random_seed());
  }

  std::unique_ptr<HostWorld> world_;
  std::map<std::string, PodState> states_;
  bool adopted_ = false;
};

// ---- Gangs -------------------------------------------------------------------------------------

TEST_F(HostRuntimeTest, the_members_of_a_gang_start_together) {
  std::vector<PodSpec> members;
  for (int i = 0; i < 3; ++i) {
    members.push_back(world_->pod({"sleep", "100"}));
    members.back().gang = "team-a/train";
    members.back().gang_members = 3;
  }
  world_->runtime().start(members[0]);
  world_->runtime().start(members[1]);
  world_->settle();
  EXPECT_EQ(state_of(members[0].uid).phase, Phase::waiting);
  EXPECT_EQ(state_of(members[1].uid).phase, Phase::waiting);
  world_->runtime().start(members[2]);
  for (const PodSpec& each : members) EXPECT_TRUE(reaches(each.uid, Phase::running));
}

TEST_F(HostRuntimeTest, a_member_that_never_comes_holds_nobody_for_ever) {
  PodSpec alone = world_->pod({"true"});
  alone.gang = "team-a/train";
  alone.gang_members = 2;
  world_->runtime().start(alone);
  EXPECT_TRUE(reaches(alone.uid, Phase::exited));
}

TEST_F(HostRuntimeTest, who_waits_for_its_gang_can_be_stopped) {
  PodSpec alone = world_->pod({"sleep", "100"});
  alone.gang = "team-a/train";
  alone.gang_members = 2;
  world_->runtime().start(alone);
  world_->settle();
  world_->runtime().stop(alone.uid, Span{});
  EXPECT_TRUE(reaches(alone.uid, Phase::exited));
}

TEST_F(HostRuntimeTest, a_gang_that_waits_is_found_by_the_next_platform) {
  std::vector<PodSpec> members = {world_->pod({"sleep", "100"}), world_->pod({"sleep", "100"})};
  for (PodSpec& each : members) {
    each.gang = "team-a/train";
    each.gang_members = 2;
  }
  world_->runtime().start(members[0]);
  world_->settle();
  world_->restart_platform();
  listen();
  world_->runtime().start(members[1]);
  for (const PodSpec& each : members) EXPECT_TRUE(reaches(each.uid, Phase::running));
}

// ---- Logs and ends -----------------------------------------------------------------------------

TEST_F(HostRuntimeTest, the_log_has_times_streams_and_parts) {
  const PodSpec spec = world_->pod({"sh", "-c", "echo out; echo err >&2; sleep 0.1; printf end"});
  output_of(spec);
  const std::string log = contents_of(world_->log_path(spec.uid));
  EXPECT_THAT(log, ::testing::MatchesRegex("([-0-9T:.Z]* std(out F out|err F err)\n){2}"
                                           "[-0-9T:.Z]* stdout P end\n"));
}

TEST_F(HostRuntimeTest, the_end_by_a_signal_is_128_and_the_signal) {
  const PodSpec spec = world_->pod({"sh", "-c", "kill -KILL $$"});
  output_of(spec);
  EXPECT_EQ(state_of(spec.uid).exit_code, 137);
  EXPECT_EQ(state_of(spec.uid).signal, SIGKILL);
  EXPECT_EQ(state_of(spec.uid).reason, "Error");
}

TEST_F(HostRuntimeTest, a_file_that_is_no_program_cannot_run) {
  const PodSpec spec = world_->pod({"/etc/passwd"});
  output_of(spec);
  EXPECT_EQ(state_of(spec.uid).exit_code, 126);
  EXPECT_EQ(state_of(spec.uid).reason, "ContainerCannotRun");
  EXPECT_EQ(state_of(spec.uid).message, "exec /etc/passwd: Permission denied");
}

TEST_F(HostRuntimeTest, a_program_that_is_not_there_is_named) {
  const PodSpec spec = world_->pod({"no-such-program"});
  output_of(spec);
  EXPECT_EQ(state_of(spec.uid).exit_code, 127);
  EXPECT_EQ(state_of(spec.uid).message, "exec no-such-program: executable file not found in $PATH");
}

TEST_F(HostRuntimeTest, a_container_without_a_command_says_what_is_missing) {
  const PodSpec spec = world_->pod({});
  output_of(spec);
  EXPECT_EQ(state_of(spec.uid).reason, "StartError");
  EXPECT_THAT(state_of(spec.uid).message, HasSubstr("names no command"));
}

TEST_F(HostRuntimeTest, a_log_that_grows_too_long_loses_its_oldest_part) {
  const PodSpec spec = world_->pod(
      {"sh", "-c", "i=0; while [ $i -lt 20000 ]; do echo line $i of many; i=$((i+1)); done"});
  output_of(spec);
  std::uintmax_t bytes = 0;
  int files = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(pod_folder::log_folder(spec.folder, "main"))) {
    bytes += file.file_size();
    ++files;
    EXPECT_LE(file.file_size(), world_->options().log_limits.file_bytes);
  }
  EXPECT_EQ(files, 3);
  EXPECT_GT(bytes, 100'000U);
  EXPECT_THAT(contents_of(world_->log_path(spec.uid)), HasSubstr("line 19999 of many\n"));
}

TEST_F(HostRuntimeTest, a_second_run_has_a_log_of_its_own) {
  const PodSpec spec = world_->pod({"sh", "-c", "echo run in $PWD; exit 1"});
  output_of(spec);
  world_->runtime().run(spec.uid, "main");
  ASSERT_TRUE(world_->run_until([&] {
    return state_of(spec.uid).attempt == 1 && state_of(spec.uid).phase == Phase::exited;
  }));
  EXPECT_EQ(texts_of(contents_of(world_->log_path(spec.uid, 0))), "run in /workspace\n");
  EXPECT_EQ(texts_of(contents_of(world_->log_path(spec.uid, 1))), "run in /workspace\n");
}

TEST_F(HostRuntimeTest, out_of_memory_is_a_reason) {
  if (ControlGroups::find().describe().find("memory") == std::string::npos) {
    GTEST_SKIP() << "this machine does not let us limit memory";
  }
  PodSpec spec = world_->pod({"tail", "/dev/zero"});
  spec.containers[0].memory_bytes_max = 32 << 20;
  output_of(spec);
  EXPECT_EQ(state_of(spec.uid).reason, "OOMKilled");
  EXPECT_EQ(state_of(spec.uid).exit_code, 137);
}

// ---- What a pod sees ---------------------------------------------------------------------------

TEST_F(HostRuntimeTest, it_has_its_own_names) {
  PodSpec spec =
      world_->pod({"sh", "-c", "hostname; cat /etc/hostname /etc/hosts /etc/resolv.conf"});
  spec.name_server = "10.0.0.53";
  spec.search_domains = {"team-a.svc.cluster.local", "svc.cluster.local"};
  EXPECT_EQ(output_of(spec), spec.hostname + "\n" + spec.hostname + "\n" + spec.hosts +
                                 "nameserver 10.0.0.53\n"
                                 "search team-a.svc.cluster.local svc.cluster.local\n"
                                 "options ndots:5\n");
}

TEST_F(HostRuntimeTest, it_has_its_environment_and_no_other) {
  PodSpec spec = world_->pod({"/usr/bin/env"});
  spec.containers[0].environment = {{"RANK", "0"}, {"TEXT", "a b\n\"c\""}};
  EXPECT_EQ(output_of(spec), "RANK=0\nTEXT=a b\n\"c\"\n");
}

TEST_F(HostRuntimeTest, it_writes_where_it_may_and_nowhere_else) {
  EXPECT_EQ(output_of_script("for f in / /etc /usr /root /dev /proc /sys; do"
                             "  (echo x > $f/muster-test) 2>/dev/null && echo wrote $f; done;"
                             "for f in . /tmp /var/tmp /run /dev/shm; do"
                             "  echo x > $f/muster-test && echo could $f; done"),
            "could .\ncould /tmp\ncould /var/tmp\ncould /run\ncould /dev/shm\n");
  EXPECT_FALSE(path_exists("/tmp/muster-test"));
}

TEST_F(HostRuntimeTest, folders_and_files_are_mounted_where_it_asks) {
  const std::string source = world_->folder() + "/data/volume";
  make_folders(source).must();
  replace_file(source + "/file", "hello\n", Durable::no).must();
  PodSpec spec = world_->pod({"sh", "-c",
                              "cat /etc/deep/below/file /opt/one; echo x > /etc/deep/below/x;"
                              "echo y > /data/y; ls /etc/passwd; cat /data/y; echo $PWD"});
  spec.containers[0].mounts = {{source, "/etc/deep/below", true},
                               {source + "/file", "/opt/one", true},
                               {source, "/data", false}};
  spec.containers[0].working_folder = "/new/working/folder";
  EXPECT_THAT(output_of(spec), HasSubstr("hello\nhello\n"));
  EXPECT_THAT(texts_of(contents_of(world_->log_path(spec.uid))),
              ::testing::AllOf(HasSubstr("Read-only file system"), HasSubstr("/etc/passwd\n"),
                               HasSubstr("y\n"), HasSubstr("/new/working/folder\n")));
  EXPECT_EQ(contents_of(source + "/y"), "y\n");
  EXPECT_FALSE(path_exists("/etc/deep"));
}

TEST_F(HostRuntimeTest, nothing_can_be_mounted_over_proc) {
  PodSpec spec = world_->pod({"true"});
  spec.containers[0].mounts = {{world_->folder(), "/proc/self", false}};
  output_of(spec);
  EXPECT_EQ(state_of(spec.uid).reason, "StartError");
  EXPECT_EQ(state_of(spec.uid).message, "mount on /proc/self: nothing can be mounted there");
}

// ---- What a pod cannot do ----------------------------------------------------------------------

TEST_F(HostRuntimeTest, the_data_folder_is_empty_inside) {
  const std::string token = world_->folder() + "/data/token";
  replace_file(token, "secret-of-the-admin\n", Durable::no).must();
  EXPECT_EQ(
      output_of_script("cat " + token + " 2>/dev/null; ls " + world_->folder() + "/data; id -u"),
      std::to_string(::getuid()) + "\n");
}

TEST_F(HostRuntimeTest, it_sees_no_process_but_its_own) {
  const PodSpec neighbour = world_->pod({"sleep", "1000"});
  world_->runtime().start(neighbour);
  ASSERT_TRUE(reaches(neighbour.uid, Phase::running));
  // The init and the shell.
  EXPECT_EQ(output_of_script("echo /proc/[0-9]*; kill -9 " + std::to_string(::getpid()) +
                             " 2>/dev/null || echo cannot"),
            "/proc/1 /proc/2\ncannot\n");
  EXPECT_EQ(state_of(neighbour.uid).phase, Phase::running);
}

TEST_F(HostRuntimeTest, its_init_cannot_be_killed_or_looked_into_from_inside) {
  EXPECT_EQ(output_of_script("kill -9 1; kill -STOP 1; readlink /proc/1/root || echo hidden;"
                             "cat /proc/1/mem >/dev/null 2>&1 || echo closed"),
            "hidden\nclosed\n");
}

TEST_F(HostRuntimeTest, it_has_no_capabilities_and_gains_none) {
  EXPECT_EQ(
      output_of_script("grep -E '^(Cap(Eff|Prm|Bnd|Amb)|NoNewPrivs|Seccomp):' /proc/self/status"
                       " | tr -d '\\t'"),
      "CapPrm:0000000000000000\nCapEff:0000000000000000\nCapBnd:0000000000000000\n"
      "CapAmb:0000000000000000\nNoNewPrivs:1\nSeccomp:2\n");
}

TEST_F(HostRuntimeTest, it_can_make_no_namespaces_and_mount_nothing) {
  EXPECT_EQ(output_of_script("unshare -U true 2>/dev/null || echo no;"
                             "unshare -m true 2>/dev/null || echo no;"
                             "mount -t tmpfs x /tmp 2>/dev/null || echo no"),
            "no\nno\nno\n");
}

TEST_F(HostRuntimeTest, the_number_of_its_processes_is_bounded) {
  if (ControlGroups::find().describe().find("processes") == std::string::npos) {
    GTEST_SKIP() << "this machine does not let us limit processes";
  }
  PodSpec spec = world_->pod(
      {"sh", "-c", "i=0; while [ $i -lt 200 ]; do sleep 100 & i=$((i+1)); done; echo all"});
  EXPECT_THAT(output_of(spec), Not(HasSubstr("all")));
  EXPECT_NE(state_of(spec.uid).exit_code, 0);
}

// ---- Who dies with whom ------------------------------------------------------------------------

TEST_F(HostRuntimeTest, who_leaves_session_and_parents_ends_with_the_pod) {
  const std::string seconds = unique_seconds();
  const PodSpec spec =
      world_->pod({"sh", "-c", "(setsid sleep " + seconds + " &); echo ready; exec sleep 1000"});
  world_->runtime().start(spec);
  ASSERT_TRUE(world_->run_until([&] { return runs_anywhere(seconds); }));
  world_->runtime().stop(spec.uid, Span::of_seconds(30));
  ASSERT_TRUE(reaches(spec.uid, Phase::exited));
  EXPECT_FALSE(runs_anywhere(seconds));
}

TEST_F(HostRuntimeTest, a_killed_shim_takes_its_containers_along_and_the_pod_has_failed) {
  const std::string seconds = unique_seconds();
  const PodSpec spec = world_->pod({"sleep", seconds});
  world_->runtime().start(spec);
  ASSERT_TRUE(reaches(spec.uid, Phase::running));
  const auto state = parse_shim_state(contents_of(pod_folder::state_path(spec.folder))).must();
  ASSERT_EQ(::kill(static_cast<pid_t>(state.shim.id), SIGKILL), 0);
  ASSERT_TRUE(reaches(spec.uid, Phase::exited));
  EXPECT_EQ(state_of(spec.uid).exit_code, 137);
  EXPECT_EQ(state_of(spec.uid).reason, "Error");
  EXPECT_THAT(state_of(spec.uid).message, HasSubstr("was killed"));
  EXPECT_TRUE(world_->run_until([&] { return !runs_anywhere(seconds); }));
}

TEST_F(HostRuntimeTest, what_ends_while_there_is_no_platform_is_found_with_its_end) {
  const PodSpec spec = world_->pod({"sh", "-c", "sleep 0.3; echo done; exit 7"});
  world_->runtime().start(spec);
  ASSERT_TRUE(reaches(spec.uid, Phase::running));
  world_->go_down();
  const auto has_ended = [&] {
    return parse_shim_state(contents_of(pod_folder::state_path(spec.folder))).must().has_ended();
  };
  while (!has_ended()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  states_.clear();
  adopted_ = false;
  world_->come_up();
  listen();
  EXPECT_EQ(state_of(spec.uid).exit_code, 7);
  EXPECT_EQ(texts_of(contents_of(world_->log_path(spec.uid))), "done\n");
}

TEST_F(HostRuntimeTest, a_shim_that_was_killed_while_there_is_no_platform_is_found_as_failed) {
  const PodSpec spec = world_->pod({"sleep", unique_seconds()});
  world_->runtime().start(spec);
  ASSERT_TRUE(reaches(spec.uid, Phase::running));
  world_->go_down();
  const auto state = parse_shim_state(contents_of(pod_folder::state_path(spec.folder))).must();
  ASSERT_EQ(::kill(static_cast<pid_t>(state.shim.id), SIGKILL), 0);
  states_.clear();
  adopted_ = false;
  world_->come_up();
  listen();
  ASSERT_TRUE(reaches(spec.uid, Phase::exited));
  EXPECT_EQ(state_of(spec.uid).exit_code, 137);
}

TEST_F(HostRuntimeTest, a_folder_in_which_nothing_was_begun_is_cleared_away) {
  const std::string folder = world_->options().pods_folder + "/never-begun";
  world_->go_down();
  make_folders(folder).must();
  replace_file(pod_folder::spec_path(folder), "{", Durable::no).must();
  adopted_ = false;
  world_->come_up();
  listen();
  EXPECT_FALSE(states_.contains("never-begun"));
  EXPECT_FALSE(path_exists(folder));
}

// ---- Other worlds ------------------------------------------------------------------------------

TEST_F(HostRuntimeTest, below_a_user_namespace_it_is_the_same) {
  world_.reset();
  open_world(false, Isolation::user_namespace);
  const PodSpec spec = world_->pod(
      {"sh", "-c", "id -u; hostname; echo /proc/[0-9]*; touch /etc/x 2>/dev/null || echo ro"});
  EXPECT_EQ(output_of(spec),
            std::to_string(::getuid()) + "\n" + spec.hostname + "\n/proc/1 /proc/2\nro\n");
}

TEST_F(HostRuntimeTest, without_namespaces_nothing_runs) {
  world_.reset();
  open_world(false, Isolation::none);
  const PodSpec spec = world_->pod({"true"});
  output_of(spec);
  EXPECT_EQ(state_of(spec.uid).reason, "StartError");
  EXPECT_THAT(state_of(spec.uid).message, HasSubstr("nothing would separate"));
}

TEST_F(HostRuntimeTest, pods_reach_each_other_and_the_machine_over_the_bridge) {
  world_.reset();
  open_world(true, probe_isolation());
  if (!world_->options().network.has_bridge()) {
    GTEST_SKIP() << "no bridge: " << world_->options().network.reason;
  }
  const PodSpec server =
      world_->pod({"perl", "-MIO::Socket::INET", "-e",
                   "$s = IO::Socket::INET->new(LocalPort => 4711, Listen => 1) or die $!;"
                   "print qq(ready\\n); $| = 1; print q(); $c = $s->accept; print scalar <$c>;"
                   "print $c $c->peerhost, qq(\\n);"});
  const PodSpec client = world_->pod(
      {"perl", "-MIO::Socket::INET", "-e",
       "$c = IO::Socket::INET->new(PeerAddr => '" + server.address +
           "', PeerPort => 4711, Timeout => 10) or die $!; print $c qq(hello\\n); print <$c>;"});
  world_->runtime().start(server);
  ASSERT_TRUE(world_->run_until([&] {
    return contents_of(world_->log_path(server.uid)).find("ready") != std::string::npos;
  }));
  EXPECT_EQ(output_of(client), client.address + "\n");
  ASSERT_TRUE(reaches(server.uid, Phase::exited));
  EXPECT_EQ(texts_of(contents_of(world_->log_path(server.uid))), "ready\nhello\n");
  // The only devices inside are its own.
  EXPECT_EQ(output_of_script("ls /sys/class/net | tr '\\n' ' '"), "eth0 lo ");
}

TEST_F(HostRuntimeTest, when_its_end_is_told_a_pod_has_left_the_network) {
  world_.reset();
  open_world(true, probe_isolation());
  if (!world_->options().network.has_bridge()) GTEST_SKIP() << world_->options().network.reason;
  const PodSpec ends = world_->pod({"sh", "-c", "exit 0"});
  output_of(ends);
  EXPECT_FALSE(link_index(cable_name(ends.uid)));
  const PodSpec killed = world_->pod({"sleep", "1000"});
  world_->runtime().start(killed);
  ASSERT_TRUE(reaches(killed.uid, Phase::running));
  EXPECT_TRUE(link_index(cable_name(killed.uid)));
  const auto state = parse_shim_state(contents_of(pod_folder::state_path(killed.folder))).must();
  ASSERT_EQ(::kill(static_cast<pid_t>(state.shim.id), SIGKILL), 0);
  ASSERT_TRUE(reaches(killed.uid, Phase::exited));
  EXPECT_FALSE(link_index(cable_name(killed.uid)));
}

// The process that waits to become shims: a child of ours that still shows its own name.
pid_t shim_server() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string status = contents_of(entry.path() / "status");
    const std::string words = contents_of(entry.path() / "cmdline");
    if (status.find(fmt::format("PPid:\t{}\n", ::getpid())) == std::string::npos) continue;
    if (words.starts_with(MUSTER_SHIM_PROGRAM)) return std::stoi(entry.path().filename());
  }
  return 0;
}

TEST_F(HostRuntimeTest, pods_start_after_the_process_that_starts_shims_was_killed) {
  EXPECT_EQ(output_of_script("echo one"), "one\n");
  const pid_t server = shim_server();
  ASSERT_NE(server, 0);
  ASSERT_EQ(::kill(server, SIGKILL), 0);
  EXPECT_EQ(output_of_script("echo two"), "two\n");
}

}  // namespace
}  // namespace muster::agent
