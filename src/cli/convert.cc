// SPDX-License-Identifier: Apache-2.0
#include "cli/convert.h"

#include "cli/one_object.h"
#include "core/queueing/convert_object.h"
#include "objects/json.h"
#include "objects/kind_registry.h"
#include "objects/yaml.h"

namespace muster::cli {

namespace {

Result<objects::Value> converted(const ConvertOptions& options) {
  const objects::Value object = TRY(read_one_object("-f", options.file));
  const auto registry = objects::KindRegistry::built_in().must();
  return core::convert_object(registry, object, options.to);
}

}  // namespace

int convert(const ConvertOptions& options, const Output& output) {
  const auto object = converted(options);
  if (!object) {
    fail(output, object.error());
    return exit_usage;
  }
  output.out(options.format == "yaml" ? objects::to_yaml(*object)
                                      : objects::to_json(*object) + "\n");
  return exit_done;
}

}  // namespace muster::cli
