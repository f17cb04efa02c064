// SPDX-License-Identifier: Apache-2.0
#include "tests/scenarios/edit_text.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/timestamp.h"
#include "core/draft.h"
#include "objects/diff.h"
#include "objects/metadata.h"

namespace muster::scenarios {

using core::Edit;
using objects::Value;
using objects::View;

namespace {

std::string_view verb_name(Edit::Verb verb) {
  switch (verb) {
    case Edit::Verb::create:
      return "create";
    case Edit::Verb::update:
      return "update";
    case Edit::Verb::update_status:
      return "update status of";
    case Edit::Verb::remove:
      return "remove";
    case Edit::Verb::bind:
      return "bind";
    case Edit::Verb::record:
      return "event";
  }
  return "?";
}

std::string title(const Edit& edit) {
  return fmt::format("{} {} {}", verb_name(edit.verb), edit.resource.plural,
                     objects::key_of(edit.object).to_string());
}

Value note_value(const core::Note& note) {
  return Value::string(fmt::format("event {} {} on {} {}: {}", note.warning ? "Warning" : "Normal",
                                   note.reason, note.resource.plural,
                                   objects::key_of(note.about).to_string(), note.message));
}

Value changes(const Edit& edit, std::span<const Value> before) {
  for (const Value& old : before) {
    if (objects::key_of(old) != objects::key_of(edit.object)) continue;
    if (objects::uid_of(old) != objects::uid_of(edit.object)) continue;
    core::Draft changed(Value::object({}));
    for (const objects::Difference& each : objects::diff(old, edit.object)) {
      changed.set({std::string_view(each.path)},
                  each.after ? Value::copy_of(each.after) : Value::string("removed"));
    }
    return changed.value();
  }
  return edit.object;
}

Value edit_value(const Edit& edit, std::span<const Value> before) {
  switch (edit.verb) {
    case Edit::Verb::record:
      return note_value(*edit.note);
    case Edit::Verb::remove: {
      const std::string grace =
          edit.grace_period_seconds ? fmt::format(" in {} s", *edit.grace_period_seconds) : "";
      return Value::string(title(edit) + grace);
    }
    case Edit::Verb::create:
    case Edit::Verb::bind:
      return Value::object({{title(edit), edit.object}});
    case Edit::Verb::update:
    case Edit::Verb::update_status:
      return Value::object({{title(edit), changes(edit, before)}});
  }
  return {};
}

}  // namespace

Value edits_value(std::span<const Edit> edits, std::span<const Value> before) {
  std::vector<Value> list;
  for (const Edit& edit : edits) list.push_back(edit_value(edit, before));
  return core::list_of(list);
}

Result<Instant> now_of(const Value& scenario) {
  return TRY(parse_time(scenario["given"]["now"].string_or(""))).saturated_instant();
}

std::vector<Value> list_in(const Value& scenario, std::string_view key) {
  std::vector<Value> list;
  for (View each : scenario["given"][key].elements()) list.push_back(scenario.part(each));
  return list;
}

}  // namespace muster::scenarios
