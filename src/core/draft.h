// Draft: an object while pure code changes it. Thin words over objects/edit.h, for code that
// changes several places of an object that its schema has admitted.
//
//   Draft next(job);
//   next.set({"spec", "suspend"}, Value::boolean(true)).drop({"status", "startTime"});
//   edits.push_back(Edit::update(resources::jobs, next.value()));
//
// Assumes: the path leads through objects. Where it leads through something else the object is not
// of its kind, and stays as it is: the server that stores it will say what is wrong with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/edit.h"
#include "objects/value.h"

namespace muster::core {

class Draft {
 public:
  explicit Draft(objects::Value object) : object_(std::move(object)) {}

  Draft& set(std::initializer_list<objects::Step> path, const objects::Value& value);
  Draft& drop(std::initializer_list<objects::Step> path);

  // Sets where the value says something, drops where it is absent or empty.
  Draft& set_or_drop(std::initializer_list<objects::Step> path, const objects::Value& value);

  const objects::Value& value() const { return object_; }

 private:
  objects::Value object_;
};

using StringPairs = std::vector<std::pair<std::string, std::string>>;

// `{"a": "b"}`; later pairs of one key replace earlier ones.
objects::Value string_map(const StringPairs& pairs);
objects::Value list_of(std::span<const objects::Value> elements);
objects::Value strings_of(std::span<const std::string> texts);

// The object without the finalizer.
objects::Value without_finalizer(const objects::Value& object, std::string_view finalizer);

// The reference that makes the object the controller of another.
objects::Value controller_reference(std::string_view api_version, std::string_view kind,
                                    objects::View owner);

}  // namespace muster::core
