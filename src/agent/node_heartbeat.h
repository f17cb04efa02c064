// NodeHeartbeat: keeps one Node registered, its status true and its Lease fresh. Level-triggered:
// each beat looks at the Node as it is and writes what differs, so that a Node that somebody
// deleted, or that was marked NotReady while this process was away, is put right within a beat.
//
//   NodeHeartbeat heartbeat(options, machine, api, house);
//   heartbeat.start();
//
//   get Node ─► create it if absent ─► labels ─► status ─► Lease ─► 10 s ─► get Node …
//        └── any refusal: again after a second until the first success, then at the next beat
//
// Assumes: one beat is under way at a time. A beat that is never answered (a lost connection is
// answered) would be the last one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/images.h"
#include "agent/node_objects.h"
#include "agent/node_options.h"
#include "client/api.h"
#include "client/lifeline.h"
#include "client/list_watch.h"

namespace muster::agent {

class NodeHeartbeat {
 public:
  NodeHeartbeat(NodeOptions options, MachineFacts machine, client::Api& api, client::House house);

  // Before start(): whose images the Node lists; null: nobody's.
  void show(Images* images) { images_ = images; }

  void start() { beat(); }

  const NodeOptions& options() const { return options_; }

  // A whole beat has succeeded at least once.
  bool is_registered() const { return is_registered_; }

 private:
  using Step = void (NodeHeartbeat::*)();

  void beat();
  void create_node();
  void write_node();
  void write_status();
  void find_lease();
  void create_lease();
  void renew_lease();
  void rest();

  // Sends the call; the answer replaces the node, or the lease, and the next step follows.
  void ask(client::Call call, objects::Value NodeHeartbeat::*kept, Step then);
  void on_refused(const client::Call& call, const Error& error);

  const NodeOptions options_;
  const MachineFacts machine_;
  client::Api& api_;
  client::House house_;
  Images* images_ = nullptr;

  objects::Value node_;
  objects::Value lease_;  // absent: must be asked for
  bool is_registered_ = false;
  client::Lifeline lifeline_;
};

}  // namespace muster::agent
