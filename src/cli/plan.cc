// SPDX-License-Identifier: Apache-2.0
#include "cli/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "base/os/files.h"
#include "base/os/folders.h"
#include "base/timestamp.h"
#include "cli/plan/limits.h"
#include "cli/plan/plan_engine.h"
#include "cli/plan/plan_text.h"
#include "objects/json.h"
#include "objects/yaml.h"

namespace muster::cli {

using objects::Value;

namespace {

bool is_object_file(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

Result<> add_text(const std::string& text, const std::string& file,
                  std::vector<PlanSource>& sources) {
  std::vector<PlanSource> read = TRY(read_plan_text(text, file));
  for (PlanSource& source : read) sources.push_back(std::move(source));
  return {};
}

Result<> add_file(const std::string& path, std::vector<PlanSource>& sources) {
  const auto text = read_whole_file(path, plan_input_bytes_max);
  if (!text) return Error::bad_request(fmt::format("{}: {}", path, text.error().to_string()));
  return add_text(*text, path, sources);
}

// The files of a folder and of those in it, in the order of their names.
Result<> find_files(const std::string& folder, std::size_t depth, std::vector<std::string>& files) {
  if (depth > plan_folder_depth_max) {
    return Error::bad_request(fmt::format("{}: folders are nested too deep", folder));
  }
  std::vector<std::string> names = TRY(names_in_folder(folder));
  std::ranges::sort(names);
  for (const std::string& name : names) {
    const std::string path = fmt::format("{}{}{}", folder, folder.ends_with('/') ? "" : "/", name);
    if (names_in_folder(path)) {
      TRY(find_files(path, depth + 1, files));
    } else if (is_object_file(name)) {
      files.push_back(path);
    }
  }
  return {};
}

Result<std::vector<PlanSource>> read_paths(const std::vector<std::string>& paths) {
  std::vector<PlanSource> sources;
  for (const std::string& path : paths) {
    if (path == "-") {
      const std::string text = TRY(read_standard_input(plan_input_bytes_max));
      TRY(add_text(text, "<stdin>", sources));
      continue;
    }
    if (!names_in_folder(path)) {
      TRY(add_file(path, sources));
      continue;
    }
    std::vector<std::string> files;
    TRY(find_files(path, 0, files));
    std::ranges::sort(files);
    for (const std::string& file : files) TRY(add_file(file, sources));
  }
  return sources;
}

// One document of a file; absent where no file is named.
Result<Value> read_document(const std::string& path) {
  if (path.empty()) return Value();
  const auto text = read_whole_file(path, plan_input_bytes_max);
  if (!text) return Error::bad_request(fmt::format("{}: {}", path, text.error().to_string()));
  auto document = objects::parse_yaml_document(*text, {.bytes_max = plan_input_bytes_max});
  if (!document) {
    return Error::bad_request(fmt::format("{}: {}", path, document.error().to_string()));
  }
  return document;
}

Result<Value> answer(const PlanOptions& options) {
  if (options.paths.empty()) return Error::bad_request("needs at least one file", "-f");
  PlanInput input;
  if (options.cycles < 1 || options.cycles > plan_cycles_max) {
    return Error::bad_request(fmt::format("must be between 1 and {}", plan_cycles_max), "--cycles");
  }
  if (!options.now.empty()) {
    const auto now = parse_time(options.now);
    if (!now) return Error::bad_request(now.error().message, "--now");
    input.now = now->saturated_instant();
  }
  input.sources = TRY(read_paths(options.paths));
  input.configuration = TRY(read_document(options.configuration));
  input.policy = TRY(read_document(options.policy));
  if (!options.configuration.empty()) input.configuration_file = options.configuration;
  if (!options.policy.empty()) input.policy_file = options.policy;
  const Value steps = TRY(read_document(options.steps));
  input.steps = TRY(read_steps(steps, options.steps));
  input.cycles = options.cycles;
  input.until_idle = options.until_idle;
  input.releases = !options.no_release;
  input.explains = options.explain;
  const PlanEngine engine(TRY(objects::KindRegistry::built_in()));
  return engine.answer(input);
}

}  // namespace

int plan(const PlanOptions& options, const Output& output) {
  if (options.output != "text" && options.output != "json" && options.output != "yaml") {
    output.error("muster: -o: must be text, json or yaml\n");
    return exit_usage;
  }
  try {
    const auto document = answer(options);
    if (!document) {
      output.error(fmt::format("muster: {}\n", document.error().to_string()));
      return document.error().code == ErrorCode::internal ? exit_internal : exit_usage;
    }
    if (options.output == "json") {
      output.out(objects::to_pretty_json(*document) + "\n");
    } else if (options.output == "yaml") {
      output.out(objects::to_yaml(*document));
    } else {
      output.out(plan_text(*document));
    }
    return exit_done;
  } catch (const std::exception& failure) {
    output.error(fmt::format("muster: {}\n", failure.what()));
    return exit_internal;
  }
}

}  // namespace muster::cli
