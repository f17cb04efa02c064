// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/convert.h"
#include "cli/crds.h"
#include "cli/down.h"
#include "cli/image.h"
#include "cli/object_commands.h"
#include "cli/plan.h"
#include "cli/up.h"
#include "cli/validate.h"
#include "cli/version.h"

namespace muster::cli {

namespace {

constexpr const char* data_help = "The platform's folder (default: $MUSTER_DATA, else ~/.muster)";

// Each add_… declares one command; it runs after the whole line was understood.
using Chosen = std::function<int()>;

void add_up(CLI::App& app, const Output& output, const Commands& commands, Chosen& chosen) {
  auto options = std::make_shared<UpOptions>();
  CLI::App* up_command = app.add_subcommand("up", "Bring up the platform on this machine");
  up_command->add_option("--data", options->data, data_help);
  up_command->add_option("--listen", options->listen, "HOST:PORT of the API (127.0.0.1:7443)");
  up_command->add_option("--kubeconfig", options->kubeconfig,
                         "Where to write the kubeconfig (default: in the folder)");
  up_command
      ->add_option("--node", options->nodes,
                   "A node with declared devices, repeatable: "
                   "name=n1,cpu=8,memory=16Gi,nvidia.com/gpu=4")
      ->allow_extra_args(false);
  up_command->add_option("--nodes", options->nodes_file,
                         "A file of nodes, one a line as --node has them; # begins a comment");
  up_command
      ->add_option("--host-path", options->host_paths,
                   "A folder that hostPath volumes may lie in, repeatable (default: none)")
      ->allow_extra_args(false);
  up_command
      ->add_option("--cdi-folder", options->cdi_folders,
                   "A folder of CDI specifications beside /etc/cdi and /var/run/cdi, repeatable")
      ->allow_extra_args(false);
  up_command->add_option("--host-images", options->host_images,
                         "Images that run on this machine's filesystem: 'PATTERN[,PATTERN…]'");
  up_command->add_flag("--foreground", options->foreground, "Stay, for service managers");
  up_command->callback(
      [&, options] { chosen = [&, options] { return up(*options, output, commands.serve); }; });
}

void add_down_and_status(CLI::App& app, const Output& output, const Commands& commands,
                         Chosen& chosen) {
  auto data = std::make_shared<std::string>();
  CLI::App* down_command = app.add_subcommand("down", "End the platform and its pods");
  down_command->add_option("--data", *data, data_help);
  down_command->callback([&, data] { chosen = [&, data] { return down(*data, output); }; });
  CLI::App* status_command = app.add_subcommand("status", "Say what runs, and where");
  status_command->add_option("--data", *data, data_help);
  status_command->callback([&, data] {
    chosen = [&, data] {
      const auto folder = data_folder(*data);
      return folder ? commands.status(*folder) : fail(output, folder.error());
    };
  });
}

void add_controller(CLI::App& app, const Commands& commands, Chosen& chosen) {
  auto options = std::make_shared<ControllerOptions>();
  CLI::App* command =
      app.add_subcommand("controller", "Run Muster's controllers against a Kubernetes cluster");
  command->add_option("--kubeconfig", options->kubeconfig,
                      "How to reach it (default: $KUBECONFIG, else ~/.kube/config)");
  command->add_option("--context", options->context, "The context (default: the current one)");
  command->add_option("--record", options->record, "Keep the record of events in this folder");
  command->add_option("--metrics-bind-address", options->metrics_address,
                      "Where /metrics, /healthz and /readyz are served, over plain HTTP (default: "
                      "127.0.0.1:8080; 0: nowhere)");
  command->add_flag("--leader-elect", options->elects_leader,
                    "Work only while this process holds the Lease muster-controller (default: "
                    "true)");
  command->add_option("--leader-elect-namespace", options->leader_namespace,
                      "The namespace of that Lease (default: kube-system)");
  command->callback(
      [&, options] { chosen = [&, options] { return commands.controller(*options); }; });
}

void add_token(CLI::App& app, const Commands& commands, Chosen& chosen) {
  auto options = std::make_shared<TokenOptions>();
  CLI::App* command =
      app.add_subcommand("token", "Make, list and revoke tokens of people and programs");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, TokenAction action) {
    CLI::App* sub = command->add_subcommand(name, help);
    sub->add_option("--data", options->data, data_help);
    sub->add_option("--kubeconfig", options->kubeconfig,
                    "How to reach the API (default: the platform's own)");
    sub->add_option("--context", options->context, "The context (default: the current one)");
    sub->callback([&commands, &chosen, options, action] {
      chosen = [&commands, options, action] {
        options->action = action;
        return commands.token(*options);
      };
    });
    return sub;
  };
  CLI::App* create = add("create", "Make a token and print it, this once", TokenAction::create);
  create->add_option("user", options->user, "Whose it is")->required();
  create->add_option("--group", options->groups, "A group of theirs, repeatable")
      ->allow_extra_args(false);
  create->add_option("--ttl", options->lifetime, "How long it lasts: 24h, or 0 for ever (720h)");
  create->add_option("--description", options->description, "What it is for");
  add("list", "List the tokens there are", TokenAction::list);
  add("revoke", "End tokens at once", TokenAction::revoke)
      ->add_option("name", options->names, "As in the list")
      ->required();
}

void add_image(CLI::App& app, const Output& output, Chosen& chosen) {
  auto options = std::make_shared<ImageOptions>();
  CLI::App* command = app.add_subcommand("image", "Fetch, list and remove images of this machine");
  command->require_subcommand(1);
  const auto add = [&](const char* name, const char* help,
                       int (*run)(const ImageOptions&, const Output&)) {
    CLI::App* sub = command->add_subcommand(name, help);
    sub->add_option("--data", options->data, data_help);
    sub->callback([&output, &chosen, options, run] {
      chosen = [&output, options, run] { return run(*options, output); };
    });
    return sub;
  };
  CLI::App* import = add("import", "Take images over from files", image_import);
  import->add_option("path", options->path, "An OCI layout, or an archive (OCI, docker save)")
      ->required();
  import->add_option("--name", options->name, "What to call it: NAME:TAG (default: as it says)");
  CLI::App* pull = add("pull", "Fetch an image from its registry", image_pull);
  pull->add_option("name", options->name, "busybox:1.36, ghcr.io/me/trainer@sha256:…")->required();
  pull->add_option("--authfile", options->authfile,
                   "Credentials as in ~/.docker/config.json; - reads them from standard input");
  add("list", "List the images there are", image_list)
      ->add_option("-o", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  add("rm", "Remove an image that no pod uses", image_remove)
      ->add_option("name", options->name, "As in the list, or its id")
      ->required();
}

void add_simulate(CLI::App& app, const Commands& commands, Chosen& chosen) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand("simulate", "Replay a simulated run by its seed");
  command->add_option("--seed", options->seed, "The first seed")->required();
  command->add_option("--count", options->count, "How many seeds from there");
  command->add_option("--mutant", options->mutant, "Plant this bug (see tests/simulation)");
  command->add_flag("--verbose", options->verbose, "Print every event");
  command->callback(
      [&, options] { chosen = [&, options] { return commands.simulate(*options); }; });
}

void add_crds(CLI::App& app, const Output& output, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "crds",
      "Print our CustomResourceDefinitions: muster crds | kubectl apply --server-side -f -");
  command->callback([&] {
    chosen = [&] {
      output.out(crds_text());
      return exit_done;
    };
  });
}

