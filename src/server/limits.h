// The maxima of the API server. Beyond each there is a typed refusal, never growth.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/instant.h"

namespace muster::server {

// A request body, as kube-apiserver limits it. The transport may stop reading there.
inline constexpr std::size_t body_bytes_max = std::size_t{3} * 1024 * 1024;

// A path and a query: longer ones name nothing.
inline constexpr std::size_t path_bytes_max = 4'096;
inline constexpr std::size_t query_bytes_max = std::size_t{128} * 1024;
inline constexpr std::size_t query_parameters_max = 256;

// Parsed trees of stored objects that are kept for the next reader: so many, and of so much text.
inline constexpr std::size_t trees_kept_max = 4'096;
inline constexpr std::size_t tree_text_bytes_kept_max = std::size_t{6} * 1024 * 1024;

// Watch events in their outer form, kept for the next watcher of the same form.
inline constexpr std::size_t encoded_events_kept_max = 1'024;

// How often a write that depends on the present object is tried anew when another one came first,
// as kube-apiserver does for patches; and names drawn for one generateName.
inline constexpr int write_attempts_max = 5;
inline constexpr int name_attempts_max = 8;

// Events that one turn of a watch handles before others get theirs.
inline constexpr std::size_t watch_events_per_turn_max = 256;

// Objects that garbage collection and other upkeep look at in one turn of the house.
inline constexpr std::size_t upkeep_objects_per_turn_max = 128;
inline constexpr std::size_t upkeep_writes_max = 64;  // under way at a time

// Pods that are looked at when their namespace becomes stricter.
inline constexpr std::size_t pod_security_pods_max = 3'000;

// The answer of a webhook, and what of its words is handed on.
inline constexpr std::size_t webhook_reply_bytes_max = std::size_t{8} * 1024 * 1024;
inline constexpr std::size_t webhook_message_bytes_max = 4'096;
inline constexpr std::size_t webhook_warnings_max = 64;

// Of a client's own Audit-Id.
inline constexpr std::size_t audit_id_bytes_max = 64;

// A list of more than this is sent while it is written, in pieces of about this size.
inline constexpr std::size_t list_stream_bytes_min = std::size_t{512} * 1024;
inline constexpr std::size_t list_piece_bytes = std::size_t{64} * 1024;

// How long a quota whose status could not be written waits for the next try.
inline constexpr Span quota_retry_pause = Span::of_seconds(1);

// A watch ends after this long unless it asked otherwise; a bookmark comes this often.
inline constexpr std::int64_t watch_seconds_default = 1'800;
inline constexpr Span bookmark_period = Span::of_seconds(60);

// How long history is kept for late watchers, and events for people.
inline constexpr Span history_kept = Span::of_seconds(300);
inline constexpr Span compaction_period = Span::of_seconds(60);
inline constexpr Span events_kept = Span::of_seconds(3'600);

// Of port-forward: one frame, the headers of one stream, and connections that are being opened.
inline constexpr std::size_t spdy_frame_bytes_max = std::size_t{1} << 20;
inline constexpr std::size_t spdy_headers_bytes_max = 16'384;
inline constexpr std::size_t forwarded_connections_max = 256;

// Ports that one query of port-forward names, and words of one command.
inline constexpr std::size_t forwarded_ports_max = 32;
inline constexpr std::size_t command_words_max = 1'024;

// Columns and rows of a terminal.
inline constexpr std::int64_t terminal_side_max = 10'000;

// Of those who wait in a queue, in one answer, as Kueue has it.
inline constexpr std::int64_t pending_workloads_default = 1'000;
inline constexpr std::int64_t pending_workloads_max = 100'000;

// Rights that an attempt to grant too much is told of.
inline constexpr std::size_t escalation_gaps_max = 1'000;

// The node ports of Services, both included.
inline constexpr std::uint32_t node_port_min = 30'000;
inline constexpr std::uint32_t node_port_max = 32'767;

}  // namespace muster::server
