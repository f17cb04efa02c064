// SPDX-License-Identifier: Apache-2.0
#include "core/model/incarnation.h"

namespace muster::core {

Step next_step(const Identity& row, const Event& event, std::string_view uid) {
  const bool is_same = row.uid.empty() || uid.empty() || row.uid == uid;
  if (event.type == EventType::remove) {
    return row.present && is_same ? Step::remove : Step::ignore;
  }
  if (!row.present) return Step::update;
  if (!is_same) {
    // Revisions are one line through all objects: a predecessor has an older one.
    const bool is_older = event.revision != 0 && event.revision < row.revision;
    return is_older ? Step::ignore : Step::replace;
  }
  const bool is_news = event.revision == 0 || event.revision > row.revision;
  return is_news ? Step::update : Step::ignore;
}

void take_identity(Incarnation& row, const Event& event) {
  row.present = true;
  row.uid = objects::uid_of(event.object);
  row.revision = event.revision;
  row.invalid.clear();
}

}  // namespace muster::core
