// Edit: one write to one object that pure code asks for. queueing/ and lifecycle/ return edits; the
// writer in control/ sends them. Updates carry the whole object and go under its resourceVersion,
// so that an edit computed from an old state is refused instead of undoing something.
//
//   edits.push_back(Edit::update_status(resources::workloads, next));
//   edits.push_back(Edit::record({.about = job, .reason = "Started", …}));
//
// Assumes: edits of one list are sent in order, each after the one before was answered (`alongside`
// edits may overtake: the pods of a gang are made at once), and the rest is dropped when one is
// refused (but for `anyway`): the next look at the world decides anew. A list writes an object at
// most once, and may remove it after that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "objects/resource.h"
#include "objects/value.h"

namespace muster::core {

// What becomes a core/v1 Event about an object.
struct Note {
  objects::Resource resource;  // of the object it is about
  objects::Value about;
  bool warning = false;
  std::string reason;
  std::string message;
  std::string component;  // "kueue-job-controller", "job-controller" …
};

struct Edit {
  enum class Verb : std::uint8_t {
    create,         // object
    update,         // object, under its resourceVersion
    update_status,  // the same on the status subresource
    remove,         // object: name, uid (a precondition) are read from it
    bind,           // object: a Binding for the pod of that name
    record,         // note
  };

  Verb verb = Verb::create;
  objects::Resource resource = {};
  objects::Value object = {};
  std::optional<std::int64_t> grace_period_seconds = {};  // remove
  bool in_foreground = false;                             // remove: what it owns goes first
  std::optional<Note> note = {};
  bool alongside = false;  // need not wait for the answer to the edit before it
  bool anyway = false;     // goes also where one before it was refused: it says what was seen

  // What is said about an object when the server refuses this, with the server's sentence after
  // the message; not when somebody was merely faster, nor when the answer was lost.
  std::optional<Note> complaint = {};

  static Edit create(const objects::Resource& resource, objects::Value object);
  static Edit update(const objects::Resource& resource, objects::Value object);
  static Edit update_status(const objects::Resource& resource, objects::Value object);
  // Counts of what was seen, which are as true when an edit before them is refused.
  static Edit update_counts(const objects::Resource& resource, objects::Value object);
  static Edit remove(const objects::Resource& resource, objects::Value object,
                     std::optional<std::int64_t> grace_period_seconds = {});
  static Edit bind(const objects::Resource& resource, objects::Value binding);
  static Edit record(Note note);
};

}  // namespace muster::core
