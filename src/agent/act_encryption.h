// ActEncryption: the client's half of TLS for a probe over HTTPS, between bytes and bytes. Whose
// certificate it is nobody asks, as a kubelet does not.
//
//   ActEncryption tls;
//   send(tls.say(request));                    // the beginning of the handshake; the rest waits
//   auto heard = tls.hear(bytes);              // {plain, reply to send}, or why not
//
// Assumes: no sockets here; one request of a few kilobytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace muster::agent {

class ActEncryption {
 public:
  struct Heard {
    std::string plain;
    std::string reply;  // to be sent to the other end
  };

  ActEncryption();
  ~ActEncryption();
  ActEncryption(const ActEncryption&) = delete;
  ActEncryption& operator=(const ActEncryption&) = delete;

  // What is to be sent now; the request follows when the handshake is through.
  std::string say(std::string request);
  Result<Heard> hear(std::string_view bytes);

 private:
  struct Session;

  std::string waiting_bytes();

  std::unique_ptr<Session> session_;
  std::string request_;  // not yet said
};

}  // namespace muster::agent
