// OpenApi: the documents below /openapi/v3, from which kubectl learns whether a server validates
// fields, and what `kubectl explain` prints. One document per group and version, made when it is
// first asked for.
//
//   OpenApi openapi(registry);                          // again after the registry changed
//   respond(openapi.index());
//   if (const TaggedText* document = openapi.document("apis/batch/v1")) …
//
// Assumes: the house thread: asking makes a document, and it is kept. The registry outlives it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "objects/kind_registry.h"
#include "server/discovery.h"

namespace muster::server {

class OpenApi {
 public:
  explicit OpenApi(const objects::KindRegistry& registry);

  // {"paths": {"api/v1": {"serverRelativeURL": "/openapi/v3/api/v1?hash=…"}}}
  const TaggedText& index();

  // By the name in the index, such as "api/v1"; null where there is none.
  const TaggedText* document(std::string_view name);

 private:
  struct Entry {
    std::string group;
    std::string version;
    std::string hash;  // of what the document is made from
    TaggedText document = {};
  };

  const objects::KindRegistry& registry_;
  std::map<std::string, Entry, std::less<>> entries_;
  TaggedText index_;
};

}  // namespace muster::server
