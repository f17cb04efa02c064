// SPDX-License-Identifier: Apache-2.0
#include "core/edit.h"

#include <utility>

namespace muster::core {

using objects::Resource;
using objects::Value;

namespace {

Edit make(Edit::Verb verb, const Resource& resource, Value object) {
  Edit edit;
  edit.verb = verb;
  edit.resource = resource;
  edit.object = std::move(object);
  return edit;
}

}  // namespace

Edit Edit::create(const Resource& resource, Value object) {
  return make(Verb::create, resource, std::move(object));
}

Edit Edit::update(const Resource& resource, Value object) {
  return make(Verb::update, resource, std::move(object));
}

Edit Edit::update_status(const Resource& resource, Value object) {
  return make(Verb::update_status, resource, std::move(object));
}

Edit Edit::update_counts(const Resource& resource, Value object) {
  Edit edit = update_status(resource, std::move(object));
  edit.anyway = true;
  return edit;
}

Edit Edit::remove(const Resource& resource, Value object,
                  std::optional<std::int64_t> grace_period_seconds) {
  Edit edit = make(Verb::remove, resource, std::move(object));
  edit.grace_period_seconds = grace_period_seconds;
  return edit;
}

Edit Edit::bind(const Resource& resource, Value binding) {
  return make(Verb::bind, resource, std::move(binding));
}

Edit Edit::record(Note note) {
  Edit edit;
  edit.verb = Verb::record;
  edit.note = std::move(note);
  return edit;
}

}  // namespace muster::core