void add_plan(CLI::App& app, const Output& output, Chosen& chosen) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* command = app.add_subcommand(
      "plan", "Say what would happen with these queues and jobs, without a cluster");
  command->add_option("-f", options->paths, "File, folder or - (repeatable)")
      ->allow_extra_args(true)
      ->required();
  command->add_option("--config", options->configuration, "Kueue's Configuration");
  command->add_option("--policy", options->policy, "Muster's Policy (default: as Kueue)");
  command->add_option("--now", options->now,
                      "The time of the decision, RFC 3339 (default: the latest in the objects)");
  auto* cycles = command->add_option("--cycles", options->cycles, "Run this many cycles (1)");
  command->add_flag("--until-idle", options->until_idle, "Cycles until one changes nothing")
      ->excludes(cycles);
  command->add_flag("--no-release", options->no_release,
                    "Evicted workloads keep their quota between cycles");
  command->add_option("--steps", options->steps,
                      "Changes after the first cycles, a JSON list of {delete, apply, cycles}");
  command->add_option("-o", options->output, "text, json or yaml");
  command->add_flag("--explain", options->explain, "Also what was tried and rejected");
  command->callback([&, options] { chosen = [&, options] { return plan(*options, output); }; });
}

void add_validate(CLI::App& app, const Output& output, Chosen& chosen) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command =
      app.add_subcommand("validate", "Say whether an object would be taken, and why not");
  command->add_option("-f", options->file, "The object: a file, or - for standard input")
      ->required();
  command->add_option("--old", options->old_file, "What it replaces: judge the update");
  command->add_option("--config", options->config, "Kueue's Configuration (default: its defaults)");
  command->add_option("-o", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  command->callback([&, options] { chosen = [&, options] { return validate(*options, output); }; });
}

void add_convert(CLI::App& app, const Output& output, Chosen& chosen) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = app.add_subcommand("convert", "Print an object of Kueue in another version");
  command->add_option("-f", options->file, "The object: a file, or - for standard input")
      ->required();
  command->add_option("--to", options->to, "kueue.x-k8s.io/v1beta1 or kueue.x-k8s.io/v1beta2")
      ->required();
  command->add_option("-o", options->format, "json or yaml")
      ->check(CLI::IsMember({"json", "yaml"}));
  command->callback([&, options] { chosen = [&, options] { return convert(*options, output); }; });
}

}  // namespace

int fail(const Output& output, const Error& error) {
  output.error(fmt::format("muster: {}\n", error.to_string()));
  const bool wrong_flag = error.field.starts_with("--") || error.code == ErrorCode::bad_request;
  return wrong_flag ? exit_usage : exit_failed;
}

int run(int argc, const char* const* argv, const Output& output, const Commands& commands) {
  CLI::App app(
      "Muster runs distributed training on shared accelerators: all present, or nobody "
      "marches.",
      "muster");
  bool version = false;
  Chosen chosen;
  app.add_flag("--version", version, "Print the version and exit");
  app.require_subcommand(0, 1);
  add_up(app, output, commands, chosen);
  add_down_and_status(app, output, commands, chosen);
  add_controller(app, commands, chosen);
  if (commands.simulate) add_simulate(app, commands, chosen);
  if (commands.token) add_token(app, commands, chosen);
  add_image(app, output, chosen);
  add_crds(app, output, chosen);
  add_plan(app, output, chosen);
  add_validate(app, output, chosen);
  add_convert(app, output, chosen);
  if (commands.open_talk) add_object_commands(app, output, commands.open_talk, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto asked = app.get_subcommands();
    output.out((asked.empty() ? &app : asked.front())->help());
    return exit_done;
  } catch (const CLI::ParseError& error) {
    output.error(fmt::format("muster: {}\nRun 'muster --help' for what there is.\n", error.what()));
    return exit_usage;
  }
  if (version) output.out(version_line() + "\n");
  if (chosen) return chosen();
  if (!version) output.out(app.help());
  return exit_done;
}

}  // namespace muster::cli
