// SPDX-License-Identifier: Apache-2.0
#include "cli/object_commands.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "base/duration.h"
#include "base/os/system_clock.h"
#include "cli/change.h"
#include "cli/describe.h"
#include "cli/exec.h"
#include "cli/get.h"
#include "cli/logs.h"
#include "cli/object_session.h"
#include "cli/wait.h"

namespace muster::cli {

namespace {

using Chosen = std::function<int()>;
constexpr int words_max = 4096;

// Answers the exit status.
using Act = std::function<Result<int>(ObjectSession& session)>;

// What every declaration needs.
struct Place {
  CLI::App& app;
  const Output& output;
  const OpenTalk& open_talk;
  Chosen& chosen;
};

int run_session(const Place& place, const ObjectOptions& options, const Act& act) {
  auto session = ObjectSession::open(place.open_talk, options, place.output);
  const Result<int> done = session ? act(**session) : Result<int>(session.error());
  if (done) return *done;
  place.output.error(done.error().message + "\n");
  return exit_failed;
}

CLI::App* declare_with_status(Place place, const char* name, const char* help,
                              const std::shared_ptr<ObjectOptions>& options, Act act) {
  CLI::App* command = place.app.add_subcommand(name, help);
  command->add_option("--kubeconfig", options->talk.kubeconfig,
                      "How to reach the server (default: $KUBECONFIG, else the platform's own)");
  command->add_option("--context", options->talk.context, "The context (default: the current one)");
  command->add_option("-n,--namespace", options->name_space, "The namespace");
  command->callback([place, options, act = std::move(act)] {
    place.chosen = [place, options, act] { return run_session(place, *options, act); };
  });
  return command;
}

// A command that is done or has failed.
CLI::App* declare(const Place& place, const char* name, const char* help,
                  const std::shared_ptr<ObjectOptions>& options,
                  std::function<Result<>(ObjectSession& session)> act) {
  return declare_with_status(place, name, help, options,
                             [act = std::move(act)](ObjectSession& session) -> Result<int> {
                               TRY(act(session));
                               return exit_done;
                             });
}

void add_words(CLI::App* command, ObjectOptions& options) {
  command->add_option("resource", options.words, "TYPE [NAME…], or TYPE/NAME…");
}

void add_selectors(CLI::App* command, ObjectOptions& options) {
  command->add_option("-l,--selector", options.selector, "Only those with these labels");
  command->add_option("--field-selector", options.field_selector, "Only those with these fields");
  command->add_flag("-A,--all-namespaces", options.all_namespaces, "Of all namespaces");
}

void add_files(CLI::App* command, ObjectOptions& options) {
  command->add_option("-f,--filename", options.files, "Manifests: a file, a folder, or -")
      ->allow_extra_args(false);
}

// Kubernetes' durations; a plain 0 is none.
Result<Span> patience_of(const std::string& text) {
  const auto span = parse_duration(text);
  if (!span) {
    return Error::bad_request("error: invalid argument \"" + text + "\" for \"--timeout\"");
  }
  return *span;
}

void add_get(const Place& place) {
  auto options = std::make_shared<ObjectOptions>();
  auto form = std::make_shared<GetOptions>();
  CLI::App* command = declare(place, "get", "Show objects", options,
                              [form](ObjectSession& session) { return get(session, *form); });
  add_words(command, *options);
  add_selectors(command, *options);
  add_files(command, *options);
  command->add_option("-o,--output", options->output,
                      "wide, yaml, json, name, jsonpath=… or custom-columns=…");
  command->add_flag("-w,--watch", form->watches, "And what happens to them from then on");
  command->add_flag("--watch-only", form->only_watches, "Only what happens from now on");
  command->add_flag("--no-headers", form->without_headers, "Without the head of the table");
  command->add_flag("--show-labels", form->shows_labels, "With a column of labels");
  command->add_flag("--show-managed-fields", form->shows_managed_fields, "With managedFields");
  command->add_flag("--ignore-not-found", options->ignores_not_found, "Absence is no error");
}

void add_describe(const Place& place) {
  auto options = std::make_shared<ObjectOptions>();
  CLI::App* command =
      declare(place, "describe", "Tell about objects and their events", options,
              [](ObjectSession& session) { return describe(session, SystemClock().wall()); });
  add_words(command, *options);
  add_selectors(command, *options);
}

void add_apply(const Place& place) {
  auto options = std::make_shared<ObjectOptions>();
  auto how = std::make_shared<ApplyOptions>();
  auto dry_run = std::make_shared<std::string>("none");
  CLI::App* command = declare(place, "apply", "Make objects be as manifests say", options,
                              [how, dry_run](ObjectSession& session) {
                                how->dry_run = *dry_run == "server";
                                return apply_manifests(session, *how);
                              });
  add_files(command, *options);
  command->add_option("--dry-run", *dry_run, "none or server")
      ->check(CLI::IsMember({"none", "server"}));
  command->add_flag("--no-force", how->keeps_others,
                    "A field that another manager owns is an error");
}

void add_delete(const Place& place) {
  auto options = std::make_shared<ObjectOptions>();
  auto how = std::make_shared<DeleteOptions>();
  auto grace = std::make_shared<std::int64_t>(-1);
  auto now = std::make_shared<bool>(false);
  auto timeout = std::make_shared<std::string>("600s");
  CLI::App* command = declare(place, "delete", "Delete objects", options,
                              [how, grace, now, timeout](ObjectSession& session) -> Result<> {
                                if (*grace >= 0) how->grace_seconds = *grace;
                                if (*now) how->grace_seconds = 1;
                                if (how->is_forced) how->grace_seconds = 0;
                                how->patience = TRY(patience_of(*timeout));
                                return delete_objects(session, *how);
                              });
  add_words(command, *options);
  add_selectors(command, *options);
  add_files(command, *options);
  command->add_flag("--all", options->all, "All of the type in the namespace");
  command->add_flag("--ignore-not-found", options->ignores_not_found, "Absence is no error");
  command->add_option("--cascade", how->cascade, "background, foreground or orphan");
  command->add_option("--grace-period", *grace, "Seconds for pods to end (default: their own)");
  command->add_flag("--now", *now, "One second for pods to end");
  command->add_flag("--force", how->is_forced, "Do not wait for pods to end");
  command->add_flag("--wait,!--no-wait", how->waits, "Until they are gone (default)");
  command->add_option("--timeout", *timeout, "How long to wait (600s)");
}

void add_logs(const Place& place) {
  auto options = std::make_shared<ObjectOptions>();
  auto how = std::make_shared<LogOptions>();
  CLI::App* command = declare(place, "logs", "Print what a pod wrote", options,
                              [how](ObjectSession& session) { return logs(session, *how); });
  command->add_option("pod", options->words, "POD or TYPE/NAME, and a container");
  command->add_option("-l,--selector", options->selector, "Of all pods with these labels");
  command->add_option("-c,--container", how->container, "Which container");
  command->add_flag("-f,--follow", how->follows, "And what it writes from then on");
  command->add_flag("-p,--previous", how->is_previous, "Of the container before this one");
  command->add_flag("--timestamps", how->with_timestamps, "With the time of each line");
  command->add_option("--tail", how->tail_lines, "Only this many lines from the end");
  command->add_option("--since", how->since, "Only what is younger, such as 5m");
  command->add_option("--limit-bytes", how->limit_bytes, "Only this many bytes");
}

// The first word names the pod, the others (behind `--`) are the command.
void add_exec(const Place& place) {
  auto options = std::make_shared<ObjectOptions>();
  auto how = std::make_shared<ExecOptions>();
  CLI::App* command =
      declare_with_status(place, "exec", "Run a command in a pod", options,
                          [how](ObjectSession& session) { return exec(session, *how); });
  // Two words at least: else CLI11 would take what follows `--` for the program's own.
  command->add_option("pod", options->words, "POD -- COMMAND [ARGUMENT…]")->expected(2, words_max);
  command->add_option("-c,--container", how->container, "Which container");
  command->add_flag("-i,--stdin", how->reads_input, "Give it our standard input");
  command->add_flag("-t,--tty", how->has_terminal, "Give it a terminal");
}

void add_wait(const Place& place) {
  auto options = std::make_shared<ObjectOptions>();
  auto what = std::make_shared<std::string>();
  auto timeout = std::make_shared<std::string>("30s");
  CLI::App* command = declare(place, "wait", "Wait until objects have a condition, or are gone",
                              options, [what, timeout](ObjectSession& session) -> Result<> {
                                const Span patience = TRY(patience_of(*timeout));
                                return wait(session, {.what = *what, .patience = patience});
                              });
  add_words(command, *options);
  add_selectors(command, *options);
  command->add_flag("--all", options->all, "All of the type in the namespace");
  command
      ->add_option("--for", *what,
                   "condition=NAME[=VALUE], jsonpath={.path}[=VALUE], delete or create")
      ->required();
  command->add_option("--timeout", *timeout, "How long (30s)");
}

void add_events(const Place& place) {
  auto options = std::make_shared<ObjectOptions>();
  auto of = std::make_shared<std::string>();
  auto watches = std::make_shared<bool>(false);
  CLI::App* command =
      declare(place, "events", "Show events", options,
              [of, watches](ObjectSession& session) { return events(session, *of, *watches); });
  command->add_flag("-A,--all-namespaces", options->all_namespaces, "Of all namespaces");
  command->add_option("--for", *of, "Only those of TYPE/NAME");
  command->add_option("-o,--output", options->output, "wide, yaml, json or name");
  command->add_flag("-w,--watch", *watches, "And those that come");
}

}  // namespace

void add_object_commands(CLI::App& app, const Output& output, const OpenTalk& open_talk,
                         Chosen& chosen) {
  const Place place{app, output, open_talk, chosen};
  add_get(place);
  add_describe(place);
  add_apply(place);
  add_delete(place);
  add_logs(place);
  add_exec(place);
  add_wait(place);
  add_events(place);
}

}  // namespace muster::cli
