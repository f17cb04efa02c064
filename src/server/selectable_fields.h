// SelectableFields: the fields of a kind that a field selector may name, and how each is read from
// an object: metadata.name and metadata.namespace for every kind, and those that the kind's file
// lists under selectableFields.
//
//   SelectableFields fields(kind);
//   TRY(selector.check_supported(fields.names()));
//   std::vector<std::string> values = fields.read(pod);
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "objects/kind_registry.h"
#include "objects/value.h"

namespace muster::server {

class SelectableFields {
 public:
  // As they are called and read in the form in which objects are stored.
  explicit SelectableFields(const objects::Kind& kind);

  // As the callers of a version call them: the same, but for a kind that is stored as another one.
  SelectableFields(const objects::Kind& kind, const objects::KindVersion& version);

  // metadata.name and metadata.namespace are the last two.
  std::span<const std::string_view> names() const { return names_; }

  // What a field of the caller's is called where it is stored.
  std::string_view stored_name(std::string_view name) const;

  // One value for each name but the last two.
  std::vector<std::string> read(objects::View object) const;

  // The value of the field of that name among those read; nothing for an unknown one.
  std::string_view value(std::span<const std::string> read, std::string_view name) const;

 private:
  struct Field {
    std::string name;         // "spec.nodeName"
    std::string cell;         // a computed one; empty: a path of members
    std::string stored = {};  // its name in the stored form, where that is another one
  };
  void take(objects::View listed);

  std::vector<Field> fields_;
  std::vector<std::string_view> names_;
};

}  // namespace muster::server
