// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/describe.h"
#include "cli/table_text.h"
#include "objects/json.h"

namespace muster::cli {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view core_discovery = R"({"items":[{"metadata":{},"versions":[{"version":"v1",
  "resources":[
    {"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced","singularResource":"pod",
     "shortNames":["po"],"categories":["all"]},
    {"resource":"configmaps","responseKind":{"kind":"ConfigMap"},"scope":"Namespaced",
     "singularResource":"configmap","shortNames":["cm"]},
    {"resource":"nodes","responseKind":{"kind":"Node"},"scope":"Cluster","singularResource":"node"}
  ]}]}]})";
constexpr std::string_view group_discovery = R"({"items":[{"metadata":{"name":"batch"},"versions":[
  {"version":"v1","resources":[{"resource":"jobs","responseKind":{"kind":"Job"},
   "scope":"Namespaced","singularResource":"job","categories":["all"]}]}]}]})";
constexpr std::string_view table = R"({"kind":"Table","metadata":{"resourceVersion":"7"},
  "columnDefinitions":[{"name":"Name","priority":0},{"name":"Data","priority":0},
    {"name":"Hidden","priority":1}],
  "rows":[{"cells":["a-long-name",2,"x"],"object":{"metadata":{"name":"a-long-name","namespace":"n",
    "labels":{"k":"v"}}}},
    {"cells":["b",10,"y"],"object":{"metadata":{"name":"b","namespace":"n"}}}]})";
constexpr std::string_view absent = R"({"kind":"Status","status":"Failure","code":404,
  "reason":"NotFound","message":"configmaps \"nope\" not found"})";

// Answers by `METHOD target`; what it was asked is kept.
class PretendedServer final : public Talk {
 public:
  std::map<std::string, Reply> replies;
  std::vector<Question>* asked = nullptr;

  Result<Reply> ask(const Question& question) override {
    asked->push_back(question);
    const auto found = replies.find(question.method + " " + question.target);
    if (found == replies.end()) return Reply{.status = 404, .body = std::string(absent)};
    return found->second;
  }
  Result<Reply> listen(const Question& question, const OnPiece& on_piece) override {
    const Reply reply = ask(question).value_or(Reply{});
    if (reply.status == 200) on_piece(reply.body);
    return reply;
  }
  Result<int> execute(const std::string& target, const Conversation& conversation) override {
    asked->push_back({.target = target});
    conversation.out("said by the command\n");
    return 3;
  }
  std::string name_space() const override { return "n"; }
};

struct Outcome {
  int code = -1;
  std::string out;
  std::string error;
  std::vector<Question> asked;
};

Outcome run_with(std::vector<const char*> arguments, const std::map<std::string, Reply>& replies) {
  Outcome outcome;
  arguments.insert(arguments.begin(), "muster");
  const Output output{[&](std::string_view text) { outcome.out += text; },
                      [&](std::string_view text) { outcome.error += text; }};
  Commands commands;
  commands.open_talk = [&](const TalkOptions&) -> Result<std::unique_ptr<Talk>> {
    auto talk = std::make_unique<PretendedServer>();
    talk->replies = replies;
    talk->replies["GET /api"] = {.status = 200, .body = std::string(core_discovery)};
    talk->replies["GET /apis"] = {.status = 200, .body = std::string(group_discovery)};
    talk->asked = &outcome.asked;
    return std::unique_ptr<Talk>(std::move(talk));
  };
  outcome.code = run(static_cast<int>(arguments.size()), arguments.data(), output, commands);
  return outcome;
}

Reply good(std::string_view body) {
  return {.status = 200, .body = std::string(body)};
}

const std::string config_maps = "GET /api/v1/namespaces/n/configmaps?limit=500";

TEST(ObjectCommands, get_prints_the_servers_table_in_columns) {
  const Outcome done = run_with({"get", "cm"}, {{config_maps, good(table)}});
  EXPECT_EQ(done.code, 0) << done.error;
  EXPECT_EQ(done.out, "NAME          DATA\na-long-name   2\nb             10\n");
}

TEST(ObjectCommands, get_shows_wide_columns_namespaces_and_labels_on_request) {
  const Outcome done = run_with({"get", "configmaps", "-A", "-o", "wide", "--show-labels"},
                                {{"GET /api/v1/configmaps?limit=500", good(table)}});
  EXPECT_EQ(done.out,
            "NAMESPACE   NAME          DATA   HIDDEN   LABELS\n"
            "n           a-long-name   2      x        k=v\n"
            "n           b             10     y        <none>\n");
}

TEST(ObjectCommands, an_absent_object_is_kubectls_sentence_and_exit_1) {
  const Outcome done = run_with({"get", "cm", "nope"}, {});
  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(done.error, "Error from server (NotFound): configmaps \"nope\" not found\n");
  EXPECT_EQ(run_with({"get", "cm/nope", "--ignore-not-found"}, {}).code, 0);
}

