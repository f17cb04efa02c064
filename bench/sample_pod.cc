// SPDX-License-Identifier: Apache-2.0
#include "bench/sample_pod.h"

#include "base/os/files.h"
#include "objects/json.h"
#include "objects/limits.h"
#include "objects/yaml.h"

namespace muster::bench {

std::string sample_pod() {
  const std::string path = std::string(MUSTER_SOURCE_FOLDER) + "/bench/sample_pod.yaml";
  const std::string text = read_whole_file(path, objects::document_bytes_max).must();
  return objects::to_json(objects::parse_yaml_document(text).must());
}

}  // namespace muster::bench
