// SPDX-License-Identifier: Apache-2.0
#include "client/https/https_api.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "objects/json.h"
#include "tests/suites/served_listener.h"

namespace muster::client {
namespace {

namespace resources = objects::resources;
using objects::Value;
using server::Request;
using server::Respond;
using server::Response;
using server::Served;

// A listener whose answers the test makes up, and a client of it.
class Pair {
 public:
  explicit Pair(server::Handler handler, HttpsLimits limits = {}, server::HttpLimits theirs = {})
      : served_(std::move(handler), theirs) {
    ClusterAccess access{.context = "test", .server = "https://" + served_.address()};
    access.authority_pem = served_.authority().certificate_pem;
    access.token = Secret(std::string("good"));
    connect(access, limits);
  }

  ~Pair() {
    stop();
    served_.stop();
    served_.on_house([&] { api_.reset(); });
  }

  void stop() {
    api_->stop();
    if (network_.joinable()) network_.join();
  }

  Result<Value> call(Call call) {
    std::promise<Result<Value>> answer;
    served_.on_house([&] {
      api_->call(std::move(call),
                 [&](Result<Value> result) { answer.set_value(std::move(result)); });
    });
    return answer.get_future().get();
  }

  Result<Value> get(std::string name = "n") {
    return call({.verb = Verb::get, .resource = resources::nodes, .name = std::move(name)});
  }

  // Runs a watch until it is closed; what came is counted.
  Error watch_to_end(std::size_t& events) {
    std::promise<Error> closed;
    std::unique_ptr<Watch> watch;
    served_.on_house([&] {
      watch = api_->watch({.resource = resources::nodes},
                          {.on_event = [&](const WatchEvent&) { ++events; },
                           .on_closed = [&](Error error) { closed.set_value(std::move(error)); }});
    });
    Error error = closed.get_future().get();
    served_.on_house([&] { watch.reset(); });
    return error;
  }

  Served& served() { return served_; }
  HttpsApi& api() { return *api_; }

 private:
  void connect(const ClusterAccess& access, HttpsLimits limits) {
    served_.on_house([&] {
      api_ = HttpsApi::make(access, {.house = served_.house(), .limits = limits}).must();
    });
    network_ = std::jthread([api = api_.get()] { api->run(); });
  }

