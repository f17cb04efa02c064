// SPDX-License-Identifier: Apache-2.0
#include "server/remote_command.h"

#include <gtest/gtest.h>

#include <deque>
#include <utility>

#include "objects/json.h"

namespace muster::server {
namespace {

// What a test's container says and hears.
struct Script {
  std::deque<PodStream::Step> steps;
  std::string written;
  bool is_input_closed = false;
  int columns = 0;
  int rows = 0;
};

class ScriptedStream final : public PodStream {
 public:
  explicit ScriptedStream(Script& script) : script_(script) {}
  void set_on_ready(Task) override {}
  Step take(std::size_t) override {
    if (script_.steps.empty()) return {};
    Step step = std::move(script_.steps.front());
    script_.steps.pop_front();
    return step;
  }
  void write(std::string bytes, Task taken) override {
    script_.written += bytes;
    taken();
  }
  void close_input() override { script_.is_input_closed = true; }
  void resize(int columns, int rows) override {
    script_.columns = columns;
    script_.rows = rows;
  }

 private:
  Script& script_;
};

std::vector<std::string> said(RemoteCommand& command) {
  std::vector<std::string> messages;
  while (true) {
    const StreamStep step = command.take(65'536);
    for (const Piece& piece : step.pieces) messages.emplace_back(piece.view());
    if (step.ended || step.pieces.empty()) return messages;
  }
}

using namespace std::string_literals;

TEST(RemoteCommand, output_goes_to_its_channels_and_the_end_to_the_third) {
  Script script;
  script.steps = {{.output = "out", .error = "err", .end = {}},
                  {.output = "", .error = "", .end = PodStreamEnd{}}};
  RemoteCommand command(std::make_unique<ScriptedStream>(script), {});
  EXPECT_EQ(said(command),
            (std::vector<std::string>{"\1", "\1out", "\2err",
                                      "\3{\"metadata\":{},\"status\":\"Success\"}"}));
}

TEST(RemoteCommand, an_exit_code_is_a_cause_that_clients_read) {
  Script script;
  script.steps = {{.output = "", .error = "", .end = PodStreamEnd{.exit_code = 3}}};
  RemoteCommand command(std::make_unique<ScriptedStream>(script), {.command = {"sh", "-c", "x"}});
  const auto status = objects::parse_json(said(command).back().substr(1)).must();
  EXPECT_EQ(status["reason"].string_or(""), "NonZeroExitCode");
  EXPECT_EQ(status["details"]["causes"][std::size_t{0}]["message"].string_or(""), "3");
  EXPECT_EQ(status["message"].string_or(""),
            "command terminated with non-zero exit code: error executing command [sh -c x], exit "
            "code 3");
}

TEST(RemoteCommand, input_its_end_and_sizes_are_heard_and_nonsense_is_not) {
  Script script;
  RemoteCommand command(std::make_unique<ScriptedStream>(script), {});
  int taken = 0;
  for (const std::string& message :
       {"\0abc"s, "\4{\"Width\":80,\"Height\":24}"s, "\4nonsense"s, ""s, "\x63"s, "\xff\0"s}) {
    command.hear(message, [&] { ++taken; });
  }
  EXPECT_EQ(taken, 6);
  EXPECT_EQ(script.written, "abc");
  EXPECT_EQ(script.columns, 80);
  EXPECT_EQ(script.rows, 24);
  EXPECT_TRUE(script.is_input_closed);
}

TEST(RemoteCommand, the_newest_protocol_of_both_is_spoken) {
  EXPECT_EQ(choose_command_protocol({"v4.channel.k8s.io", "v5.channel.k8s.io"}),
            "v5.channel.k8s.io");
  EXPECT_EQ(choose_command_protocol({"channel.k8s.io"}), "");
}

}  // namespace
}  // namespace muster::server
