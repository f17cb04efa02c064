// What a request and a watch event cost over TLS, beside a server that does nothing else: one
// thread that answers what it reads with bytes of the same number, with blocking OpenSSL.
// SPDX-License-Identifier: Apache-2.0
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bench/measure.h"
#include "server/http/tls.h"
#include "tests/suites/served_listener.h"

namespace muster::bench {
namespace {

using server::Handler;
using server::Piece;
using server::Request;
using server::Respond;
using server::Served;
using tests::TlsPeer;

constexpr std::size_t watchers = 1'000;
constexpr std::size_t pipeline = 16;
constexpr std::size_t ping_pongs = 3'000;
constexpr std::size_t batches = 600;
constexpr std::size_t fan_outs = 10;

// The limit: accepts TLS connections; a ping is answered by a pong, whatever it says.
class BareServer {
 public:
  BareServer(const server::CertifiedKey& key, std::size_t pong_bytes) : pong_(pong_bytes, 'p') {
    context_ = server::make_server_context(key, {}).must();
    listening_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    ::bind(listening_, reinterpret_cast<sockaddr*>(&place), size);
    ::listen(listening_, 4096);
    ::getsockname(listening_, reinterpret_cast<sockaddr*>(&place), &size);
    address_ = "127.0.0.1:" + std::to_string(ntohs(place.sin_port));
  }
  ~BareServer() {
    for (SSL* client : clients_) {
      ::close(SSL_get_fd(client));
      SSL_free(client);
    }
    ::close(listening_);
    SSL_CTX_free(context_);
  }

  const std::string& address() const { return address_; }

  SSL* accept() {
    const int descriptor = ::accept(listening_, nullptr, nullptr);
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    SSL* client = SSL_new(context_);
    SSL_set_fd(client, descriptor);
    SSL_accept(client);
    clients_.push_back(client);
    return client;
  }

  // Until the client leaves.
  void play(SSL* client) {
    char ping[64 * 1024];
    while (SSL_read(client, ping, sizeof ping) > 0) {
      SSL_write(client, pong_.data(), static_cast<int>(pong_.size()));
    }
  }

  void publish(std::string_view event) {
    for (SSL* client : clients_) SSL_write(client, event.data(), static_cast<int>(event.size()));
  }

 private:
  const std::string pong_;
  ssl_ctx_st* context_ = nullptr;
  int listening_ = -1;
  std::string address_;
  std::vector<SSL*> clients_;
};

// Every stream gets what is published. Of the house thread alone.
class Feed {
 public:
  class Listener final : public server::Stream {
   public:
    explicit Listener(Feed& feed) : feed_(feed) { feed_.listeners_.insert(this); }
    ~Listener() override { feed_.listeners_.erase(this); }
    server::StreamStep take(std::size_t) override {
      server::StreamStep step;
      if (!next_.is_none()) step.pieces.push_back(std::exchange(next_, Piece()));
      return step;
    }
    void set_on_ready(Task on_ready) override { on_ready_ = std::move(on_ready); }

   private:
    friend class Feed;
    Feed& feed_;
    Piece next_;
    Task on_ready_;
  };

  void publish(const Piece& event) {
    for (Listener* listener : listeners_) {
      listener->next_ = event;
      listener->on_ready_();
    }
  }

  Handler handler() {
    return [this](Request request, Respond respond) {
      if (request.path != "/watch") return respond(server::text_response(std::string(300, 'x')));
      respond({.body = std::unique_ptr<server::Stream>(std::make_unique<Listener>(*this))});
    };
  }

 private:
  std::set<Listener*> listeners_;
};

void measure_requests(Served& served, const server::CertifiedKey& key, std::size_t at_once) {
  const std::string ask = server::asking("GET", "/api/v1/namespaces/default/pods/web-0");
  std::string batch;
  for (std::size_t number = 0; number < at_once; ++number) batch += ask;
  TlsPeer peer = served.connect();
  peer.send(ask);
  const std::size_t answer_bytes = peer.read_answer_bytes();

  BareServer bare(key, answer_bytes * at_once);
  std::jthread thread([&] { bare.play(bare.accept()); });
  TlsPeer bare_peer(bare.address());
  const std::size_t turns = at_once == 1 ? ping_pongs : batches;
  const std::string name =
      at_once == 1 ? "GET, one at a time" : "GET, " + std::to_string(at_once) + " pipelined";
  compare(
      name, turns * at_once,
      [&] {
        for (std::size_t turn = 0; turn < turns; ++turn) {
          peer.send(batch);
          peer.read_bytes(answer_bytes * at_once);
        }
      },
      "the same bytes, bare TLS",
      [&] {
        for (std::size_t turn = 0; turn < turns; ++turn) {
          bare_peer.send(batch);
          bare_peer.read_bytes(answer_bytes * at_once);
        }
      });
  bare_peer.close();
}

void measure_fan_out(Served& served, Feed& feed, const server::CertifiedKey& key) {
  const Piece event = Piece::copy_of(std::string(1'023, 'e') + "\n");
  const std::size_t framed = event.size() + std::string("400\r\n\r\n").size();
  BareServer bare(key, 1);
  std::vector<TlsPeer> ours;
  std::vector<TlsPeer> theirs;
  for (std::size_t number = 0; number < watchers; ++number) {
    ours.push_back(served.connect());
    ours.back().send(server::asking("GET", "/watch"));
    ours.back().read_head();
    std::jthread accepting([&] { bare.accept(); });
    theirs.emplace_back(bare.address());
  }
  compare(
      "one event to 1,000 watchers, each", watchers * fan_outs,
      [&] {
        for (std::size_t turn = 0; turn < fan_outs; ++turn) {
          served.house().post([&] { feed.publish(event); });
          for (TlsPeer& peer : ours) peer.read_bytes(framed);
        }
      },
      "SSL_write to each in a loop",
      [&] {
        for (std::size_t turn = 0; turn < fan_outs; ++turn) {
          std::jthread writing([&] { bare.publish(event.view()); });
          for (TlsPeer& peer : theirs) peer.read_bytes(event.size());
        }
      });
}

void run() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);

  Feed feed;
  Served served(feed.handler());
  const auto key =
      server::issue_certificate(served.authority(),
                                {.common_name = "bare", .hosts = server::server_hosts("127.0.0.1")},
                                served.clock().wall())
          .must();
  measure_requests(served, key, 1);
  measure_requests(served, key, pipeline);
  measure_fan_out(served, feed, key);
}

}  // namespace
}  // namespace muster::bench

int main() {
  muster::bench::run();
  return 0;
}