  Served served_;
  std::unique_ptr<HttpsApi> api_;
  std::jthread network_;
};

Response json_response(std::string_view text, int status = 200) {
  return {.status = status, .body = server::Piece::copy_of(text)};
}

// A stream that has all its bytes from the start.
class Canned final : public server::Stream {
 public:
  explicit Canned(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  server::StreamStep take(std::size_t) override {
    server::StreamStep step;
    for (const std::string& piece : pieces_) step.pieces.push_back(server::Piece::copy_of(piece));
    step.ended = true;
    return step;
  }
  void set_on_ready(Task) override {}

 private:
  std::vector<std::string> pieces_;
};

server::Handler streaming(std::vector<std::string> pieces) {
  return [pieces = std::move(pieces)](Request, Respond respond) {
    respond({.body = std::unique_ptr<server::Stream>(std::make_unique<Canned>(pieces))});
  };
}

TEST(https_api, answers_come_on_the_house_thread) {
  Pair pair([](Request, Respond respond) { respond(json_response(R"({"a":1})")); });
  std::promise<bool> is_house;
  std::thread::id house;
  pair.served().on_house([&] {
    house = std::this_thread::get_id();
    pair.api().call(
        {.verb = Verb::get, .resource = resources::nodes, .name = "n"},
        [&](const Result<Value>&) { is_house.set_value(std::this_thread::get_id() == house); });
  });
  EXPECT_TRUE(is_house.get_future().get());
}

TEST(https_api, a_server_that_is_not_there_is_unavailable) {
  std::string address;
  {
    Served gone([](Request, Respond) {});
    address = gone.address();
  }
  EventLoop house;
  std::jthread house_thread([&] { house.run(); });
  std::promise<ErrorCode> code;
  auto api =
      HttpsApi::make({.context = "t", .server = "https://" + address}, {.house = house}).must();
  std::jthread network([&] { api->run(); });
  house.post([&] {
    api->call({.verb = Verb::get, .resource = resources::nodes, .name = "n"},
              [&](const Result<Value>& result) { code.set_value(result.error().code); });
  });
  EXPECT_EQ(code.get_future().get(), ErrorCode::unavailable);
  api->stop();
  network.join();
  std::promise<void> done;
  house.post([&] {
    api.reset();
    done.set_value();
  });
  done.get_future().wait();
  house.stop();
}

TEST(https_api, a_server_of_another_authority_is_not_believed) {
  Pair pair([](Request, Respond respond) { respond(json_response("{}")); });
  Served other([](Request, Respond respond) { respond(json_response("{}")); });
  ClusterAccess access{.context = "t", .server = "https://" + other.address()};
  access.authority_pem = pair.served().authority().certificate_pem;
  access.token = Secret(std::string("good"));
  std::promise<Result<Value>> answer;
  std::unique_ptr<HttpsApi> api;
  pair.served().on_house([&] {
    api = HttpsApi::make(access, {.house = pair.served().house()}).must();
    api->call({.verb = Verb::get, .resource = resources::nodes, .name = "n"},
              [&](Result<Value> result) { answer.set_value(std::move(result)); });
  });
  std::jthread network([&] { api->run(); });
  const auto result = answer.get_future().get();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_NE(result.error().message.find("certificate verify failed"), std::string::npos)
      << result.error().message;
  api->stop();
  network.join();
  pair.served().on_house([&] { api.reset(); });
}

TEST(https_api, a_name_that_the_certificate_does_not_have_is_not_believed) {
  Pair pair([](Request, Respond respond) { respond(json_response("{}")); });
  for (const auto& [name, is_believed] : std::vector<std::pair<std::string, bool>>{
           {"kubernetes.default.svc", true}, {"example.com", false}}) {
    ClusterAccess access{.context = "t", .server = "https://" + pair.served().address()};
    access.authority_pem = pair.served().authority().certificate_pem;
    access.token = Secret(std::string("good"));
    access.tls_server_name = name;
    std::promise<Result<Value>> answer;
    std::unique_ptr<HttpsApi> api;
    pair.served().on_house([&] {
      api = HttpsApi::make(access, {.house = pair.served().house()}).must();
      api->call({.verb = Verb::get, .resource = resources::nodes, .name = "n"},
                [&](Result<Value> result) { answer.set_value(std::move(result)); });
    });
    std::jthread network([&] { api->run(); });
    EXPECT_EQ(answer.get_future().get().has_value(), is_believed) << name;
    api->stop();
    network.join();
    pair.served().on_house([&] { api.reset(); });
  }
}

TEST(https_api, a_kept_connection_that_the_server_closed_does_not_matter) {
  Pair pair([](Request, Respond respond) { respond(json_response("{}")); },
            {.sweep = Span::of_seconds(100)},
            {.sweep = Span::of_milliseconds(1), .idle = Span::of_milliseconds(1)});
  for (int round = 0; round < 20; ++round) {
    EXPECT_TRUE(pair.get());
    // Long enough for the server to be tired of the connection, most of the time.
    tests::TlsPeer other = pair.served().connect();
    other.send(server::asking("GET", "/"));
    other.read_to_end();
  }
}

TEST(https_api, a_server_that_does_not_answer_in_time_is_a_timeout) {
  std::vector<Respond> held;
  Pair pair([&](Request, Respond respond) { held.push_back(std::move(respond)); },
            {.sweep = Span::of_milliseconds(5), .call = Span::of_milliseconds(50)});
  const auto late = pair.get();
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::timeout);
  pair.served().on_house([&] { held.clear(); });
}

TEST(https_api, an_answer_that_is_too_large_is_refused) {
  Pair pair([](Request, Respond respond) { respond(json_response(std::string(2000, ' '))); },
            {.answer_bytes = 1000});
  const auto large = pair.get();
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::too_large);
}

TEST(https_api, calls_wait_for_a_connection_and_not_too_many_wait) {
  std::vector<Respond> held;
  Pair pair([&](Request, Respond respond) { held.push_back(std::move(respond)); },
            {.connections = 1, .calls_waiting = 1});
  std::vector<Result<Value>> answers;
  std::promise<void> first_answer;
  pair.served().on_house([&] {
    for (int number = 0; number < 3; ++number) {
      pair.api().call({.verb = Verb::get, .resource = resources::nodes, .name = "n"},
                      [&](Result<Value> result) {
                        answers.push_back(std::move(result));
                        if (answers.size() == 1) first_answer.set_value();
                      });
    }
  });
  first_answer.get_future().wait();
  pair.served().on_house([&] {
    ASSERT_FALSE(answers[0]);
    EXPECT_EQ(answers[0].error().code, ErrorCode::too_many_requests);
  });
  bool is_over = false;
  while (!is_over) {
    pair.served().on_house([&] {
      for (Respond& respond : held) respond(json_response("{}"));
      held.clear();
      is_over = answers.size() == 3;
    });
  }
  pair.served().on_house([&] { EXPECT_TRUE(answers[1] && answers[2]); });
}

TEST(https_api, a_watch_that_ends_is_unavailable_and_one_that_breaks_says_why) {
  std::size_t events = 0;
  const std::string event = R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})";
  {
    Pair pair(streaming({event.substr(0, 10), event.substr(10) + "\n\n", event + "\n" + event}));
    EXPECT_EQ(pair.watch_to_end(events).code, ErrorCode::unavailable);
    EXPECT_EQ(events, 2U);
  }
  {
    Pair pair(streaming(
        {event + "\n", R"({"type":"ERROR","object":{"code":410,"reason":"Expired"}})", "\n"}));
    EXPECT_EQ(pair.watch_to_end(events).code, ErrorCode::expired);
    EXPECT_EQ(events, 3U);
  }
  {
    Pair pair(streaming({"no JSON\n"}));
    EXPECT_EQ(pair.watch_to_end(events).code, ErrorCode::bad_request);
  }
  {
    Pair pair(streaming({std::string(2000, ' ')}), {.event_bytes = 1000});
    EXPECT_EQ(pair.watch_to_end(events).code, ErrorCode::too_large);
  }
  {
    Pair pair([](Request, Respond respond) {
      respond(json_response(R"({"code":403,"reason":"Forbidden","message":"no"})", 403));
    });
    const Error error = pair.watch_to_end(events);
    EXPECT_EQ(error.code, ErrorCode::forbidden);
    EXPECT_EQ(error.message, "no");
  }
}

