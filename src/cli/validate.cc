// SPDX-License-Identifier: Apache-2.0
#include "cli/validate.h"

#include <fmt/format.h>

#include "cli/one_object.h"
#include "core/model/configuration.h"
#include "core/queueing/validate_object.h"
#include "objects/json.h"
#include "objects/kind_registry.h"
#include "objects/metadata.h"

namespace muster::cli {

using objects::Value;

namespace {

std::string text_of(const Value& object, const core::Verdict& verdict) {
  std::string text;
  for (const core::FieldWarning& warning : verdict.warnings) {
    text += fmt::format("warning: {}\n", warning.message);
  }
  for (const objects::FieldError& error : verdict.errors) {
    text += fmt::format("error: {}\n", error.path.empty() ? error.body() : error.to_string());
  }
  text += fmt::format("{} {} is {}\n", object["kind"].string_or(""),
                      objects::go_quoted(objects::name_of(object)),
                      verdict.is_valid() ? "valid" : "not valid");
  return text;
}

Result<core::ValidationRequest> read_request(const ValidateOptions& options) {
  core::ValidationRequest request;
  if (!options.config.empty()) {
    const Value configuration = TRY(read_one_object("--config", options.config));
    request.gates = TRY(core::read_configuration(configuration)).gates;
  }
  request.object = TRY(read_one_object("-f", options.file));
  if (!options.old_file.empty()) {
    request.old_object = TRY(read_one_object("--old", options.old_file));
  }
  return request;
}

}  // namespace

int validate(const ValidateOptions& options, const Output& output) {
  const auto request = read_request(options);
  if (!request) {
    fail(output, request.error());
    return exit_usage;
  }
  const auto registry = objects::KindRegistry::built_in().must();
  const auto verdict = core::validate_object(registry, *request);
  if (!verdict) {
    fail(output, verdict.error());
    return exit_usage;
  }
  output.out(options.format == "json" ? objects::to_json(core::document_of(*verdict)) + "\n"
                                      : text_of(request->object, *verdict));
  return verdict->is_valid() ? exit_done : exit_failed;
}

}  // namespace muster::cli
