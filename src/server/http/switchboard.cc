// SPDX-License-Identifier: Apache-2.0
#include "server/http/switchboard.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "server/http/answer_text.h"

namespace muster::server {

namespace {

// The right, and the duty, to answer one request. Dropped without an answer it answers 500.
class Ticket {
 public:
  Ticket(std::shared_ptr<Switchboard> board, Letter letter)
      : board_(std::move(board)), letter_(std::move(letter)) {}
  Ticket(Ticket&&) noexcept = default;
  Ticket& operator=(Ticket&&) = delete;
  ~Ticket() {
    if (board_ != nullptr) answer(refusal(Error::internal("the request was dropped")));
  }

  void answer(Response response);

 private:
  std::shared_ptr<Switchboard> board_;  // none: answered
  Letter letter_;
};

// What goes on: a stream, or a conversation, which is one that also hears.
void begin_stream(const std::shared_ptr<Switchboard>& board, Letter& letter, Response response) {
  Delivery& delivery = letter.delivery;
  std::unique_ptr<Stream> stream;
  auto* upgrade = std::get_if<Upgrade>(&response.body);
  if (upgrade != nullptr) {
    delivery.protocol = std::move(upgrade->protocol);
    stream = std::move(upgrade->conversation);
  } else {
    stream = std::move(std::get<std::unique_ptr<Stream>>(response.body));
  }
  const auto part = [id = letter.connection, ticket = delivery.ticket] {
    return Letter{.connection = id, .delivery = {.ticket = ticket, .is_stream = true}};
  };
  auto send = [board, part](StreamStep step) {
    Letter next = part();
    next.delivery.pieces = std::move(step.pieces);
    next.delivery.ended = step.ended;
    board->put(std::move(next));
  };
  delivery.is_stream = true;
  delivery.is_finite = stream->is_finite();
  delivery.stream = std::make_shared<HouseStream>(board->options().house, std::move(stream),
                                                  http_stream_window_bytes, std::move(send));
  delivery.stream->set_read_on([board, part] {
    Letter next = part();
    next.delivery.may_read_on = true;
    board->put(std::move(next));
  });
  StreamStep first = delivery.stream->begin();
  delivery.pieces = std::move(first.pieces);
  delivery.ended = first.ended;
}

// On the house thread, or wherever the last holder of an unanswered request went away.
void Ticket::answer(Response response) {
  const std::shared_ptr<Switchboard> board = std::move(board_);
  Letter letter = std::move(letter_);
  Delivery& delivery = letter.delivery;
  delivery.head = AnswerHead{.status = response.status,
                             .content_type = std::move(response.content_type),
                             .headers = std::move(response.headers)};
  if (auto* whole = std::get_if<Piece>(&response.body)) {
    delivery.pieces.push_back(std::move(*whole));
    delivery.ended = true;
  } else if (auto* object = std::get_if<StoredPiece>(&response.body)) {
    delivery.object = std::move(*object);
    delivery.ended = true;
  } else {
    begin_stream(board, letter, std::move(response));
  }
  board->put(std::move(letter));
}

}  // namespace

bool Switchboard::ask(Request request, Letter letter) {
  if (requests_ >= limits().requests) {
    count(HttpLimit::requests);
    return false;
  }
  if (!take_share(request, letter)) {
    count(HttpLimit::user_requests);
    return false;
  }
  ++requests_;
  Ticket ticket(shared_from_this(), std::move(letter));
  hand_over(
      [&handler = handler_, request = std::move(request), ticket = std::move(ticket)]() mutable {
        handler(std::move(request), [ticket = std::move(ticket)](Response response) mutable {
          ticket.answer(std::move(response));
        });
      });
  return true;
}

void Switchboard::hand_over(Task request) {
  {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return;
    asked_.push_back(std::move(request));
    if (std::exchange(is_handing_, true)) return;
  }
  auto handle = [self = shared_from_this()] { self->handle_some(); };
  const bool is_alone = requests_ == 1;
  if (!is_alone || options_.lender == nullptr) return options_.house.post(std::move(handle));
  // Nobody else waits, neither for the house nor for this thread.
  options_.lender->post_or_run(std::move(handle),
                               [rounds = 0]() mutable { return ++rounds >= http_lone_rounds_max; });
}

// A few at a time. What else the house has to do comes between, so that a flood of requests holds
// up neither the controllers nor the answers to what is on disk already; and while it handles the
// rest, the disk and the network have something to do.
void Switchboard::handle_some() {
  std::vector<Task> some;
  bool are_more = false;
  {
    const std::lock_guard lock(mutex_);
    while (!asked_.empty() && some.size() < http_requests_at_once) {
      some.push_back(std::move(asked_.front()));
      asked_.pop_front();
    }
    are_more = is_handing_ = !asked_.empty();
  }
  for (Task& request : some) request();
  if (are_more) options_.house.post([self = shared_from_this()] { self->handle_some(); });
}

// Masters are not counted, and those who ask without a name get only health and version.
bool Switchboard::take_share(const Request& request, Letter& letter) {
  const Identity& who = request.identity;
  if (who.name.empty() || std::ranges::find(who.groups, "system:masters") != who.groups.end()) {
    return true;
  }
  const bool changes = request.method != "GET" && request.method != "HEAD";
  Share& share = shares_[who.name];
  std::size_t& used = changes ? share.changes : share.reads;
  if (used >= (changes ? limits().changes_per_user : limits().reads_per_user)) return false;
  ++used;
  letter.user = who.name;
  letter.changes = changes;
  return true;
}

void Switchboard::give_share_back(const Letter& letter) {
  const auto share = shares_.find(letter.user);
  if (letter.user.empty() || share == shares_.end()) return;
  --(letter.changes ? share->second.changes : share->second.reads);
  if (share->second.reads == 0 && share->second.changes == 0) shares_.erase(share);
}

bool Switchboard::reserve_body(std::size_t bytes) {
  if (bodies_bytes_ + bytes > limits().bodies_bytes) {
    count(HttpLimit::bodies_bytes);
    return false;
  }
  bodies_bytes_ += bytes;
  return true;
}

void Switchboard::put(Letter letter) {
  bool was_empty = false;
  {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return;
    was_empty = letters_.empty();
    letters_.push_back(std::move(letter));
  }
  if (was_empty) wake();
}

std::vector<Letter> Switchboard::take_letters() {
  std::vector<Letter> letters;
  {
    const std::lock_guard lock(mutex_);
    letters.swap(letters_);
  }
  for (const Letter& letter : letters) {
    if (!letter.delivery.head) continue;
    bodies_bytes_ -= letter.body_bytes;
    --requests_;
    give_share_back(letter);
  }
  return letters;
}

void Switchboard::close() {
  std::vector<Letter> letters;
  std::deque<Task> asked;  // nobody waits for these any more
  {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    letters.swap(letters_);
    asked.swap(asked_);
  }
  for (const Letter& letter : letters) {
    if (letter.delivery.stream != nullptr) letter.delivery.stream->close();
  }
}

}  // namespace muster::server