TEST(https_api, a_house_that_is_slow_sees_every_event) {
  std::vector<std::string> pieces;
  const std::string filler(9'000, 'x');
  for (int number = 0; number < 2'000; ++number) {
    pieces.push_back(R"({"type":"ADDED","object":{"x":")" + filler + "\"}}\n");
  }
  Pair pair(streaming(std::move(pieces)));
  std::size_t events = 0;
  pair.watch_to_end(events);
  EXPECT_EQ(events, 2'000U);
}

TEST(https_api, stopping_fails_what_is_owed) {
  std::vector<Respond> held;
  Pair pair([&](Request, Respond respond) { held.push_back(std::move(respond)); });
  std::promise<ErrorCode> answer;
  std::promise<ErrorCode> closed;
  std::unique_ptr<Watch> watch;
  pair.served().on_house([&] {
    pair.api().call({.verb = Verb::get, .resource = resources::nodes, .name = "n"},
                    [&](const Result<Value>& result) { answer.set_value(result.error().code); });
    watch = pair.api().watch({.resource = resources::nodes},
                             {.on_event = [](const WatchEvent&) {},
                              .on_closed = [&](const Error& e) { closed.set_value(e.code); }});
  });
  pair.stop();
  EXPECT_EQ(answer.get_future().get(), ErrorCode::unavailable);
  EXPECT_EQ(closed.get_future().get(), ErrorCode::unavailable);
  EXPECT_EQ(pair.get().error().code, ErrorCode::unavailable);
  pair.served().on_house([&] {
    watch.reset();
    held.clear();
  });
}

}  // namespace
}  // namespace muster::client
