// The maxima of this folder. Beyond each there is a typed refusal or a visible cut, never growth.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::agent {

// Seconds that a pretend pod may ask to run: 100 years.
inline constexpr double pretend_run_seconds_max = 3.2e9;

// Pods that a node takes when its option does not say.
inline constexpr std::int64_t pods_per_node_default = 110;

// One --node option, the nodes that one agent poses as, and the resources of one node.
inline constexpr std::size_t node_option_bytes_max = 16'384;
inline constexpr std::size_t nodes_max = 10'000;
inline constexpr std::size_t node_resources_max = 100;

// What a value may become by $(VAR) references: a chain of doublings stops here.
inline constexpr std::size_t expanded_bytes_max = std::size_t{1} << 20;

// A container's whole environment, and the files of all volumes of a pod.
inline constexpr std::size_t environment_bytes_max = std::size_t{2} << 20;
inline constexpr std::size_t volume_bytes_max = std::size_t{16} << 20;

// A gang whose members' names are written into /etc/hosts; the names of a larger one are left to
// the name server.
inline constexpr std::size_t hosts_members_max = 1'024;

// The longest grace and deadline of a pod: beyond a hundred years nobody waits.
inline constexpr std::int64_t grace_seconds_max = 3'200'000'000;

// Pods that are known to be gone: a late event about one of them does not bring it back.
inline constexpr std::size_t gone_pods_max = 10'000;

// A container's log: one line of it before it is cut, one file of it, and the files of one run.
inline constexpr std::size_t log_line_bytes_max = 16'384;
inline constexpr std::uint64_t log_file_bytes_max = std::uint64_t{10} << 20;
inline constexpr int log_files_max = 5;

// A container's last words, from its file and from the end of its log, as a kubelet cuts them.
inline constexpr std::size_t last_words_bytes_max = 4'096;
inline constexpr std::size_t last_words_log_bytes_max = 2'048;
inline constexpr std::size_t last_words_log_lines_max = 80;

// What a probe or hook may answer before the rest is left out.
inline constexpr std::size_t act_output_bytes_max = 10'240;

// Events that are remembered so that they are counted, and pods whose events are.
inline constexpr std::size_t events_remembered_max = 4'096;
inline constexpr std::size_t event_pods_max = 10'000;

// The processes and threads of one container, where the machine lets us count them.
inline constexpr std::int64_t container_processes_max = 4'096;

// The two files by which the platform and a shim know of each other (agent/pod_folder.h).
inline constexpr std::size_t shim_file_bytes_max = std::size_t{8} << 20;

// What a command or a connection of a container has told and nobody has taken yet.
inline constexpr std::size_t container_stream_window_bytes = std::size_t{256} << 10;

// Who is attached to a container: how many, one frame, what waits for one who does not read before
// the container waits for him, and the input that a container has not read.
inline constexpr std::size_t attached_clients_max = 64;
inline constexpr std::size_t attach_frame_bytes_max = std::size_t{64} << 10;
inline constexpr std::size_t attached_waiting_bytes_max = std::size_t{256} << 10;
inline constexpr std::size_t container_input_bytes_max = std::size_t{256} << 10;

// Questions that one turn of the house answers, and clients that ask over streams at once.
inline constexpr std::size_t dns_questions_per_turn_max = 256;
inline constexpr std::size_t dns_connections_max = 64;

// Ports of Services on which this machine listens, the streams and the senders of datagrams that it
// passes on at once, and what waits on one way of a stream. Clients that stay with an endpoint, of
// one port; endpoints that are tried for one stream; datagrams of one port in one turn.
inline constexpr std::size_t service_ports_max = 4'096;
inline constexpr std::size_t service_connections_max = 4'096;
inline constexpr std::size_t service_flows_max = 1'024;
inline constexpr std::size_t service_window_bytes = std::size_t{128} << 10;
inline constexpr std::size_t service_stays_max = 16'384;
inline constexpr std::size_t service_tries_max = 8;
inline constexpr std::size_t service_datagrams_per_turn_max = 64;

}  // namespace muster::agent
