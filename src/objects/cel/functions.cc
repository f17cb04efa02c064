// SPDX-License-Identifier: Apache-2.0
#include "objects/cel/functions.h"

#include <algorithm>

namespace muster::objects::cel {

bool Function::takes(std::span<const Kind> kinds) const {
  if (kinds.size() != parameter_count) return false;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (parameters[i] == Kind::dynamic || kinds[i] == Kind::dynamic) continue;
    if (parameters[i] != kinds[i]) return false;
  }
  return true;
}

std::span<const Function> find_functions(std::string_view name, bool member) {
  const auto is_wanted = [name, member](const Function& each) {
    return each.name == name && each.member == member;
  };
  for (const auto group : {conversion_functions(), text_functions(), list_functions(),
                           time_functions(), quantity_functions()}) {
    const auto first = std::find_if(group.begin(), group.end(), is_wanted);
    if (first == group.end()) continue;
    const auto last = std::find_if_not(first, group.end(), is_wanted);
    return {first, last};
  }
  return {};
}

}  // namespace muster::objects::cel
