// What is said to a container when it is probed over its network, and what its answer means, in the
// words of a kubelet. Pure: agent/host_acts.h has the sockets.
//
//   ActConversation talk(act);               // http or grpc
//   send(talk.request());
//   if (auto outcome = talk.take(bytes)) …    // as soon as the answer is known
//   outcome = talk.on_closed();               // nothing more comes
//
// Assumes: an answer may be anything; what is no answer is a failure with a sentence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/pod_runtime.h"

namespace muster::agent {

// "10.64.1.2:8080"
std::string authority_of(const ContainerAct& act);

// `Get "http://10.64.1.2:8080/healthz": `; of a TCP probe nothing.
std::string act_prefix(const ContainerAct& act);

// A connection that was not made: "connection refused".
ActOutcome act_refused(const ContainerAct& act, std::string_view why);

// The time was over before, or after, there was a connection.
ActOutcome act_timed_out(const ContainerAct& act, bool was_connected);

class ActConversation {
 public:
  explicit ActConversation(ContainerAct act) : act_(std::move(act)) {}

  const ContainerAct& act() const { return act_; }
  std::string request() const;
  std::optional<ActOutcome> take(std::string_view bytes);
  ActOutcome on_closed() const;

  // The answer was a redirect to another path of the same server: the act that follows it.
  std::optional<ContainerAct> redirected() const { return redirected_; }

 private:
  std::optional<ActOutcome> take_http();
  std::optional<ActOutcome> take_grpc();
  std::optional<ActOutcome> judge_status(int status, std::string_view head);

  ContainerAct act_;
  std::string bytes_;
  std::optional<ContainerAct> redirected_;
};

}  // namespace muster::agent
