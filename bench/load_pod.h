// The pod of the API's load: 1.5 KB, one container with sixteen variables. Nobody serves its
// scheduler and no node has its label, so nothing happens to it but that it is kept.
//
//   const std::string body = load_pod("many-17");
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace muster::bench {

inline std::string load_pod(std::string_view name) {
  std::string body = fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","labels":{{"app":"load"}},
"annotations":{{"note":"{}"}}}},"spec":{{"restartPolicy":"Never","nodeSelector":{{"none":"here"}},
"schedulerName":"nobody","containers":[{{"name":"main","image":"registry.example/load:1","env":[)",
      name, std::string(300, 'n'));
  for (int i = 0; i < 16; ++i) {
    body +=
        fmt::format(R"({}{{"name":"VARIABLE_{}","value":"value-of-it"}})", i == 0 ? "" : ",", i);
  }
  return body + R"(],"resources":{"requests":{"cpu":"1","memory":"1Gi"}}}]}})";
}

}  // namespace muster::bench
