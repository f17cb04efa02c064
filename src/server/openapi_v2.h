// OpenApiV2: all documents of /openapi/v3 as one of the older form (Swagger 2.0), which kubectl
// asks for before it checks a `v1 List`, and old clients for everything.
//
//   OpenApiV2 maker;
//   maker.add(document);                                // of every group and version
//   const Value swagger = std::move(maker).finish();
//
// Assumes: documents of server/openapi.cc. What the older form cannot say is left out: who reads
// it takes an object for less strict than it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "objects/builder.h"
#include "objects/value.h"

namespace muster::server {

class OpenApiV2 {
 public:
  void add(objects::View document);
  objects::Value finish() &&;

 private:
  objects::Node schema(objects::View from);
  objects::Node reference(std::string_view name, objects::View from);
  void add_keyword(const objects::MemberView& member, std::vector<objects::Node::Member>& to);
  objects::Node path(objects::View from);
  objects::Node operation(objects::View from);

  objects::Builder builder_;
  std::set<std::string, std::less<>> known_;
  std::vector<objects::Node::Member> definitions_;
  std::vector<objects::Node::Member> paths_;
};

// The protobuf form of such a document (gnostic's openapi.v2.Document), the only one that kubectl
// reads.
std::string to_gnostic(objects::View swagger);

}  // namespace muster::server