TEST(ObjectCommands, an_unknown_type_is_named) {
  const Outcome done = run_with({"get", "nonsense"}, {});
  EXPECT_EQ(done.code, 1);
  EXPECT_EQ(done.error, "error: the server doesn't have a resource type \"nonsense\"\n");
}

TEST(ObjectCommands, names_paths_and_columns_are_forms_of_output) {
  const std::map<std::string, Reply> replies = {
      {"GET /apis/batch/v1/namespaces/n/jobs/j",
       good(R"({"kind":"Job","metadata":{"name":"j","managedFields":[{}]},
         "spec":{"parallelism":3}})")}};
  EXPECT_EQ(run_with({"get", "job", "j", "-o", "name"}, replies).out, "job.batch/j\n");
  EXPECT_EQ(run_with({"get", "jobs/j", "-o", "jsonpath={.spec.parallelism}"}, replies).out, "3");
  EXPECT_EQ(run_with({"get", "jobs.batch/j", "-o", "yaml"}, replies).out,
            "kind: Job\nmetadata:\n  name: j\nspec:\n  parallelism: 3\n");
  EXPECT_EQ(
      run_with({"get", "job/j", "-o", "custom-columns=N:.metadata.name,X:.none"}, replies).out,
      "N     X\nj     <none>\n");
}

TEST(ObjectCommands, delete_names_what_it_deleted_and_waits_until_it_is_gone) {
  const Outcome done = run_with({"delete", "cm", "a", "--cascade", "foreground"},
                                {{"DELETE /api/v1/namespaces/n/configmaps/a",
                                  good(R"({"kind":"Status","status":"Success"})")}});
  EXPECT_EQ(done.code, 0) << done.error;
  EXPECT_EQ(done.out, "configmap \"a\" deleted\n");
  ASSERT_GE(done.asked.size(), 4u);
  EXPECT_THAT(done.asked[2].body, HasSubstr("Foreground"));
  EXPECT_EQ(done.asked[3].method, "GET");
}

TEST(ObjectCommands, delete_of_everything_must_be_said) {
  const Outcome done = run_with({"delete", "cm"}, {});
  EXPECT_EQ(done.code, 1);
  EXPECT_THAT(done.error, HasSubstr("no name was specified"));
}

TEST(ObjectCommands, wait_ends_when_the_condition_holds) {
  const std::map<std::string, Reply> replies = {
      {"GET /api/v1/namespaces/n/pods/p",
       good(R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})")}};
  EXPECT_EQ(run_with({"wait", "pod/p", "--for", "condition=ready"}, replies).out,
            "pod/p condition met\n");
  const Outcome late =
      run_with({"wait", "pod/p", "--for", "condition=Other", "--timeout", "0s"}, replies);
  EXPECT_EQ(late.code, 1);
  EXPECT_EQ(late.error, "error: timed out waiting for the condition on pods/p\n");
}

TEST(ObjectCommands, logs_are_printed_as_they_come) {
  const Outcome done = run_with(
      {"logs", "p", "-c", "main", "--tail", "2"},
      {{"GET /api/v1/namespaces/n/pods/p/log?container=main&tailLines=2", good("a\nb\n")}});
  EXPECT_EQ(done.code, 0) << done.error;
  EXPECT_EQ(done.out, "a\nb\n");
}

TEST(ObjectCommands, exec_ends_with_the_status_of_the_command) {
  const Outcome done = run_with(
      {"exec", "-i", "p", "--", "sh", "-c", "exit 3"},
      {{"GET /api/v1/namespaces/n/pods/p", good(R"({"spec":{"containers":[{"name":"main"}]}})")}});
  EXPECT_EQ(done.code, 3) << done.error;
  EXPECT_EQ(done.out, "said by the command\n");
  EXPECT_EQ(done.asked.back().target,
            "/api/v1/namespaces/n/pods/p/exec?command=sh&command=-c&command=exit%203&"
            "container=main&stdin=true&stdout=true&stderr=true");
}

TEST(ObjectCommands, a_description_has_words_for_fields) {
  const auto object =
      objects::parse_json(R"({"apiVersion":"v1","kind":"Thing","metadata":{"name":"t",
    "namespace":"n","uid":"1"},"spec":{"podSets":[{"count":2}],"queueName":"q"}})");
  ASSERT_TRUE(object);
  EXPECT_EQ(description(*object),
            "Name:         t\nNamespace:    n\nLabels:       <none>\nAnnotations:  <none>\n"
            "API Version:  v1\nKind:         Thing\nMetadata:\n  UID:  1\nSpec:\n  Pod Sets:\n"
            "    Count:  2\n  Queue Name:  q\n");
}

}  // namespace
}  // namespace muster::cli
