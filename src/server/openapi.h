// OpenApi: the documents below /openapi, from which kubectl learns whether a server validates
// fields, which lists a patch merges by which key, and what `kubectl explain` prints. One document
// per group and version, made when it is first asked for.
//
//   OpenApi openapi(registry);                          // again after the registry changed
//   respond(openapi.index().text);
//   if (const TaggedText* document = openapi.document("apis/batch/v1")) …
//
// Assumes: the house thread: asking makes a document, and it is kept. It holds the kinds that the
// registry had when it was made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "objects/kind_registry.h"
#include "server/discovery.h"

namespace muster::server {

class OpenApi {
 public:
  explicit OpenApi(const objects::KindRegistry& registry);

  // {"paths": {"api/v1": {"serverRelativeURL": "/openapi/v3/api/v1?hash=…"}}}
  const TaggedText& index() const { return index_; }

  // By the name in the index, such as "api/v1"; null where there is none. The tag is the hash of
  // the index.
  const TaggedText* document(std::string_view name);

  // Everything in the form of Swagger 2.0 (server/openapi_v2.h), as JSON or as gnostic's protobuf.
  const TaggedText& swagger(bool as_protobuf);

 private:
  struct Entry {
    std::string version;
    std::string hash;  // of what the document is made from
    std::vector<objects::KindRegistry::Found> kinds = {};
    TaggedText document = {};  // empty: not made yet
  };

  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<objects::Value> types_;  // documents of kind Types, once they were needed
  TaggedText index_;
  TaggedText swagger_;           // empty: not asked for yet
  TaggedText swagger_protobuf_;  // likewise
};

}  // namespace muster::server
