// SPDX-License-Identifier: Apache-2.0
#include "agent/names/dns_server.h"

#include <utility>

#include "agent/limits.h"
#include "agent/names/dns_responder.h"
#include "base/os/system_clock.h"
#include "base/os/unix_socket.h"

namespace muster::agent {

namespace {

constexpr Span connection_span_max = Span::of_seconds(10);
constexpr std::size_t length_bytes = 2;

std::string with_length(std::string answer) {
  const char length[] = {static_cast<char>(answer.size() >> 8U & 0xFFU),
                         static_cast<char>(answer.size() & 0xFFU)};
  return std::string(length, length_bytes) + std::move(answer);
}

}  // namespace

DnsServer::DnsServer(PollLoop& loop, Executor& house, const Zone& zone)
    : loop_(loop), house_(house), zone_(zone) {}

DnsServer::~DnsServer() {
  close();
}

Result<> DnsServer::listen(const std::string& address, std::uint16_t port) {
  datagrams_ = TRY(bind_datagrams(address, port));
  port_ = TRY(muster::port_of(datagrams_));
  listener_ = TRY(listen_on(address, port_));
  datagrams_watch_ =
      loop_.watch(datagrams_.number(), Interest::readable, [this] { on_datagrams(); });
  listener_watch_ = loop_.watch(listener_.number(), Interest::readable, [this] { on_stream(); });
  return {};
}

void DnsServer::close() {
  if (port_ == 0) return;
  while (!connections_.empty()) drop(connections_.begin()->first);
  loop_.unwatch(datagrams_watch_);
  loop_.unwatch(listener_watch_);
  port_ = 0;
}

// All that wait are one task of the house: a burst costs it one turn.
void DnsServer::on_datagrams() {
  std::vector<Datagram> questions;
  while (questions.size() < dns_questions_per_turn_max) {
    auto datagram = receive_datagram(datagrams_);
    if (!datagram) break;
    questions.push_back(std::move(*datagram));
  }
  if (questions.empty()) return;
  house_.post([this, questions = std::move(questions)] {
    for (const Datagram& question : questions) {
      const auto answer = answer_dns(question.bytes, zone_, dns_datagram_bytes);
      if (answer) send_datagram(datagrams_, question.from, *answer);
    }
  });
}

void DnsServer::on_stream() {
  while (auto socket = accept_from(listener_.number())) {
    if (connections_.size() >= dns_connections_max) continue;  // it is closed again
    const std::uint64_t number = connection_next_++;
    Connection& connection = connections_[number];
    connection.socket = std::move(*socket);
    connection.watch = loop_.watch(connection.socket.number(), Interest::readable,
                                   [this, number] { on_readable(number); });
    connection.expiry = loop_.post_at(SystemClock().monotonic() + connection_span_max,
                                      [this, number] { drop(number); });
  }
}

void DnsServer::on_readable(std::uint64_t number) {
  const auto at = connections_.find(number);
  if (at == connections_.end()) return;
  Connection& connection = at->second;
  const auto count = read_stream(connection.socket, connection.received);
  const bool is_too_much = connection.received.size() > 2 * dns_message_bytes_max;
  if (!count || is_too_much) return drop(number);
  take_question(number, connection);
}

void DnsServer::take_question(std::uint64_t number, Connection& connection) {
  std::string& received = connection.received;
  if (connection.is_answering || received.size() < length_bytes) return;
  const std::size_t size = static_cast<std::size_t>(static_cast<unsigned char>(received[0])) << 8U |
                           static_cast<unsigned char>(received[1]);
  if (received.size() < length_bytes + size) return;
  std::string question = received.substr(length_bytes, size);
  received.erase(0, length_bytes + size);
  connection.is_answering = true;
  house_.post([this, number, question = std::move(question)] {
    auto answer = answer_dns(question, zone_, dns_message_bytes_max);
    loop_.post([this, number, answer = std::move(answer)]() mutable {
      if (!answer) return drop(number);
      on_answer(number, with_length(std::move(*answer)));
    });
  });
}

// An answer fits the kernel's buffer unless the client does not read: then it has lost its turn.
void DnsServer::on_answer(std::uint64_t number, std::string_view answer) {
  const auto at = connections_.find(number);
  if (at == connections_.end()) return;
  const auto count = write_stream(at->second.socket, answer);
  if (!count || *count != answer.size()) return drop(number);
  at->second.is_answering = false;
  take_question(number, at->second);
}

void DnsServer::drop(std::uint64_t number) {
  const auto at = connections_.find(number);
  if (at == connections_.end()) return;
  loop_.unwatch(at->second.watch);
  loop_.cancel(at->second.expiry);
  connections_.erase(at);
}

}  // namespace muster::agent
