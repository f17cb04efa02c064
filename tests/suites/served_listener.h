// A listener with its two threads for the length of a test: the house runs the handler that the
// test gives, the network thread serves. There is one token, "good", of an administrator, one of a
// tenant, "tenant", and one that has expired, "late".
//
//   Served served([](Request, Respond respond) { respond({.status = 204}); });
//   TlsPeer peer = served.connect();
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <string>
#include <thread>
#include <utility>

#include "base/os/event_loop.h"
#include "base/os/system_clock.h"
#include "server/authorization.h"
#include "server/http/listener.h"
#include "tests/suites/tls_peer.h"

namespace muster::server {

class Served {
 public:
  explicit Served(Handler handler, HttpLimits limits = {})
      : authority_(make_authority("test authority", clock_.wall()).must()),
        server_(issue_certificate(authority_,
                                  {.common_name = "test", .hosts = server_hosts("127.0.0.1")},
                                  clock_.wall())
                    .must()),
        authenticator_(clock_),
        listener_(std::move(handler), {.house = house_,
                                       .authenticator = filled(),
                                       .server = server_,
                                       .client_authority_pem = authority_.certificate_pem,
                                       .limits = limits,
                                       .counters = &counters_}) {
    listener_.open("127.0.0.1", 0).must();
    house_thread_ = std::jthread([this] { house_.run(); });
    network_thread_ = std::jthread([this] { listener_.run(); });
  }

  ~Served() {
    stop();
    on_house([] {});  // what the network posted last has run
    house_.stop();
  }

  void stop() {
    listener_.stop();
    if (network_thread_.joinable()) network_thread_.join();
  }

  // Runs it on the house thread and waits for it.
  template <class Body>
  void on_house(Body body) {
    std::promise<void> done;
    house_.post([&] {
      body();
      done.set_value();
    });
    done.get_future().wait();
  }

  // Whether a limit was met so often.
  bool has_counted(std::string_view limit, int times) {
    std::string text;
    on_house([&] { text = metrics_.to_text(); });
    return text.find("muster_http_limit_total{limit=\"" + std::string(limit) + "\"} " +
                     std::to_string(times) + "\n") != std::string::npos;
  }

  std::string address() const { return listener_.address(); }
  const CertifiedKey& authority() const { return authority_; }
  EventLoop& house() { return house_; }
  const Clock& clock() const { return clock_; }

  tests::TlsPeer connect() const {
    return tests::TlsPeer(address(), {.authority_pem = authority_.certificate_pem});
  }

 private:
  const Authenticator& filled() {
    authenticator_.accept({.digest = digest_of("good"), .identity = admin_identity()}).must();
    authenticator_.accept({.digest = digest_of("tenant"), .identity = {.name = "tenant"}}).must();
    authenticator_
        .accept({.digest = digest_of("late"),
                 .identity = admin_identity(),
                 .expires = clock_.wall() - Span::of_seconds(1)})
        .must();
    return authenticator_;
  }

  SystemClock clock_;
  EventLoop house_;
  CertifiedKey authority_;
  CertifiedKey server_;
  Authenticator authenticator_;
  MetricRegistry metrics_;
  HttpCounters counters_{metrics_};
  HttpListener listener_;
  std::jthread house_thread_;
  std::jthread network_thread_;
};

// A request as text.
inline std::string asking(std::string_view method, std::string_view target,
                          std::string_view body = {},
                          std::string_view authorization = "Bearer good") {
  std::string text(method);
  text.append(" ").append(target).append(" HTTP/1.1\r\nHost: test\r\n");
  if (!authorization.empty()) text.append("Authorization: ").append(authorization).append("\r\n");
  if (!body.empty())
    text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
  return text.append("\r\n").append(body);
}

inline Response text_response(std::string_view text, int status = 200) {
  return {.status = status, .content_type = "text/plain", .body = Piece::copy_of(text)};
}

}  // namespace muster::server
