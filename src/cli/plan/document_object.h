// DocumentObject: the members of one object of a document, one after the other.
//
//   DocumentObject row(builder);
//   row.text("node", "Cohort/a").integer("share", 0);
//   nodes.push_back(row.node());
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "objects/builder.h"

namespace muster::cli {

class DocumentObject {
 public:
  explicit DocumentObject(objects::Builder& builder) : builder_(builder) {}

  DocumentObject& add(std::string_view key, const objects::Node& value) {
    members_.push_back({builder_.text(key), value});
    return *this;
  }
  DocumentObject& text(std::string_view key, std::string_view value) {
    return add(key, builder_.text(value));
  }
  DocumentObject& text_if_any(std::string_view key, std::string_view value) {
    return value.empty() ? *this : text(key, value);
  }
  DocumentObject& integer(std::string_view key, std::int64_t value) {
    return add(key, objects::Builder::integer(value));
  }
  DocumentObject& boolean(std::string_view key, bool value) {
    return add(key, objects::Builder::boolean(value));
  }
  DocumentObject& list(std::string_view key, const std::vector<objects::Node>& elements) {
    return add(key, builder_.array(elements));
  }
  objects::Node node() { return builder_.object(members_); }

 private:
  objects::Builder& builder_;
  std::vector<objects::Node::Member> members_;
};

}  // namespace muster::cli
